//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch product_ldmatrix<<<2, 128>>>(a, b, f, d)
// Two small integers as halves.
__device__ static unsigned two(int x) { unsigned r; asm("{.reg .f16 l, h; cvt.rn.f16.s32 l, %1; cvt.rn.f16.s32 h, %2; mov.b32 %0, {l, h};}" : "=r"(r) : "r"((x & 15) - 8), "r"((x >> 4 & 15) - 8)); return r; }
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void x4(unsigned p, unsigned *r) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory"); }
__device__ static void t4(unsigned p, unsigned *r) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory"); }
__device__ static void mma(float *c, const unsigned *a, const unsigned *b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
extern "C" __global__ void product_ldmatrix(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    // 64 x 64 x 32 a block: four warps, each 16 rows; rows of 64 bytes with the quarters swizzled.
    __shared__ __align__(128) unsigned x[64 * 16], y[32 * 32];
    for (int i = t; i < 1024; i += 128) {
        int r = i / 16, q = i % 16;
        x[r * 16 + ((q / 4) ^ (r / 2 & 3)) * 4 + q % 4] = two(a[blockIdx.x * 1024 + i]);
        int s = i / 32, p = i % 32;
        y[s * 32 + ((p / 4) ^ (s & 7)) * 4 + p % 4] = two(a[4096 + i]);
    }
    __syncthreads();
    float c[8][4] = { { 0 } };
    int warp = t / 32;
    for (int k = 0; k < 2; k++) {
        unsigned fx[4], fy[4];
        int r = warp * 16 + lane % 16, q = k * 2 + lane / 16;
        x4(at(x + r * 16 + (q ^ (r / 2 & 3)) * 4), fx);
        for (int n = 0; n < 4; n++) {
            int s = k * 16 + lane % 16, p = n * 2 + lane / 16;
            t4(at(y + s * 32 + (p ^ (s & 7)) * 4), fy);
            mma(c[2 * n], fx, fy);
            mma(c[2 * n + 1], fx, fy + 2);
        }
    }
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 4; i++)
            f[blockIdx.x * 4096 + (warp * 16 + lane / 4 + i / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + i % 2] = c[n][i];
}
