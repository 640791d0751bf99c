// The same of each column: neighbouring threads are neighbours.
//@ param   rows = 256
//@ param   cols = 16384
//@ buffer  in  float[rows * cols] = i * 13 % 1009
//@ buffer  out float[rows * cols]
//@ launch  running<<<cols / 128, 128>>>(in, out, rows, cols)
extern "C" __global__ void running(const float *in, float *out, int rows,
                                   int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f;
    for (int r = 0; r < rows; r++) {
        most = fmaxf(most, in[r * cols + col]);
        out[r * cols + col] = most;
    }
}
