//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_bulk_pipe<<<4, 128>>>(a, b, f, d)
// global -> shared -> (arithmetic) -> shared -> global by bulk copies: three input barriers, each
// fed by pieces of different sizes, two output slots freed by wait_group.read.
#define CH 2048                      /* bytes a chunk */
#define NCH 12
__device__ __forceinline__ unsigned sp(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void st_bulk_pipe(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) int in[3][CH / 4];
    __shared__ __align__(128) int out[2][CH / 4];
    __shared__ __align__(8) unsigned long long full[3];
    const int t = threadIdx.x;
    const char *src = reinterpret_cast<const char *>(a) + blockIdx.x * (CH * NCH);
    char *dst = reinterpret_cast<char *>(b) + blockIdx.x * (CH * NCH);
    auto load = [&](int c) {
        int s = c % 3;
        unsigned m = sp(&full[s]), to = sp(in[s]);
        const char *from = src + c * CH;
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(m), "r"(CH) : "memory");
        // pieces: 1024, 512, 256, 256 bytes; the last in descending order
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(to), "l"(from), "r"(m) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to + 1792), "l"(from + 1792), "r"(m) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to + 1536), "l"(from + 1536), "r"(m) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(to + 1024), "l"(from + 1024), "r"(m) : "memory");
    };
    if (t == 0) {
        for (int i = 0; i < 3; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sp(&full[i])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        load(0); load(1); load(2);
    }
    __syncthreads();
    for (int c = 0; c < NCH; c++) {
        int s = c % 3, o = c & 1;
        unsigned ok;
        do {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(ok) : "r"(sp(&full[s])), "r"((c / 3) & 1) : "memory");
        } while (!ok);
        if (t == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");     // slot o is free
        __syncthreads();
        for (int i = t; i < CH / 4; i += 128) {
            int l = i ? in[s][i - 1] : c;
            out[o][(i & ~31) | (31 - (i & 31))] = in[s][i] ^ (l >> 3);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst + c * CH), "r"(sp(out[o])), "r"(CH / 2) : "memory");
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst + c * CH + CH / 2), "r"(sp(out[o]) + CH / 2), "r"(CH / 2) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (c + 3 < NCH) load(c + 3);
        }
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
