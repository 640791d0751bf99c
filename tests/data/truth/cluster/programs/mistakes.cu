// Mistakes with asynchronous stores and bulk copies between blocks, and what a GPU makes of them: ../README.md. The first operand
// is the mistake, the second how many blocks.
#include <cstdio>
#include <cstdlib>
#include <vector>
__device__ unsigned at(void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void meet()
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__device__ unsigned map(unsigned x, unsigned r)
{
    unsigned y;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(r));
    return y;
}
__global__ void __cluster_dims__(2) probe(int mode, int *out, const int *in)
{
    __shared__ __align__(128) int s[256];
    __shared__ __align__(8) unsigned long long bar;
    int t = threadIdx.x;
    unsigned rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (int i = t; i < 256; i += 64)
        s[i] = -7;
    if (t == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at(&bar))
            : "memory");
        if (mode == 3 || mode >= 14 || (mode == 9 && rank)) {
            if (mode == 9)
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&bar)) : "memory");
        } else
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&bar)),
                         "r"(mode == 13 ? 512 : 256)
                         : "memory");
    }
    int mine = blockIdx.x * 64 + t;
    bool bulk = (mode >= 6 && mode <= 8) || mode == 15, red = mode == 5;
    __syncthreads();
    if (bulk)
        s[t] = mine;
    if (red)
        s[t] = 5;
    if (bulk && mode != 7)
        asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (mode != 2)
        meet();
    unsigned other = rank ^ 1, there = map(at(s) + 4 * t, other), its = map(at(&bar), other);
    if (mode == 4)
        its = at(&bar);
    if (red)
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], 2, [%1];" ::
                "r"(map(at(s), other)),
            "r"(its)
            : "memory");
    else if (bulk) {
        if (t == 0)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], "
                         "256, [%2];" ::"r"(map(at(s) + 512, other)),
                         "r"(at(s)), "r"(its)
                         : "memory");
    } else if (mode == 9) {
        if (t == 0 && rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                         "cluster [%0], [%1], 256, [%2], %3;" ::"r"(at(s)),
                         "l"(in), "r"(at(&bar)), "h"((unsigned short)3)
                         : "memory");
    } else if (mode == 11)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(mine) : "memory");
    else
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there),
                     "r"(mine), "r"(its)
                     : "memory");
    if (mode == 10) {
        if (rank == 0)
            return;
    }
    if (mode >= 14)
        for (int k = 0; k < 40; k++)
            __nanosleep(1000);
    if ((mode == 3 || mode >= 14) && t == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&bar)) : "memory");
    bool waits = mode != 1 && mode != 4 && mode != 5 && mode != 8 && mode != 11;
    int tries = 0;
    for (; waits && !done && tries < 200000; tries++)
        asm volatile(
            "{ .reg .pred q;\nmbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2;\nselp.u32 %0, 1, 0, q; }"
            : "=r"(done)
            : "r"(at(&bar)), "r"(mode == 12 ? 1 : 0)
            : "memory");
    out[mine] = waits && !done ? -1 : s[red ? 0 : bulk ? 128 + t : t];
    if (mode != 10)
        meet();
}
int main(int argc, char **argv)
{
    static const char *const what[] = { "st.async, right",
                                        "st.async, nobody waits",
                                        "st.async before the other block is known to run",
                                        "st.async, no expect_tx",
                                        "st.async, barrier of the own block",
                                        "red.async, nobody waits",
                                        "bulk, right",
                                        "bulk, no fence.proxy.async",
                                        "bulk, nobody waits",
                                        "multicast, one block expects",
                                        "a block ends while bytes come",
                                        "plain store, nobody waits",
                                        "wait for the other parity",
                                        "expects too many bytes",
                                        "st.async, no expect_tx, arrives late",
                                        "bulk, no expect_tx, arrives late" };
    int mode = atoi(argv[1]), blocks = argc > 2 ? atoi(argv[2]) : 2;
    int *out, *in;
    std::vector<int> got(blocks * 64), from(64);
    for (int i = 0; i < 64; i++)
        from[i] = 1000 + i;
    cudaMalloc(&out, blocks * 256);
    cudaMalloc(&in, 256);
    cudaMemset(out, 0x33, blocks * 256);
    cudaMemcpy(in, from.data(), 256, cudaMemcpyHostToDevice);
    probe<<<blocks, 64>>>(mode, out, in);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(got.data(), out, blocks * 256, cudaMemcpyDeviceToHost);
    int right = 0, stale = 0, never = 0, unwritten = 0, other = 0;
    for (int i = 0; i < blocks * 64; i++) {
        int want = mode == 5 ? 133 : mode == 9 ? 1000 + i % 64 : i ^ 64;
        if (got[i] == want)
            right++;
        else if (got[i] == -7 || (mode == 5 && got[i] < 133 && got[i] > 0))
            stale++;
        else if (got[i] == -1)
            never++;
        else if (got[i] == 0x33333333)
            unwritten++;
        else
            other++;
    }
    printf("%2d %-48s %5d blocks: %s; right %d, old value %d, never complete %d, not written %d, other %d\n",
           mode, what[mode], blocks, cudaGetErrorString(e), right, stale, never, unwritten, other);
}
