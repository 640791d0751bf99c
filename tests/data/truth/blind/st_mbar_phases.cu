//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mbar_phases<<<3, 128>>>(a, b, f, d)
// mbarrier as a block barrier through many phases: state tokens with test_wait, parity with
// try_wait (and a time limit), arrivals with counts, tx-counts by hand (expect_tx / complete_tx).
extern "C" __global__ void st_mbar_phases(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(8) unsigned long long bar[4];
    __shared__ int x[128], y[128];
    const int t = threadIdx.x;
    const unsigned m = (unsigned)__cvta_generic_to_shared(bar);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m), "r"(128) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m + 8), "r"(128 * 3) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m + 16), "r"(4) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m + 24), "r"(1) : "memory");
    }
    __syncthreads();
    x[t] = a[blockIdx.x * 128 + t];
    // ten phases with the state
    for (int p = 0; p < 10; p++) {
        unsigned long long st;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(st) : "r"(m) : "memory");
        unsigned ok;
        do {
            asm volatile("{ .reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                         : "=r"(ok) : "r"(m), "l"(st) : "memory");
        } while (!ok);
        int *from = p & 1 ? y : x, *to = p & 1 ? x : y;
        to[t] = from[(t + (1 << (p % 7))) & 127] * 3 + p;
    }
    // three arrivals a thread at a time, parity
    for (int p = 0; p < 5; p++) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], 3; }" ::"r"(m + 8) : "memory");
        unsigned ok = 0;
        while (!ok)
            asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], %2, %3; selp.u32 %0, 1, 0, q; }"
                         : "=r"(ok) : "r"(m + 8), "r"(p & 1), "r"(2000) : "memory");
        int *from = p & 1 ? y : x, *to = p & 1 ? x : y;
        to[t] = from[t ^ (p * 9 + 1)] ^ (p << 20);
    }
    // one arrival a warp; results are in y
    __syncwarp();
    if ((t & 31) == 0) asm volatile("{ .reg .b64 s; mbarrier.arrive.release.cta.shared::cta.b64 s, [%0]; }" ::"r"(m + 16) : "memory");
    unsigned ok = 0;
    while (!ok)
        asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(ok) : "r"(m + 16) : "memory");
    int v = y[127 - t];
    // tx-count moved by hand by a single thread, everybody waits
    if (t == 64) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 100; }" ::"r"(m + 24) : "memory");
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 28;" ::"r"(m + 24) : "memory");
        unsigned q0;
        asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }" : "=r"(q0) : "r"(m + 24) : "memory");
        b[8192 + blockIdx.x] = 10 + q0;                         // still pending: 10
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 120;" ::"r"(m + 24) : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 8;" ::"r"(m + 24) : "memory");
    }
    ok = 0;
    while (!ok)
        asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(ok) : "r"(m + 24) : "memory");
    b[blockIdx.x * 128 + t] = v;
    b[4096 + blockIdx.x * 128 + t] = x[t] - y[t];
}
