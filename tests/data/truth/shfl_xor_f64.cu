//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch shfl_xor_f64<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void shfl_xor_f64(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    double x = d[t * 2] + l; for (int o = 1; o < 32; o <<= 1) x += __shfl_xor_sync(0xffffffffu, x, o); d[8192 + t] = x;
}
