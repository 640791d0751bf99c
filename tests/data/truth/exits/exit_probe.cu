//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_probe<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_probe(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    __shared__ int s[64];
    if (l < 64) s[l] = 0;
    __syncthreads();
    int h = x >> 20 & 255, key = (x >> 9 & 63) + 1;
    for (;;) {
        int seen = b[h];
        if (seen == 0) { f[t] = h; break; }
        if (seen == key) { atomicAdd(&s[h & 63], 1); break; }
        h = a[h] & 255;
        if (++x % 5 == 0) { d[t] = 1; break; }
    }
    __syncthreads();
    if (l < 64) b[4096 + blockIdx.x * 64 + l] = s[l];
}
