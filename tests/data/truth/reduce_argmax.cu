//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch reduce_argmax<<<4, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void reduce_argmax(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int sval[8], spos[8];
    int base = blockIdx.x * 1024;
    int best = -1, pos = -1;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        int x = idx[base + i];
        if (x > best) { best = x; pos = base + i; }
    }
    for (int m = 16; m; m >>= 1) {
        int ob = __shfl_xor_sync(0xffffffffu, best, m);
        int op = __shfl_xor_sync(0xffffffffu, pos, m);
        if (ob > best || (ob == best && op < pos)) { best = ob; pos = op; }
    }
    if (threadIdx.x % 32 == 0) {
        sval[threadIdx.x / 32] = best;
        spos[threadIdx.x / 32] = pos;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            if (sval[w] > best || (sval[w] == best && spos[w] < pos)) { best = sval[w]; pos = spos[w]; }
        b[2 * blockIdx.x] = best;
        b[2 * blockIdx.x + 1] = pos;
    }
}
