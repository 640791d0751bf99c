//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sort_bitonic<<<3, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sort_bitonic(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned int key[512];
    int base = blockIdx.x * 512;
    key[threadIdx.x] = idx[base + threadIdx.x];
    key[threadIdx.x + 256] = idx[base + threadIdx.x + 256];
    for (unsigned size = 2; size <= 512; size <<= 1) {
        for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (pos & size) == 0;
            unsigned p = key[pos], q = key[pos + stride];
            if ((p > q) == up) {
                key[pos] = q;
                key[pos + stride] = p;
            }
        }
    }
    __syncthreads();
    b[base + threadIdx.x] = key[threadIdx.x];
    b[base + threadIdx.x + 256] = key[threadIdx.x + 256];
}
