// The lanes that are kept take values from lanes that have none.
//@ buffer x   int[16] = i
//@ buffer out int[8]
//@ launch sums<<<1, 32>>>(x, out)
extern "C" __global__ void sums(const int *x, int *out)
{
    __shared__ int s[41];
    int t = threadIdx.x;
    if (t < 16)
        s[t] = x[t];
    __syncthreads();
    int v = s[t + 9];
    v += __shfl_down_sync(0xffffffffu, v, 8);
    if (t < 8)
        out[t] = v;
}
