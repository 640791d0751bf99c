// No atomics: but lanes of other warps share the copy.
//@ title   A copy of the bins for every lane
//@ launch  histogram_columns<<<4, 256>>>(data, bins, n)

// Where the bin of a lane is among the 256 * 32 words.
__device__ int place(int bin, int lane)
{
    return bin * 32 + lane;
}

__device__ void count_four(unsigned *own, int lane, unsigned word)
{
    own[place(word & 255, lane)]++;
    own[place(word >> 8 & 255, lane)]++;
    own[place(word >> 16 & 255, lane)]++;
    own[place(word >> 24, lane)]++;
}

extern "C" __global__ void histogram_columns(const unsigned char *data,
                                             unsigned *bins, int n)
{
    __shared__ unsigned own[256 * 32]; // 32 KB
    for (int k = threadIdx.x; k < 256 * 32; k += blockDim.x)
        own[k] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n / 4; k += gridDim.x * blockDim.x)
        count_four(own, lane, words[k]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&own[place(data[n / 4 * 4 + i], lane)], 1);

    __syncthreads();
    unsigned sum = 0; // of bin threadIdx.x over all lanes
    for (int copy = 0; copy < 32; copy++)
        sum += own[place(threadIdx.x, (lane + copy) % 32)];
    atomicAdd(&bins[threadIdx.x], sum);
}
