// A column of bins for each lane, and loads of 16 bytes.
//@ title   A histogram from an empty file
//@ launch  count<<<min(sm_count * 2, (n + 16383) / 16384), 1024>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *column, unsigned word)
{
    atomicAdd(&column[(word & 255) * 32], 1);
    atomicAdd(&column[(word >> 8 & 255) * 32], 1);
    atomicAdd(&column[(word >> 16 & 255) * 32], 1);
    atomicAdd(&column[(word >> 24) * 32], 1);
}

extern "C" __global__ void count(const unsigned char *__restrict__ data,
                                 unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned columns[256 * 32];
    for (int word = threadIdx.x; word < 256 * 32; word += blockDim.x)
        columns[word] = 0;
    __syncthreads();

    const uint4 *quads = (const uint4 *)data;
    unsigned *mine = &columns[threadIdx.x % 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n / 16; k += gridDim.x * blockDim.x) {
        uint4 quad = quads[k];
        count_four(mine, quad.x);
        count_four(mine, quad.y);
        count_four(mine, quad.z);
        count_four(mine, quad.w);
    }
    if (i < n % 16) // the bytes after the last whole quad
        atomicAdd(&mine[data[n / 16 * 16 + i] * 32], 1);

    __syncthreads();
    if (threadIdx.x < 256) {
        unsigned sum = 0;
        for (int lane = 0; lane < 32; lane++)
            sum += columns[threadIdx.x * 32 +
                           (threadIdx.x + lane) % 32];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}
