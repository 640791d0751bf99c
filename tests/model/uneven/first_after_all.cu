// Every thread copies four elements; the first also sums 20000.
//@ param   n = 1 << 22
//@ buffer  x float4[n] = i & 7
//@ buffer  y float4[n]
//@ buffer  out float[1]
//@ launch  k<<<n / 256, 256>>>(x, y, out)
extern "C" __global__ void k(const float4 *x, float4 *y, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
    if (i == 0) {
        float s = 0;
        for (int j = 0; j < 20000; j++)
            s = s * 0.5f + x[j].x;
        *out = s;
    }
}
