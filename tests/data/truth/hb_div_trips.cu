//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_trips<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_trips(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lim = idx[t] & 31, r = 0, bad = 0;
    for (int k = 0; k < lim; ++k) {
        int x = a[t + k * 32];
        if (x % 5 == 0)
            continue;
        if (x > 3900) {
            bad = k + 1;
            break;
        }
        for (int j = 0; j <= (k & 3); ++j) {
            if ((x >> j & 3) == 3)
                break;
            r += j + 1;
        }
        r ^= x;
    }
    b[t] = r;
    b[1024 + t * 2] = bad;
}
