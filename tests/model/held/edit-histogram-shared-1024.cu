// histogram/shared with blocks of 1024 threads, and skewed data: half
// of the bytes are 65.
//@ param   n = 1 << 24
//@ buffer  data unsigned char[n] = (hash(i) & 1) ? 65 : hash(i) >> 24
//@ buffer  bins unsigned[256] = 0
//@ launch  histogram_shared<<<(n + 4095) / 4096, 1024>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void
histogram_shared(const unsigned char *__restrict__ data,
                 unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned block_bins[256];
    if (threadIdx.x < 256)
        block_bins[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        count_four(block_bins, words[i]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&block_bins[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    if (threadIdx.x < 256)
        atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
