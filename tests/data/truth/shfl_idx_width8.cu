//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch shfl_idx_width8<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void shfl_idx_width8(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t]; b[t] = __shfl_sync(0xffffffffu, x, l * 3, 8) + __shfl_down_sync(0xffffffffu, x, 3, 16) - __shfl_up_sync(0xffffffffu, x, 5, 8);
}
