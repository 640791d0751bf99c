// Each thread counts 32 words that lie side by side.
//@ title   Words each, contiguous
//@ launch  histogram_contiguous<<<(n + 32767) / 32768, 256>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

const int EACH = 32; // words of a thread

extern "C" __global__ void
histogram_contiguous(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned own[256]; // as many as the block has threads
    own[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x
    int first = i * EACH, end = (i + 1) * EACH;
    for (tid = first; tid < end && tid < n / 4; ++tid)
        count_four(own, words[tid]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&own[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
