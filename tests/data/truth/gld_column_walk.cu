//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch gld_column_walk<<<3, dim3(4,32)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void gld_column_walk(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int x = blockIdx.x * 4 + threadIdx.x, y = threadIdx.y; b[x * 32 + y] = a[y * 100 + x + 3];
}
