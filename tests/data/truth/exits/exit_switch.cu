//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_switch<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_switch(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    int r = 0;
    for (;;) {
        x = x * 1664525u + 1013904223u; 
        switch (x >> 29) {
        case 0: r += a[x >> 8 & 4095]; break;
        case 1: b[x >> 8 & 4095] = 7; goto out;
        case 2: r ^= 3; continue;
        case 5: atomicAdd(&b[8192 + (x & 63)], 1); goto out;
        default: r += 2;
        }
        x ^= x >> 7;
    }
out:
    f[t] = r;
}
