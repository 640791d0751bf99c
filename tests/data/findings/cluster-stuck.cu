// Half of each block waits at the barrier of the cluster, and the others for that half.
//@ buffer x   int[256] = i
//@ buffer out int[256] = 0
//@ launch rotate<<<4, 64>>>(x, out) cluster 4
__device__ static void meet()
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__device__ static int *of_next(int *at)
{
    unsigned long long there;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(at), "r"((rank + 1) & 3));
    return (int *)there;
}
extern "C" __global__ void rotate(const int *x, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    meet();
    if (t < 32)
        meet();
    __syncthreads();
    out[i] = s[63 - t];
}
