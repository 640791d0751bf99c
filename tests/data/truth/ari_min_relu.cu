//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_min_relu<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_min_relu(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t] - 2000, y = l * 40 - 2500; b[t] = __vimin_s32_relu(x, y) + __vimax3_s32(x, y, l) * 3 + __viaddmax_s32(x, y, -l) * 5 + (int)__viaddmin_u16x2(x, y, l * 65537);
}
