// The last element of s is read, but never written.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch next<<<1, 64>>>(x, out)
extern "C" __global__ void next(const int *x, int *out)
{
    __shared__ int s[65];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    out[t] = s[t + 1];
}
