//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch bulk_store_4096<<<2, 64>>>(a, b, f, d)
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void bulk_store_4096(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ __align__(128) int s[1024];
    for (int i = t; i < 1024; i += 64)
        s[i] = a[blockIdx.x * 1024 + i] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(b + blockIdx.x * 1024), "r"(at(s)), "r"(4096) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
