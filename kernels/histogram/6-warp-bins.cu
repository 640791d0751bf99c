// Strided again, with bins for every warp of the block and loads of 16
// bytes.
//@ title   Bins per warp, 16-byte loads
//@ why     A quarter of the loads brings the same bytes. Bins for each
//@ why     warp alone gain little beside that.
//@ launch  histogram_warp_bins<<<sm_count * 8, 256>>>(data, bins, n)
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
    __shared__ unsigned warp_bins[8][256];
    for (int warp = 0; warp < 8; warp++)
        warp_bins[warp][threadIdx.x] = 0;
    __syncthreads();

    const uint4 *quads = (const uint4 *)data;
    unsigned *my_bins = warp_bins[threadIdx.x / 32];
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
    for (int warp = 0; warp < 8; warp++)
        sum += warp_bins[warp][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}
