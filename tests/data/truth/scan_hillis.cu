//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch scan_hillis<<<4, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void scan_hillis(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int buf[2][256];
    int tid = threadIdx.x, in = 0, out = 1;
    int g = blockIdx.x * 256 + tid;
    buf[0][tid] = tid > 0 ? a[g - 1] : 0;
    __syncthreads();
    for (int off = 1; off < 256; off <<= 1) {
        if (tid >= off)
            buf[out][tid] = buf[in][tid] + buf[in][tid - off];
        else
            buf[out][tid] = buf[in][tid];
        __syncthreads();
        in ^= 1;
        out ^= 1;
    }
    b[g] = buf[in][tid];
}
