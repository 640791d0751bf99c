//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch e_cas_shared<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void e_cas_shared(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned s[32]; s[threadIdx.x] = 0; __syncwarp();
    unsigned *p = (unsigned *)(s + (t & 7)); unsigned old = *p, seen; do { seen = old; old = atomicCAS(p, seen, seen + t + 1); } while (old != seen);
    a[t] = t; __syncwarp(); f[t] = s[t & 7];
}
