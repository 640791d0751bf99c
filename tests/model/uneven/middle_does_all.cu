// A thread in the middle of 65536 adds all elements.
//@ param   n = 1 << 16
//@ buffer  x float[n] = i & 7
//@ buffer  y float[n] = 1
//@ buffer  out float[n]
//@ launch  k<<<n / 256, 256>>>(x, y, out, n)
extern "C" __global__ void k(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n / 2 + 5)
        for (int j = 0; j < n; j++)
            out[j] = x[j] + y[j];
}
