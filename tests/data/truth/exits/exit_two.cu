//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_two<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_two(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    for (;;) {
        x = x * 1664525u + 1013904223u; 
        if (x >> 28 == 3) { b[x >> 8 & 4095] = 7; break; }
        x ^= x >> 7;
        if (x >> 29 == 5) { atomicAdd(&b[8192 + (x & 63)], 1); break; }
        x += t;
    }
    f[t] = x & 255;
}
