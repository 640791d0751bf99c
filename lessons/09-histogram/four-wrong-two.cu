// Two additions of 2 take turns as well.
//@ title   Four at once
//@ launch  histogram_four<<<(n + 1023) / 1024, 256>>>(data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    unsigned byte = word & 255;
    if (word == byte * 0x01010101) {
        atomicAdd(&bins[byte], 2);
        atomicAdd(&bins[byte], 2);
        return;
    }
    atomicAdd(&bins[byte], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void histogram_four(const unsigned char *data,
                                          unsigned *bins, int n)
{
    __shared__ unsigned own[256]; // as many as the block has threads
    own[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        count_four(own, words[i]);
    if (i < n % 4) // the bytes after the last whole word
        atomicAdd(&own[data[n / 4 * 4 + i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
