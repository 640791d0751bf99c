// A matrix plus its transpose, without shared memory.
//@ param   n = 1536
//@ buffer  a   float[n * n] = i % 331
//@ buffer  out float[n * n]
//@ launch  add<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, out, n)
extern "C" __global__ void add(const float *a, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    out[y * n + x] = a[y * n + x] + a[x * n + y];
}
