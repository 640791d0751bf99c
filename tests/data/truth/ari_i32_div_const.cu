//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_i32_div_const<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_i32_div_const(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = (a[t] - 2000) * 1000003; unsigned u = (unsigned)x; b[t] = x / 7 + x % 10 + x / -16 + x % 1000 * 2 + (int)(u / 3u + u % 641u + u / 1000000u) + x % (l - 64 ? l - 64 : 5);
}
