//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_goto<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_goto(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    __shared__ int s[64];
    if (l < 64) s[l] = 0;
    __syncthreads();
    int r = 0;
    #pragma unroll 1
    for (int i = 0; i < 5; i++) {
        for (;;) {
            x = x * 1664525u + 1013904223u; 
            if (x >> 29 == 3) break;
            if (x >> 27 == 1) { atomicAdd(&s[x >> 8 & 63], 1); goto out; }
            x ^= x >> 7;
        }
        r += a[x >> 16 & 4095];
    }
out:
    b[t] = r;
    __syncthreads();
    if (l < 64) b[4096 + blockIdx.x * 64 + l] = s[l];
}
