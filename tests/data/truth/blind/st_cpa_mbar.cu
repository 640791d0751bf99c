//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_cpa_mbar<<<2, 160>>>(a, b, f, d)
// cp.async.mbarrier.arrive with and without .noinc. Warp 4 copies, warps 0-3 wait on the barriers.
__device__ __forceinline__ void wait_par(unsigned bar, unsigned parity)
{
    asm volatile("{\n .reg .pred P;\nLAB_WAIT%=:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n"
                 " @P bra DONE%=;\n bra LAB_WAIT%=;\nDONE%=:\n}" ::"r"(bar), "r"(parity) : "memory");
}
extern "C" __global__ void st_cpa_mbar(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    __shared__ __align__(16) int buf[2][256];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    unsigned F = (unsigned)__cvta_generic_to_shared(full), E = (unsigned)__cvta_generic_to_shared(empty);
    if (t == 0) {
        // slot 0: 32 noinc arrivals; slot 1: 32 ordinary arrivals (cp.async arrive adds and removes one)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(F) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(F + 8) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(E) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(E + 8) : "memory");
    }
    __syncthreads();
    const int ROUNDS = 12;
    if (w == 4) {
        for (int r = 0; r < ROUNDS; r++) {
            int s = r & 1, use = r >> 1;
            if (use) wait_par(E + s * 8, (use - 1) & 1);
            for (int h = 0; h < 2; h++) {
                unsigned dst = (unsigned)__cvta_generic_to_shared(&buf[s][h * 128 + lane * 4]);
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(a + (blockIdx.x * ROUNDS + r) * 256 + h * 128 + lane * 4) : "memory");
            }
            if (s == 0)
                asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(F) : "memory");
            else {
                asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(F + 8) : "memory");
                asm volatile("{ .reg .b64 st; mbarrier.arrive.shared::cta.b64 st, [%0]; }" ::"r"(F + 8) : "memory");
            }
        }
    } else {
        unsigned h = 0;
        for (int r = 0; r < ROUNDS; r++) {
            int s = r & 1, use = r >> 1;
            wait_par(F + s * 8, use & 1);
            h = h * 17u + (unsigned)buf[s][t] + ((unsigned)buf[s][255 - t] << 1);
            asm volatile("{ .reg .b64 st; mbarrier.arrive.shared::cta.b64 st, [%0]; }" ::"r"(E + s * 8) : "memory");
        }
        b[blockIdx.x * 128 + t] = (int)h;
    }
}
