//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_vote_match<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_vote_match(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned m = 0xffffffffu;
    int x = idx[t];
    unsigned e = __ballot_sync(m, x & 1);
    unsigned g = __match_any_sync(m, x & 7);
    int all = 0;
    unsigned h = __match_all_sync(m, x >> 12, &all);
    unsigned k = __match_any_sync(m, (long long)(a[t] & 3) << 40);
    int s = __any_sync(m, x < 20) + 2 * __all_sync(m, x < 4090);
    int lt = (1u << (t & 31)) - 1;
    b[t * 4] = __popc(e & lt);
    b[t * 4 + 1] = __ffs(g) * 32 + __popc(g & lt);
    b[t * 4 + 2] = (int)(h + all + s);
    b[t * 4 + 3] = (int)k;
}
