//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_dot_simd<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_dot_simd(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)idx[t] * 0x9e3779b1u, w = (unsigned)a[t] * 0x85ebca77u;
    int s = __dp4a((int)u, (int)w, 5) + __dp2a_lo((int)u, (int)w, t);
    s ^= (int)(__dp4a(u, w, 9u) - __dp2a_hi(u, w, 3u));
    unsigned p = __byte_perm(u, w, (unsigned)idx[t] * 8u + (t & 7)) ^ __byte_perm(u, w, 0x5410);
    unsigned q = __vadd4(u, w) ^ __vsub2(u, w) ^ __vaddss4(u, w);
    q += __vabsdiffu4(u, w) + __vmaxs2(u, w) - __vminu4(u, w);
    q ^= __vcmpgtu4(u, w) & __vseteq2(u & 0xf000f, w & 0xf000f);
    q += __vavgu4(u, w) ^ __vsadu4(u, w) ^ __vneg2(u) ^ __vabsss4(w) ^ __vsubus4(u, w);
    s += __sad((int)u, (int)w, 7u) ^ __usad(u, w, 1u);
    s += __hadd((int)u, (int)w) ^ (int)__urhadd(u, w);
    s ^= __viaddmax_s32((int)u, (int)w, 100) + __vimin3_s32((int)u, (int)w, -t);
    v[2000 + t] = make_int4(s, (int)p, (int)q, (int)__vibmax_u32(u, w, (bool *)&c[t]));
}
