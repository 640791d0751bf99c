//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch median3<<<dim3(2, 9), dim3(32, 5)>>>(a, b, f, d, v, c, idx, 1)
#define median3_SWAP(p, q) { unsigned char lo = min(p, q); q = max(p, q); p = lo; }

extern "C" __global__ void median3(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int W = 61, H = 43;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y;
    if (x >= W || y >= H) return;
    unsigned char *out = c + 50000;
    if (x == 0 || x == W - 1 || y == 0 || y == H - 1) {
        out[y * W + x] = c[y * W + x];
        return;
    }
    unsigned char w[9];
    for (int i = 0; i < 9; i++)
        w[i] = c[(y + i / 3 - 1) * W + x + i % 3 - 1];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            median3_SWAP(w[i], w[j]);
    out[y * W + x] = w[4];
}
