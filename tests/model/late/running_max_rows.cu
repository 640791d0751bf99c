// The running maximum of each row, a thread a row: neighbouring threads
// are a row apart.
//@ param   rows = 16384
//@ param   cols = 128
//@ buffer  in  float[rows * cols] = i * 13 % 1009
//@ buffer  out float[rows * cols]
//@ launch  running<<<rows / 128, 128>>>(in, out, cols)
extern "C" __global__ void running(const float *in, float *out, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1e30f;
    for (int c = 0; c < cols; c++) {
        most = fmaxf(most, in[row * cols + c]);
        out[row * cols + c] = most;
    }
}
