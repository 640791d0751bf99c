// 16 blocks for any n, but one of them does all the work.
//@ title   A grid of 16 blocks
//@ launch  histogram_stride<<<16, 256>>>(data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void histogram_stride(const unsigned char *data,
                                            unsigned *bins, int n)
{
    __shared__ unsigned own[256]; // as many as the block has threads
    own[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO: block 0 counts all words, and 15 blocks none. Let all
    // threads of the grid take words until none is left, and
    // neighbouring threads neighbouring words.
    for (int k = i; blockIdx.x == 0 && k < n / 4; k += blockDim.x)
        count_four(own, words[k]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&own[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
