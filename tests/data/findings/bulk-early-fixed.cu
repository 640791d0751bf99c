// All threads wait for the phase that the copy completes.
//@ buffer in  int[64] = i
//@ buffer out int[64]
//@ launch copy<<<1, 64>>>(in, out)
__device__ static unsigned at(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void copy(const int *in, int *out)
{
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at(&bar)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(s)), "l"(in), "r"(at(&bar)) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(at(&bar)) : "memory");
    out[t] = s[t];
}
