//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_f16<<<4, 64>>>(a, b, f, d)
// mma.sync f16: m16n8k8 and m16n8k16, f16 and f32 accumulators, single and chained.
extern "C" __global__ void st_mma_f16(int *a, int *b, float *f, double *d)
{
    const int lane = threadIdx.x & 31;
    const int w = blockIdx.x * 2 + (threadIdx.x >> 5);
    const int *pa = a + w * 1024 + lane;
    unsigned A[4], B[2];
    for (int i = 0; i < 4; i++) A[i] = (pa[i * 32] & 0x8fff8fff) | 0x30003000;   // +-[0.125, 2)
    for (int i = 0; i < 2; i++) B[i] = (pa[128 + i * 32] & 0x8fff8fff) | 0x30003000;
    int *ob = b + w * 512 + lane;
    float *of = f + w * 1024 + lane;

    // D = A*B + C in f16, k8
    unsigned C0 = (pa[192] & 0x87ff87ff) | 0x38003800, C1 = (pa[224] & 0x87ff87ff) | 0x38003800, D0, D1;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
                 : "=r"(D0), "=r"(D1) : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(C0), "r"(C1));
    ob[0] = D0; ob[32] = D1;
    // f16, k16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                 : "=r"(D0), "=r"(D1) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C0), "r"(C1));
    ob[64] = D0; ob[96] = D1;
    // f16 chain of ten
    for (int it = 0; it < 10; it++) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : "+r"(D0), "+r"(D1) : "r"(A[it & 3]), "r"(A[(it + 1) & 3]), "r"(A[(it + 2) & 3]), "r"(A[(it + 3) & 3]), "r"(B[0]), "r"(B[1]));
    }
    ob[128] = D0; ob[160] = D1;
    // f32, k8
    float c[4] = {0.5f, -0.25f, 1.0f / 3.0f, 1e-3f}, e[4];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=f"(e[0]), "=f"(e[1]), "=f"(e[2]), "=f"(e[3])
                 : "r"(A[0]), "r"(A[1]), "r"(B[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
    for (int i = 0; i < 4; i++) of[i * 32] = e[i];
    // f32, k16, chained over sixteen different fragments
    for (int it = 0; it < 16; it++) {
        const int *q = pa + 256 + (it & 7) * 96;
        unsigned x = (q[0] & 0x8fff8fff) | 0x30003000, y = (q[32] & 0x8fff8fff) | 0x30003000, z = (q[64] & 0x8fff8fff) | 0x30003000;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3])
                     : "r"(x), "r"(y), "r"(A[2]), "r"(A[3]), "r"(z), "r"(B[it & 1]));
    }
    for (int i = 0; i < 4; i++) of[(4 + i) * 32] = e[i];
}
