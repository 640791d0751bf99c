//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch match_redux<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void match_redux(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t] & 15, p = -1; unsigned m = __match_all_sync(0xffffffffu, l >> 4, &p); unsigned g = __match_any_sync(0xffffffffu, c[t] >> 5);
    b[t] = m + p * 3 + __popc(g) + (__ffs(g) << 8) + __reduce_add_sync(0xffffffffu, x) + __reduce_min_sync(0xffffffffu, x - l) * 7 + (int)__reduce_xor_sync(0xffffffffu, (unsigned)x << 9);
}
