//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch mma_f64_m16n8k16<<<1, 64>>>(a, b, f, d)
extern "C" __global__ void mma_f64_m16n8k16(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    double x[8], y[4], c[4] = { 0, 0, 0, 0 };
    for (int i = 0; i < 8; i++)
        x[i] = d[t * 12 + i];
    for (int i = 0; i < 4; i++)
        y[i] = d[t * 12 + 8 + i];
    for (int k = 0; k < 3; k++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));
    __syncthreads();
    for (int i = 0; i < 4; i++)
        d[4096 + t * 4 + i] = c[i];
}
