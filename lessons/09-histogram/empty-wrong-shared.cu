// One copy of the bins for each block: lanes meet in it.
//@ title   A histogram from an empty file
//@ launch  count<<<(n + 16383) / 16384, 256>>>(data, bins, n)
extern "C" __global__ void count(const unsigned char *__restrict__ data,
                                 unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    const uint4 *quads = (const uint4 *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n / 16; k += gridDim.x * blockDim.x) {
        uint4 quad = quads[k];
        unsigned words[4] = { quad.x, quad.y, quad.z, quad.w };
        for (int w = 0; w < 4; w++)
            for (int shift = 0; shift < 32; shift += 8)
                atomicAdd(&own[words[w] >> shift & 255], 1);
    }
    if (i < n % 16)
        atomicAdd(&own[data[n / 16 * 16 + i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
