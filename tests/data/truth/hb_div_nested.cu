//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_nested<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_nested(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx[t], r;
    if (x & 1) {
        if (x & 2) {
            r = a[x];
            if (r > 2000)
                r -= c[t];
        } else {
            r = (int)f[x] * 2;
            b[1000 + t] = r;
        }
        r += 7;
    } else if (x % 3 == 0) {
        r = x / 3;
        if ((t & 31) < 9)
            r = (x & 64) ? v[t].x : (int)d[t];
    } else {
        r = -x;
    }
    b[t] = r;
}
