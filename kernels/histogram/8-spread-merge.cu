// An experiment: v3, but its blocks merge into 64 copies of the bins,
// which a last kernel adds up.
//@ title   v3, merging into 64 copies
//@ why     Only the merge differs from v3: it has 64 times as many
//@ why     words. Whatever that gains, contention had cost.
//@ scratch copies unsigned[64 * 256]
//@ launch  clear_copies<<<64, 256>>>(copies)
//@ launch  histogram_spread<<<(n + 1023) / 1024, 256>>>(
//@             data, copies, n)
//@ launch  add_copies<<<1, 256>>>(copies, bins)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void clear_copies(unsigned *copies)
{
    copies[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

extern "C" __global__ void
histogram_spread(const unsigned char *__restrict__ data,
                 unsigned *__restrict__ copies, int n)
{
    __shared__ unsigned block_bins[256]; // one for each thread
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        count_four(block_bins, words[i]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&block_bins[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    unsigned *copy = copies + blockIdx.x % 64 * 256;
    atomicAdd(&copy[threadIdx.x], block_bins[threadIdx.x]);
}

extern "C" __global__ void
add_copies(const unsigned *__restrict__ copies,
           unsigned *__restrict__ bins)
{
    unsigned sum = 0;
    for (int copy = 0; copy < 64; copy++)
        sum += copies[copy * 256 + threadIdx.x];
    bins[threadIdx.x] += sum;
}
