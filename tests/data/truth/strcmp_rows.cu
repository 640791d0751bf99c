//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch strcmp_rows<<<6, 64>>>(a, b, f, d, v, c, idx, 1)
static __device__ int strcmp_rows_cmp(const unsigned char *p, const unsigned char *q, int len, int *where)
{
    for (int i = 0; i < len; i++) {
        int x = p[i] & 1 ? 'a' : 'b', y = q[i] & 1 ? 'a' : 'b';
        if (x != y) {
            *where = i;
            return x < y ? -1 : 1;
        }
    }
    *where = len;
    return 0;
}

extern "C" __global__ void strcmp_rows(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lcp;
    int r = strcmp_rows_cmp(c + t * 24, c + idx[t] * 24, 24, &lcp);
    b[t] = r * 100 + (r < 0 ? -lcp : lcp);
}
