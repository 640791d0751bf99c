//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_stride_sweep<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_stride_sweep(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int acc = 0;
    for (int s = 1; s <= 256; s *= 2)
        acc += a[t * s + 5];
    float w = 0.0f;
#pragma unroll 1
    for (int s = 3; s < 40; s += 6)
        w += f[t * s + (s >> 1)];
    b[t * 3 + 1] = acc;
    d[131072 + t * 5] = w;
}
