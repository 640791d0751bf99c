// Few blocks of 1024 threads each sort 4096 keys of 16 bits in shared
// memory, one bit after the other.
//@ param   parts = 48
//@ buffer  key unsigned[parts * 4096] = hash(i) % 65536
//@ buffer  out unsigned[parts * 4096]
//@ launch  sort_part<<<parts, 1024>>>(key, out)
#define PER 4
#define COUNT (1024 * PER)

// Sum of what the threads before this one have, and of all
__device__ int sum_before(int mine, int *all)
{
    __shared__ int warps[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int upto = mine;
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(~0u, upto, d);
        if (lane >= d)
            upto += o;
    }
    if (lane == 31)
        warps[warp] = upto;
    __syncthreads();
    if (warp == 0) {
        int w = warps[lane];
        for (int d = 1; d < 32; d <<= 1) {
            int o = __shfl_up_sync(~0u, w, d);
            if (lane >= d)
                w += o;
        }
        warps[lane] = w;
    }
    __syncthreads();
    *all = warps[31];
    return upto - mine + (warp > 0 ? warps[warp - 1] : 0);
}

__global__ void sort_part(const unsigned *key, unsigned *out)
{
    __shared__ unsigned keys[COUNT];
    int base = blockIdx.x * COUNT;

    for (int k = threadIdx.x; k < COUNT; k += 1024)
        keys[k] = key[base + k];
    __syncthreads();

    for (int bit = 0; bit < 16; bit++) {
        unsigned mine[PER];
        int zeros = 0;
        for (int k = 0; k < PER; k++) {
            mine[k] = keys[threadIdx.x * PER + k];
            zeros += !(mine[k] >> bit & 1);
        }
        int total;
        int before = sum_before(zeros, &total);
        int ones = total + threadIdx.x * PER - before;
        for (int k = 0; k < PER; k++)
            if (mine[k] >> bit & 1)
                keys[ones++] = mine[k];
            else
                keys[before++] = mine[k];
        __syncthreads();
    }

    for (int k = threadIdx.x; k < COUNT; k += 1024)
        out[base + k] = keys[k];
}
