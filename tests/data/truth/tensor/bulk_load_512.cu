//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch bulk_load_512<<<2, 64>>>(a, b, f, d)
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void init(unsigned bar, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(n) : "memory"); }
__device__ static void expect(unsigned bar, int n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(n) : "memory"); }
__device__ static void wait(unsigned bar, int parity)
{
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra D; bra L; D: }" :: "r"(bar), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_load_512(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ __align__(128) int s[2048];
    __shared__ unsigned long long bar;
    if (t == 0) {
        init(at(&bar), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        expect(at(&bar), 512);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(at(s)), "l"(a + blockIdx.x * 2048), "r"(512), "r"(at(&bar)) : "memory");
    }
    wait(at(&bar), 0);
    for (int i = t; i < 512 / 4; i += 64)
        b[blockIdx.x * 2048 + i] = s[i] + 1;
}
