// All blocks come to the barrier of the grid.
//@ buffer x   int[256] = i
//@ buffer tmp int[256] = 0
//@ buffer out int[256] = 0
//@ launch reverse<<<4, 64>>>(x, tmp, out) cooperative
__device__ static void meet()
{
    unsigned long long workspace;
    unsigned before, now, blocks = gridDim.x, more = blockIdx.x ? 1 : 0x80000000u - (blocks - 1);
    asm volatile("{ .reg .b32 l, h; mov.u32 h, %%envreg1; mov.u32 l, %%envreg2; mov.b64 %0, {l, h}; }"
                 : "=l"(workspace));
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(workspace + 4), "r"(more) : "memory");
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(workspace + 4) : "memory");
        while (!((before ^ now) & 0x80000000u));
    }
    __syncthreads();
}
extern "C" __global__ void reverse(const int *x, int *tmp, int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    tmp[i] = x[i];
    meet();
    out[i] = tmp[i] + 1;
}
