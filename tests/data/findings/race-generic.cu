// The same shared element through a pointer that may point anywhere.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch anywhere<<<1, 64>>>(x, out, 1)
__device__ __noinline__ void store(int *p, int value)
{
    *p = value;
}
extern "C" __global__ void anywhere(const int *x, int *out, int shared)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    int *p = shared ? s : out;
    store(&p[t], x[t]);
    out[t] = s[63 - t];
}
