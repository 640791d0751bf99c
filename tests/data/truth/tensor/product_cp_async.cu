//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch product_cp_async<<<1, 128>>>(a, b, f, d)
// Two small integers as halves.
__device__ static unsigned two(int x) { unsigned r; asm("{.reg .f16 l, h; cvt.rn.f16.s32 l, %1; cvt.rn.f16.s32 h, %2; mov.b32 %0, {l, h};}" : "=r"(r) : "r"((x & 15) - 8), "r"((x >> 4 & 15) - 8)); return r; }
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void cp16(unsigned to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory"); }
__device__ static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ static void wait_one() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }
__device__ static void x4(unsigned p, unsigned *r) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory"); }
__device__ static void t4(unsigned p, unsigned *r) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory"); }
__device__ static void mma(float *c, const unsigned *a, const unsigned *b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
extern "C" __global__ void product_cp_async(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    // 64 x 64 x 128 in two stages: halves are made in b first.
    __shared__ __align__(128) unsigned x[2][64 * 16], y[2][32 * 32];
    unsigned *gx = (unsigned *)b, *gy = gx + 4096;
    for (int i = t; i < 4096; i += 128)
        gx[i] = two(a[i]), gy[i] = two(a[4096 + i]);
    __threadfence(); __syncthreads();
    float c[8][4] = { { 0 } };
    int warp = t / 32;
    for (int k = 0; k <= 4; k++) {
        if (k < 4)
            for (int i = t; i < 256; i += 128) {
                int r = i / 4, q = i % 4, s = i / 8, p = i % 8;
                cp16(at(&x[k & 1][r * 16 + (q ^ (r / 2 & 3)) * 4]), gx + r * 64 + k * 16 + q * 4);
                cp16(at(&y[k & 1][s * 32 + (p ^ (s & 7)) * 4]), gy + (k * 32 + s) * 32 + p * 4);
            }
        commit();
        if (k == 0)
            continue;
        wait_one();
        __syncthreads();
        for (int h = 0; h < 2; h++) {
            unsigned fx[4], fy[4];
            int r = warp * 16 + lane % 16, q = h * 2 + lane / 16;
            x4(at(&x[(k - 1) & 1][r * 16 + (q ^ (r / 2 & 3)) * 4]), fx);
            for (int n = 0; n < 4; n++) {
                int s = h * 16 + lane % 16, p = n * 2 + lane / 16;
                t4(at(&y[(k - 1) & 1][s * 32 + (p ^ (s & 7)) * 4]), fy);
                mma(c[2 * n], fx, fy);
                mma(c[2 * n + 1], fx, fy + 2);
            }
        }
        __syncthreads();
    }
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 4; i++)
            f[(warp * 16 + lane / 4 + i / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + i % 2] = c[n][i];
}
