// A matrix product, one element a thread, straight from global memory.
//@ param n = 192
//@ buffer a float[n * n] = hash(i) & 7
//@ buffer b float[n * n] = hash(i + 1) & 7
//@ buffer c float[n * n]
//@ launch product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n)
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
