// histogram/interleaved with 8 words a thread, asked for four at once.
//@ param   n = 1 << 24
//@ buffer  data unsigned char[n] = hash(i) >> 24
//@ buffer  bins unsigned[256] = 0
//@ launch  histogram_interleaved<<<(n + 8191) / 8192, 256>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void
histogram_interleaved(const unsigned char *__restrict__ data,
                      unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned block_bins[256]; // one for each thread
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (int k = i; k < n / 4; k += gridDim.x * blockDim.x)
        count_four(block_bins, words[k]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&block_bins[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
