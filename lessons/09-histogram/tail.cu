// A block counts 1024 bytes into bins of its own.
//@ title   Bins in shared memory
//@ launch  histogram_shared<<<n / 1024, 256>>>(data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void histogram_shared(const unsigned char *data,
                                            unsigned *bins, int n)
{
    __shared__ unsigned own[256]; // as many as the block has threads
    own[threadIdx.x] = 0;
    __syncthreads();

    const unsigned *words = (const unsigned *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    count_four(own, words[i]);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
