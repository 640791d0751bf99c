// histogram/warp-bins with a word of padding a warp, bins for two warps
// each, and half the grid.
//@ param   n = 1 << 24
//@ buffer  data unsigned char[n] = hash(i) >> 24
//@ buffer  bins unsigned[256] = 0
//@ launch  histogram_warp_bins<<<sm_count * 4, 256>>>(data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void
histogram_warp_bins(const unsigned char *__restrict__ data,
                    unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned warp_bins[4][257];
    for (int pair = 0; pair < 4; pair++)
        warp_bins[pair][threadIdx.x] = 0;
    __syncthreads();

    const uint4 *quads = (const uint4 *)data;
    unsigned *my_bins = warp_bins[threadIdx.x / 64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n / 16; k += gridDim.x * blockDim.x) {
        uint4 quad = quads[k];
        count_four(my_bins, quad.x);
        count_four(my_bins, quad.y);
        count_four(my_bins, quad.z);
        count_four(my_bins, quad.w);
    }
    if (i < n % 16) // the bytes after the last whole quad
        atomicAdd(&my_bins[data[n / 16 * 16 + i]], 1);

    __syncthreads();
    unsigned sum = 0;
    for (int pair = 0; pair < 4; pair++)
        sum += warp_bins[pair][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}
