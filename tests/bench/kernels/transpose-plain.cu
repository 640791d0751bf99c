// A transpose in blocks of 16 x 16 without shared memory.
//@ param n = 1024
//@ buffer in float[n * n] = i
//@ buffer out float[n * n]
//@ launch transpose<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, n)
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
