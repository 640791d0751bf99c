//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_simd_absdiff<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_simd_absdiff(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    unsigned x = (unsigned)a[t] * 2654435761u, y = (unsigned)idx[t] * 1103515u; b[t] = __vabsdiffu4(x, y) + __vsadu4(x, y) * 3 + __vsadu2(x, y >> 1) * 5 + __vabsss4(x) + __vabsdiffs4(x, y);
}
