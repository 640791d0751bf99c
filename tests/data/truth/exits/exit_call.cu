//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_call<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ int look(const int *a, unsigned x)
{
    #pragma unroll 1
    for (int i = 0; i < 64; i++) {
        x = x * 1664525u + 1013904223u;
        if (x >> 28 == 3) return a[x >> 8 & 4095];
        x ^= x >> 7;
    }
    return -1;
}
extern "C" __global__ void exit_call(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    b[t] = look(a, x) + 1;
}
