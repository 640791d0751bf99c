//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_continue_break_flat<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_continue_break_flat(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int r = 0, x = c[t]; for (int i = 0; i < 4; i++) { x = c[(x * 5 + i * 3 + l) & 2047]; if (x & 1) continue; r += a[x]; if (x & 2) continue; r ^= a[x + 256]; if (x > 150) break; r += 7; } b[t] = r;
}
