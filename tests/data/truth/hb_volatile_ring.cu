//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_volatile_ring<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_volatile_ring(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile int s[96];
    int i = threadIdx.x, lane = i & 31, base = i & ~31;
    volatile int *g = b + 128 * blockIdx.x;
    s[i] = a[t];
    g[i] = t;
    for (int k = 0; k < 4; ++k) {
        __syncwarp();
        int x = s[base + ((lane + 5) & 31)];
        int y = g[base + (lane ^ 9)];
        __syncwarp();
        s[i] = s[i] + x;
        g[i] = g[i] * 3 + y;
    }
    volatile double *q = d + 4000 + t;
    *q = *q + *q;
    v[t].y = s[i];
}
