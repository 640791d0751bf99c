//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_collatz<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_collatz(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    int k = (x >> 20) + 2, steps = 0;
    while (k != 1) {
        k = k & 1 ? 3 * k + 1 : k / 2;
        if (++steps > 40) { atomicAdd(&b[8192 + (k & 63)], 1); break; }
    }
    f[t] = steps;
}
