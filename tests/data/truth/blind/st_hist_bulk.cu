//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_hist_bulk<<<4, 512>>>(a, b, f, d)
// Histogram of bytes: the input comes by bulk copies (four barriers of 4096 bytes), counts in
// shared memory by atomics, the 256 counters go out by one bulk reduction.
extern "C" __global__ void st_hist_bulk(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) unsigned data[4][1024];
    __shared__ __align__(128) unsigned hist[256];
    __shared__ __align__(8) unsigned long long bar[4];
    const int t = threadIdx.x;
    if (t < 256) hist[t] = 0;
    unsigned m = (unsigned)__cvta_generic_to_shared(bar);
    if (t == 0) {
        for (int i = 0; i < 4; i++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(m + i * 8) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t < 4) {                                           // one lane a piece
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(m + t * 8) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];"
                     ::"r"((unsigned)__cvta_generic_to_shared(data[t])), "l"(a + (blockIdx.x * 4 + t) * 1024), "r"(m + t * 8) : "memory");
    }
    __syncwarp();
    for (int p = 0; p < 4; p++) {
        unsigned ok;
        do
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(m + p * 8) : "memory");
        while (!ok);
        for (int i = t; i < 1024; i += 512) {
            unsigned v = data[p][i];
            atomicAdd(&hist[v & 255], 1u);
            atomicAdd(&hist[(v >> 8) & 63], 1u);
            atomicAdd(&hist[(v >> 16) & 15], 1u);
            atomicAdd(&hist[v >> 24], 1u);
        }
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 1024;" ::"l"(b), "r"((unsigned)__cvta_generic_to_shared(hist)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
