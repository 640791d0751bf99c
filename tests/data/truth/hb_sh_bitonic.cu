//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_bitonic<<<2, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_bitonic(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned s[256];
    unsigned i = threadIdx.x;
    s[i] = (unsigned)idx[t] * 256u + i;
    for (unsigned k = 2; k <= 256; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned o = i ^ j;
            if (o > i) {
                unsigned x = s[i], y = s[o];
                if ((x > y) == ((i & k) == 0)) {
                    s[i] = y;
                    s[o] = x;
                }
            }
        }
    __syncthreads();
    b[t] = (int)s[i];
}
