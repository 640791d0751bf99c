//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_round_modes<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_round_modes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = __uint_as_float(0x3e800000u + (unsigned)idx[t] * 7919u), y = f[t + 1] * 0.37f + 0.01f;
    double p = (double)x * 1.0000001, q = d[t] / 3.0 + 1e-3;
    float r = __fadd_ru(x, y) - __fadd_rd(x, y);
    r += __fmul_rz(x, y) * 3.0f + __fsub_ru(x, y);
    f[3000 + t] = __fdiv_rd(x, y) + r;
    f[3200 + t] = __fsqrt_ru(y) - __fsqrt_rz(x);
    f[3400 + t] = __fmaf_rd(x, y, -x) + __frcp_ru(y) + __fdiv_rz(y, x);
    d[3000 + t] = __dadd_ru(p, q) + __dmul_rd(p, q);
    d[3200 + t] = __ddiv_ru(p, q) - __dsqrt_rd(q);
    d[3400 + t] = __fma_rz(p, q, -1.0) + __drcp_rn(q) + __dsub_rz(q, p);
    b[t] = __float_as_int(__double2float_ru(p)) ^ __float_as_int(__double2float_rz(q));
    b[200 + t] = __float_as_int(__int2float_rd(idx[t] * 70001)) + __float_as_int(__uint2float_ru(0xfffffff1u - t));
    d[3600 + t] = __ll2double_rd((long long)idx[t] * 0x7fffffffffffll) + __ull2double_rz(~0ull - t);
}
