// A histogram of 256 bins, one a block, by shared atomics.
//@ param n = 1 << 20
//@ buffer in unsigned[n] = hash(i)
//@ buffer bins int[256] = 0
//@ launch count<<<64, 256>>>(in, bins, n)
extern "C" __global__ void count(const unsigned *in, int *bins, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&s[in[i] >> 24], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
