//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_mandel<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_mandel(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    float cr = (x >> 24) * (3.0f / 256) - 2, ci = (x >> 16 & 255) * (2.0f / 256) - 1, zr = 0, zi = 0;
    int i;
    for (i = 0; i < 64; i++) {
        float q = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = q;
        if (zr * zr + zi * zi > 4) { b[t] = i; break; }
    }
    if (i == 64) a[t] = 1;
}
