// Smallest and largest element, with few blocks that stride over the
// array; the block that ends last combines what the others found.
//@ param   n = 1 << 24
//@ param   blocks = 96
//@ buffer  x    int[n] = hash(i) % 2000000011 - 1000000005
//@ buffer  part int[blocks * 2]
//@ buffer  done unsigned[1] = 0
//@ buffer  out  int[2]
//@ launch  min_max<<<blocks, 256>>>(x, part, done, out, n)
#include <climits>

__device__ void block_min_max(int &lo, int &hi)
{
    __shared__ int slo[8], shi[8];
    for (int d = 16; d > 0; d /= 2) {
        lo = min(lo, __shfl_xor_sync(0xffffffff, lo, d));
        hi = max(hi, __shfl_xor_sync(0xffffffff, hi, d));
    }
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    if (lane == 0) {
        slo[warp] = lo;
        shi[warp] = hi;
    }
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        lo = min(lo, slo[k]);
        hi = max(hi, shi[k]);
    }
}

__global__ void min_max(const int *x, int *part, unsigned *done,
                        int *out, int n)
{
    __shared__ bool last;
    int lo = INT_MAX, hi = INT_MIN;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        int v = x[i];
        lo = min(lo, v);
        hi = max(hi, v);
    }
    block_min_max(lo, hi);

    if (threadIdx.x == 0) {
        part[blockIdx.x * 2] = lo;
        part[blockIdx.x * 2 + 1] = hi;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;

    __threadfence();
    const volatile int *all = part;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        lo = min(lo, all[b * 2]);
        hi = max(hi, all[b * 2 + 1]);
    }
    block_min_max(lo, hi);
    if (threadIdx.x == 0) {
        out[0] = lo;
        out[1] = hi;
    }
}
