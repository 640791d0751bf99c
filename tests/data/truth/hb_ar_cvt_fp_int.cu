//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_cvt_fp_int<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__constant__ unsigned hb_ar_cvt_fp_int_tab[16] = { 0x7fc00000u, 0xffc00001u, 0x7f800000u, 0xff800000u, 0x4f000000u, 0xcf000000u, 0x4f800000u, 0x5f000000u,
                                    0xdf000001u, 0x5f800000u, 0xbf7fffffu, 0x3f000000u, 0xbfc00000u, 0x00000001u, 0x4effffffu, 0xc0200000u };
extern "C" __global__ void hb_ar_cvt_fp_int(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = __uint_as_float(hb_ar_cvt_fp_int_tab[t & 15]);
    if (t & 64)
        x = f[t] * 5.37f - 2000.0f;
    double y = (double)x * (1.0 + (t >> 4) * 0.001);
    int4 r = make_int4((int)x, (int)(unsigned)x, __double2int_rz(y), (int)__double2uint_rn(y));
    long long *o = (long long *)d + 80000 + t * 6;
    o[0] = __float2ll_rz(x);
    o[1] = (long long)__float2ull_rn(x);
    o[2] = __double2ll_ru(y);
    o[3] = (long long)__double2ull_rd(y);
    o[4] = ((long long)__float2int_ru(x) << 32) | __float2uint_rd(x);
    o[5] = (long long)(short)__float2int_rn(x) * 65536 + (unsigned char)__float2uint_rz(x);
    v[t + 600] = r;
    f[1000 + t] = (float)o[0] + (float)(unsigned)r.y;
    d[2000 + t] = (double)(unsigned long long)o[1] - (double)o[2];
}
