//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_movmat<<<4, 96>>>(a, b, f, d)
// movmatrix: a transposition kept in registers, alone, doubled, chained, and as operand of an mma with the identity.
static __device__ __forceinline__ unsigned movm(unsigned x)
{
    unsigned y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}
extern "C" __global__ void st_movmat(int *a, int *b, float *f, double *d)
{
    const int gt = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    unsigned x = a[gt];
    unsigned y = movm(x);
    b[gt] = y;
    b[384 + gt] = movm(y) ^ x;                         // zero
    unsigned acc = x;
    for (int i = 0; i < 12; i++) acc = movm(acc * 2654435761u + i);
    b[768 + gt] = acc;
    // symmetric part of an 8x8 integer-valued f16 matrix: M + M^T through an mma with identity
    unsigned lo = (x & 0x83ff83ff) | 0x3c003c00;
    unsigned tr = movm(lo);
    unsigned one = 0;
    if (lane / 4 == (lane % 4) * 2)     one = 0x00003c00;
    if (lane / 4 == (lane % 4) * 2 + 1) one = 0x3c000000;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(lo), "r"(tr), "r"(one));
    f[gt * 4 + 0] = c0 + c2; f[gt * 4 + 1] = c1 + c3; f[gt * 4 + 2] = c0 - c2; f[gt * 4 + 3] = c1 - c3;
}
