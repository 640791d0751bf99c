//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch mbarrier_phases<<<1, 128>>>(a, b, f, d)
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void init(unsigned bar, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(n) : "memory"); }
__device__ static void expect(unsigned bar, int n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(n) : "memory"); }
__device__ static void wait(unsigned bar, int parity)
{
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra D; bra L; D: }" :: "r"(bar), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_phases(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ int s[128];
    __shared__ unsigned long long bar;
    if (t == 0)
        init(at(&bar), 128);
    __syncthreads();
    int x = a[t];
    for (int k = 0; k < 4; k++) {
        s[t] = x;
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" :: "r"(at(&bar)) : "memory");
        wait(at(&bar), k & 1);
        x += s[(t + 33) & 127];
        __syncthreads();
    }
    b[t] = x;
}
