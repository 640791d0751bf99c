//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_fn_recursive<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ int hb_fn_recursive_walk(const int *p, int at, int depth)
{
    if (depth == 0)
        return at;
    int x = p[at] & 4095;
    int l = hb_fn_recursive_walk(p, x, depth - 1);
    int r = hb_fn_recursive_walk(p, (x + depth) & 4095, depth - 1);
    return l - r + x;
}
extern "C" __global__ void hb_fn_recursive(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    b[t] = hb_fn_recursive_walk(idx, t * 3, 4);
    b[1000 + t] = hb_fn_recursive_walk(a, t, n + 1);
}
