//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mbar_drop<<<2, 96>>>(a, b, f, d)
// arrive.noComplete with pending_count, arrive_drop, invalidation and re-initialisation.
__device__ __forceinline__ unsigned sp(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned test(unsigned m, unsigned par)
{
    unsigned r;
    asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(r) : "r"(m), "r"(par) : "memory");
    return r;
}
extern "C" __global__ void st_mbar_drop(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(8) unsigned long long one, all;
    __shared__ int v[96];
    const int t = threadIdx.x;
    // 1. a single thread plays with a barrier of its own
    if (t == 0) {
        unsigned m = sp(&one);
        int *o = b + blockIdx.x * 32;
        asm volatile("mbarrier.init.shared.b64 [%0], 10;" ::"r"(m) : "memory");
        unsigned long long s1, s2, s3; unsigned c1, c2, c3;
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 4;" : "=l"(s1) : "r"(m) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c1) : "l"(s1));
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 5;" : "=l"(s2) : "r"(m) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c2) : "l"(s2));
        o[0] = c1; o[1] = c2; o[2] = test(m, 0);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s3) : "r"(m) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c3) : "l"(s3));
        o[3] = c3; o[4] = test(m, 0); o[5] = test(m, 1);
        // now expected count 10; drop three, then seven arrivals complete a phase
        asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 3;" : "=l"(s1) : "r"(m) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 7;" : "=l"(s2) : "r"(m) : "memory");
        o[6] = test(m, 1); o[7] = test(m, 0);
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 6;" : "=l"(s1) : "r"(m) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c1) : "l"(s1));   // 7
        o[8] = c1; o[9] = test(m, 0);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s1) : "r"(m) : "memory");
        o[10] = test(m, 0);
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(m) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(m) : "memory");
        o[11] = test(m, 0); o[12] = test(m, 1);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s2) : "r"(m) : "memory");
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s1) : "r"(m) : "memory");
        o[13] = test(m, 0);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s1) : "r"(m) : "memory");
        o[14] = test(m, 1);                                  // a single arrival was enough
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(m) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 96;" ::"r"(sp(&all)) : "memory");
    }
    v[t] = a[blockIdx.x * 96 + t];
    __syncthreads();
    // 2. whole warps leave one after another; those left go on with a smaller count
    unsigned m = sp(&all), h = 0;
    for (int r = 0; r < 6; r++) {
        if (r < 2 && (t >> 5) == r) {
            asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0]; }" ::"r"(m) : "memory");
            break;
        }
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(m) : "memory");
        while (!test(m, r & 1)) { }
        h = h * 101u + (unsigned)v[(t * 5 + r) % 96];
    }
    b[1024 + blockIdx.x * 96 + t] = (int)h;
}
