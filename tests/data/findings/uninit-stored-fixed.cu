// The twin that writes it.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch next<<<1, 64>>>(x, out)
extern "C" __global__ void next(const int *x, int *out)
{
    __shared__ int s[65];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t == 0)
        s[64] = 0;
    __syncthreads();
    out[t] = s[t + 1];
}
