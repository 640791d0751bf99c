//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_gemm_bulk<<<4, 160>>>(a, b, f, d)
// GEMM 128 x 128 x 256 in bf16, warp-specialised: warp 4 feeds two stages row by row with bulk copies
// to rows padded to 144 bytes; warps 0-3 multiply; B is k-major and read by ldmatrix.trans.
#define PITCH 144
__device__ __forceinline__ unsigned sp(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned fin(unsigned x) { return (x & 0x807f807fu) | 0x3f803f80u; }
__device__ __forceinline__ void waitp(unsigned m, unsigned par)
{
    unsigned ok;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(m), "r"(par) : "memory");
    } while (!ok);
}
extern "C" __global__ void st_gemm_bulk(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) unsigned char sA[2][64 * PITCH], sB[2][64 * PITCH];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    const int m0 = (blockIdx.x >> 1) * 64, n0 = (blockIdx.x & 1) * 64;
    if (t == 0) {
        for (int i = 0; i < 2; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sp(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(sp(&empty[i])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (w == 4) {
        const char *A = reinterpret_cast<const char *>(a) + m0 * 512;                       // [128][256]
        const char *B = reinterpret_cast<const char *>(a + 16384) + n0 * 2;                 // [256][128]
        for (int kt = 0; kt < 4; kt++) {
            int s = kt & 1;
            if (kt >= 2) {
                waitp(sp(&empty[s]), ((kt >> 1) - 1) & 1);
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            }
            if (lane == 0)
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sp(&full[s])), "r"(2 * 64 * 128) : "memory");
            __syncwarp();
            for (int r = lane; r < 64; r += 32) {
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                             ::"r"(sp(sA[s] + r * PITCH)), "l"(A + r * 512 + kt * 128), "r"(sp(&full[s])) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                             ::"r"(sp(sB[s] + r * PITCH)), "l"(B + (kt * 64 + r) * 256), "r"(sp(&full[s])) : "memory");
            }
        }
        return;
    }
    float acc[8][4] = {};
    for (int kt = 0; kt < 4; kt++) {
        int s = kt & 1;
        waitp(sp(&full[s]), (kt >> 1) & 1);
#pragma unroll
        for (int ks = 0; ks < 4; ks++) {
            unsigned x0, x1, x2, x3;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3)
                         : "r"(sp(sA[s]) + (w * 16 + (lane & 15)) * PITCH + ks * 32 + (lane >> 4) * 16) : "memory");
            x0 = fin(x0); x1 = fin(x1); x2 = fin(x2); x3 = fin(x3);
#pragma unroll
            for (int n = 0; n < 8; n += 2) {
                unsigned y0, y1, y2, y3;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(y0), "=r"(y1), "=r"(y2), "=r"(y3)
                             : "r"(sp(sB[s]) + (ks * 16 + (lane & 15)) * PITCH + (n + (lane >> 4)) * 16) : "memory");
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                             : "+f"(acc[n][0]), "+f"(acc[n][1]), "+f"(acc[n][2]), "+f"(acc[n][3])
                             : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(fin(y0)), "r"(fin(y1)));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                             : "+f"(acc[n + 1][0]), "+f"(acc[n + 1][1]), "+f"(acc[n + 1][2]), "+f"(acc[n + 1][3])
                             : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(fin(y2)), "r"(fin(y3)));
            }
        }
        __syncwarp();
        if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sp(&empty[s])) : "memory");
    }
    for (int n = 0; n < 8; n++) {
        float *o = f + (m0 + w * 16 + (lane >> 2)) * 128 + n0 + n * 8 + (lane & 3) * 2;
        o[0] = acc[n][0]; o[1] = acc[n][1]; o[8 * 128] = acc[n][2]; o[8 * 128 + 1] = acc[n][3];
    }
}
