//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_f64<<<4, 64>>>(a, b, f, d)
// f64 tensor cores: m8n8k4 (sm_80) and m16n8k4, k8, k16 (sm_90).
extern "C" __global__ void st_mma_f64(int *a, int *b, float *f, double *d)
{
    const int lane = threadIdx.x & 31, w = blockIdx.x * 2 + threadIdx.x / 32;
    double A[8], B[4], c[4];
    for (int i = 0; i < 8; i++) A[i] = __int2double_rn(a[(w * 16 + i) * 32 + lane] >> 12) * 0.001;
    for (int i = 0; i < 4; i++) B[i] = __int2double_rn(a[(w * 16 + 8 + i) * 32 + lane] >> 16) * 0.125;
    double *o = d + w * 512 + lane;                    // 8 warps * 512 = 4096 doubles
    c[0] = o[0]; c[1] = o[32];                         // initial values of d
    for (int k = 0; k < 6; k++)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(c[0]), "+d"(c[1]) : "d"(A[k]), "d"(B[k & 3]));
    o[0] = c[0]; o[32] = c[1];
    for (int i = 0; i < 4; i++) c[i] = 1.0 / (lane + i + 1);
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(A[0]), "d"(A[1]), "d"(B[0]));
    for (int i = 0; i < 4; i++) o[64 + i * 32] = c[i];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(A[0]), "d"(A[1]), "d"(A[2]), "d"(A[3]), "d"(B[0]), "d"(B[1]));
    for (int i = 0; i < 4; i++) o[192 + i * 32] = c[i];
    for (int k = 0; k < 3; k++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                     : "d"(A[0]), "d"(A[1]), "d"(A[2]), "d"(A[3]), "d"(A[4]), "d"(A[5]), "d"(A[6]), "d"(A[7]),
                       "d"(B[0]), "d"(B[1]), "d"(B[2]), "d"(B[3]));
    for (int i = 0; i < 4; i++) o[320 + i * 32] = c[i];
}
