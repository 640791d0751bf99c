//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_simd_bytes<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_simd_bytes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    unsigned x = (unsigned)a[t] * 2654435761u, y = (unsigned)idx[t] * 1103515u; b[t] = __vadd4(x, y) + __vsub4(x, y) + __vaddss4(x, y) + __vaddus2(x, y) + __vmaxs4(x, y) + __vminu2(x, y) + __vcmpgts2(x, y) + __vavgu4(x, y) + __vseteq4(x, y & 0xf0f0f0f0u) + __vnegss2(y) + __vabs2(x) + __vhaddu4(x, y);
}
