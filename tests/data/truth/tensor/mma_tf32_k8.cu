//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch mma_tf32_k8<<<2, 64>>>(a, b, f, d)
// Two small integers as halves.
__device__ static unsigned two(int x) { unsigned r; asm("{.reg .f16 l, h; cvt.rn.f16.s32 l, %1; cvt.rn.f16.s32 h, %2; mov.b32 %0, {l, h};}" : "=r"(r) : "r"((x & 15) - 8), "r"((x >> 4 & 15) - 8)); return r; }
extern "C" __global__ void mma_tf32_k8(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    unsigned x[4], y[2];
    for (int i = 0; i < 4; i++)
        x[i] = two(a[t * 8 + i]);
    for (int i = 0; i < 2; i++)
        y[i] = two(a[t * 8 + 4 + i]);
    float c[4] = { 0, 0, 0, 0 };
    for (int k = 0; k < 3; k++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        f[(blockIdx.x * 64 + t) * 4 + i] = c[i];
}
