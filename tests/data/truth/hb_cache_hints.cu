//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_cache_hints<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_cache_hints(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = __ldcg(a + t) + __ldca(a + 300 + (t ^ 1));
    float y = __ldcs(f + t * 3) + __ldcv(f + 2000);
    int4 q = __ldcs(v + t);
    double2 z = __ldcg((const double2 *)d + t * 2);
    x += __ldlu(idx + t);
    __stcg(b + t, x);
    __stcs(v + 7000 + t, make_int4(q.w, q.z, x, q.x));
    __stwt(f + 30000 + t * 2, y);
    __stwb(d + 90000 + t, z.x + z.y);
    if (t & 2)
        __stcs(c + 90000 + t, (unsigned char)x);
}
