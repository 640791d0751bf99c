// Counts votes for 64 parties in 32 regions: atomics in L2, the regions
// of neighbouring threads differ.
//@ param   n = 2097152
//@ buffer  vote   unsigned char[n] = hash(i) & 63
//@ buffer  counts unsigned[2048] = 0
//@ launch  count<<<n / 256, 256>>>(vote, counts, n)
extern "C" __global__ void count(const unsigned char *vote,
                                 unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[(i % 32) * 64 + vote[i]], 1);
}
