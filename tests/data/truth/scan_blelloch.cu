//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch scan_blelloch<<<5, 128>>>(a, b, f, d, v, c, idx, 1)
#define scan_blelloch_PAD(i) ((i) + ((i) >> 5))

extern "C" __global__ void scan_blelloch(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float t[256 + 8];
    int tid = threadIdx.x, base = blockIdx.x * 256;
    int ai = tid, bi = tid + 128;
    t[scan_blelloch_PAD(ai)] = f[base + ai];
    t[scan_blelloch_PAD(bi)] = f[base + bi];
    int off = 1;
    for (int k = 128; k > 0; k >>= 1) {
        __syncthreads();
        if (tid < k) {
            int p = scan_blelloch_PAD(off * (2 * tid + 1) - 1), q = scan_blelloch_PAD(off * (2 * tid + 2) - 1);
            t[q] += t[p];
        }
        off *= 2;
    }
    if (tid == 0)
        t[scan_blelloch_PAD(255)] = 0.0f;
    for (int k = 1; k < 256; k *= 2) {
        off >>= 1;
        __syncthreads();
        if (tid < k) {
            int p = scan_blelloch_PAD(off * (2 * tid + 1) - 1), q = scan_blelloch_PAD(off * (2 * tid + 2) - 1);
            float x = t[p];
            t[p] = t[q];
            t[q] += x;
        }
    }
    __syncthreads();
    f[50000 + base + ai] = t[scan_blelloch_PAD(ai)];
    f[50000 + base + bi] = t[scan_blelloch_PAD(bi)];
}
