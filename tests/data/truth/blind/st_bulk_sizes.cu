//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_bulk_sizes<<<2, 64>>>(a, b, f, d)
// cp.async.bulk global -> shared in sizes from 16 to 16384 bytes, one barrier, phase after phase,
// at source offsets of 16 bytes; an L2 prefetch of the next piece.
extern "C" __global__ void st_bulk_sizes(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) int buf[4096];
    __shared__ __align__(8) unsigned long long bar;
    const int t = threadIdx.x;
    const unsigned m = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(buf);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(m) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const int sizes[16] = {16, 32, 48, 64, 112, 128, 256, 496, 512, 1024, 2032, 2048, 4096, 8192, 12304, 16384};
    unsigned phase = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        int n = sizes[k];
        const char *src = reinterpret_cast<const char *>(a) + blockIdx.x * 131072 + k * 4096 + (k & 3) * 16;
        if (t == 0) {
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(src)), "r"(n) : "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(m), "r"(n) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                         ::"r"(s), "l"(__cvta_generic_to_global(src)), "r"(n), "r"(m) : "memory");
        }
        unsigned ok = 0;
        while (!ok)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(ok) : "r"(m), "r"(phase) : "memory");
        phase ^= 1;
        unsigned h = 0;
        for (int i = t; i < n / 4; i += 64) h = (h << 5 | h >> 27) + (unsigned)buf[i];
        b[(blockIdx.x * 16 + k) * 64 + t] = (int)h;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
}
