// Each thread takes 32 words that lie side by side, so neighbouring
// threads are 128 bytes apart.
//@ title   v4.5: 32 words each, contiguous
//@ why     Each load of a warp touches 32 sectors, and the caches must
//@ why     hold them until their next word is due.
//@ launch  histogram_contiguous<<<(n + 32767) / 32768, 256>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void
histogram_contiguous(const unsigned char *__restrict__ data,
                     unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned block_bins[256]; // one for each thread
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 32 * i; k < 32 * i + 32 && k < n / 4; k++)
        count_four(block_bins, words[k]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&block_bins[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
