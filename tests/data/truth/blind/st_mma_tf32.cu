//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_tf32<<<4, 32>>>(a, b, f, d)
// tf32: m16n8k4 and m16n8k8, operands rounded by cvt.rna.tf32 and also left unrounded
// (exact inputs), with a 16 x 8 x 64 chain.
static __device__ unsigned tf(float x)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}
extern "C" __global__ void st_mma_tf32(int *a, int *b, float *f, double *d)
{
    int lane = threadIdx.x, g = blockIdx.x;
    float c[4] = {0, 0, 0, 0};
    int *pa = a + g * 4096;
    for (int k = 0; k < 8; k++) {
        unsigned A[4], B[2];
        for (int i = 0; i < 4; i++) A[i] = tf(__int2float_rn((pa[(k * 4 + i) * 32 + lane] & 0xffff) - 32768) / 1000.0f);
        for (int i = 0; i < 2; i++) B[i] = tf(__int2float_rn((pa[2048 + (k * 2 + i) * 32 + lane] & 1023) - 511) / 77.0f);
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));
    }
    for (int i = 0; i < 4; i++) f[(g * 4 + i) * 32 + lane] = c[i];
    // k4 with exact integer inputs
    unsigned x = __float_as_uint((float)((pa[lane] & 255) - 128));
    unsigned y = __float_as_uint((float)((pa[64 + lane] & 255) - 128));
    unsigned z = __float_as_uint((float)((pa[96 + lane] & 63) - 31));
    float e0 = lane, e1 = -lane, e2 = 0.5f, e3 = 0.f;
    for (int r = 0; r < 5; r++)
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                     : "+f"(e0), "+f"(e1), "+f"(e2), "+f"(e3) : "r"(x), "r"(y), "r"(z));
    float *o = f + 4096 + (g * 32 + lane) * 4;
    o[0] = e0; o[1] = e1; o[2] = e2; o[3] = e3;
}
