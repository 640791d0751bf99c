// Seven points of a cube, a column a thread, in blocks of 32 x 8.
//@ param n = 66
//@ buffer in float[n * n * n] = hash(i) & 15
//@ buffer out float[n * n * n] = 0
//@ launch stencil<<<dim3((n - 2) / 32, (n - 2) / 8), dim3(32, 8)>>>(in, out, n)
extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    for (int z = 1; z < n - 1; z++) {
        int at = (z * n + y) * n + x;
        float sum = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n];
        out[at] = sum - 6 * in[at];
    }
}
