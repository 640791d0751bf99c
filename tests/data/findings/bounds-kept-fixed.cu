// What is kept for the next launch lies in global memory.
//@ buffer out int[32] = 0
//@ launch first<<<1, 32>>>(out)
//@ launch second<<<1, 32>>>(out)
__device__ int *kept;
__device__ __noinline__ int get(const int *from)
{
    return *from;
}
extern "C" __global__ void first(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t == 0)
        kept = out;
    out[t] = get(&s[31 - t]);
}
extern "C" __global__ void second(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] += get(&kept[t]) + get(&s[31 - t]);
}
