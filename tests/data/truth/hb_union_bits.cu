//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_union_bits<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
union hb_union_bits_u { double d; unsigned long long q; float f[2]; unsigned short h[4]; unsigned char b[8]; };
extern "C" __global__ void hb_union_bits(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    hb_union_bits_u x, y;
    x.d = d[t] * 1.7 + 0.1;
    x.h[1] ^= (unsigned short)idx[t];
    x.b[t & 7] += 3;
    y.f[0] = f[t * 2];
    y.f[1] = -f[t + 9];
    y.q = y.q << 8 | x.b[7];
    unsigned k = __float_as_uint(f[t]) >> 3;
    float g = *reinterpret_cast<float *>(&k);
    short2 s = *(const short2 *)(a + t);
    uchar4 e = ((const uchar4 *)c)[t];
    ((unsigned long long *)d)[9000 + t] = x.q ^ y.q;
    f[9000 + t] = g;
    b[t] = s.x - s.y * 7 + e.x * e.w - (e.y ^ e.z) + y.h[2];
}
