//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch to_decimal<<<3, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void to_decimal(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int base = 2 + t % 15;
    unsigned x = (unsigned)idx[t] * (unsigned)a[t];
    char digits[32];
    int len = 0;
    do {
        int r = x % base;
        digits[len++] = r < 10 ? '0' + r : 'A' + r - 10;
        x /= base;
    } while (x);
    unsigned char *out = c + 100000 + t * 32;
    for (int i = 0; i < len; i++)
        out[i] = digits[len - 1 - i];
    for (int i = len; i < 32; i++)
        out[i] = ' ';
}
