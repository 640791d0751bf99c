//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_while<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_while(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    __shared__ int s[64];
    if (l < 64) s[l] = 0;
    __syncthreads();
    while (x >> 28 != 3) {
        x = x * 1664525u + 1013904223u; 
        x ^= x >> 7;
    }
    atomicAdd(&s[x >> 8 & 63], 1);
    __syncthreads();
    if (l < 64) b[4096 + blockIdx.x * 64 + l] = s[l];
}
