// The twin in two launches.
//@ buffer x   int[256] = i
//@ buffer tmp int[256]
//@ buffer out int[256]
//@ launch first<<<4, 64>>>(x, tmp)
//@ launch second<<<4, 64>>>(tmp, out)
extern "C" __global__ void first(const int *x, int *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[i] = 2 * x[i];
}
extern "C" __global__ void second(const int *tmp, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i ? tmp[i - 1] : 0;
}
