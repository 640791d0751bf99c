// histogram/contiguous with loads of 16 bytes: each thread takes four
// quads that lie side by side.
//@ param   n = 1 << 24
//@ needs   n % 64 == 0
//@ buffer  data unsigned char[n] = hash(i) >> 24
//@ buffer  bins unsigned[256] = 0
//@ launch  histogram_contiguous<<<(n + 16383) / 16384, 256>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void
histogram_contiguous(const unsigned char *__restrict__ data,
                     unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned block_bins[256]; // one for each thread
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    const uint4 *quads = (const uint4 *)data;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 4 * i; k < 4 * i + 4 && k < n / 16; k++) {
        uint4 quad = quads[k];
        count_four(block_bins, quad.x);
        count_four(block_bins, quad.y);
        count_four(block_bins, quad.z);
        count_four(block_bins, quad.w);
    }

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
