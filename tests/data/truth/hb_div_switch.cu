//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_switch<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_switch(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx[t], r = a[t];
    switch (x % 7) {
    case 0: r += 11; break;
    case 1: r *= x; /* fall through */
    case 2: r ^= 0x3c3c; break;
    case 4: r = c[x]; break;
    case 6: r = a[r & 1023] - x; break;
    default: r = -r; break;
    }
    switch (r & 15) {
    case 3: b[500 + t] = r; break;
    case 5:
    case 9: f[500 + t] += 1.0f; break;
    case 12: r = r / 3; break;
    case 200: r = 0; break;
    }
    switch (x) {
    case 10: case 1000: case 3000: r++; break;
    }
    b[t] = r;
}
