// What nobody wrote, copied twice before it is stored.
//@ buffer x   int[32] = i
//@ buffer out int[32]
//@ launch pad<<<1, 64>>>(x, out)
extern "C" __global__ void pad(const int *x, int *out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    if (t < 32)
        a[t] = x[t];
    __syncthreads();
    b[t] = a[t] + 1;
    __syncthreads();
    if (t < 32)
        out[t] = b[32 + t];
}
