// The twin that reads what is there.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch twice<<<1, 64>>>(x, out)
__device__ __noinline__ int twist(int a, int b)
{
    return a * 2 + b;
}
extern "C" __global__ void twice(const int *x, int *out)
{
    __shared__ int s[65];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    out[t] = twist(s[t], t);
}
