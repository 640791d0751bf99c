// Each block counts into bins of its own in shared memory and adds them
// to the global ones at its end.
//@ title   v3: bins in shared memory
//@ why     The many atomics stay on chip. Global memory gets 256 per
//@ why     block: one per bin and thread.
//@ launch  histogram_shared<<<(n + 1023) / 1024, 256>>>(data, bins, n)
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
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
