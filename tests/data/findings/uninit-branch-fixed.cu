// The twin in which every flag has one.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch choose<<<1, 64>>>(x, out)
extern "C" __global__ void choose(const int *x, int *out)
{
    __shared__ int flag[64];
    int t = threadIdx.x;
    flag[t] = x[t] & 1;
    __syncthreads();
    out[t] = 0;
    if (flag[t ^ 1])
        atomicAdd(&out[t], x[t]);
}
