//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_bitfield<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_bitfield(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)idx[t] * 0xcc9e2d51u;
    int x = (int)(u * 31u);
    unsigned long long w = ((unsigned long long)u << 32 | (unsigned)x) >> (t & 31);
    int r = __popc(u) + __clz(x >> (t & 31)) * 64 + __ffs(x & -4096) * 4096;
    r ^= __popcll(w) + __clzll((long long)w) * 64 + __ffsll((long long)(w << 5)) * 8192;
    r += (int)__brev(u) ^ (int)(__brevll(w) >> 17);
    r += __mulhi(x, (int)u) - (int)__umulhi(u, 0xdeadbeefu);
    w = __umul64hi(w, w + u) ^ (unsigned long long)__mul64hi((long long)w, x);
    unsigned e = u >> 7 & 0x1ff;
    int g = (int)(u << 9) >> 21;
    r ^= (int)((u & ~0x0ff00u) | (e & 0xff) << 8) + g;
    r += __mul24(x, g) + (int)__umul24(u, e);
    b[t] = r;
    ((unsigned long long *)d)[70000 + t] = w;
}
