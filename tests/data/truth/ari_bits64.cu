//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_bits64<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_bits64(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    unsigned long long x = ((unsigned long long)(unsigned)idx[t] << 40) ^ ((unsigned long long)a[t] * 0x9e3779b97f4aull); int sft = l & 63;
    ((unsigned long long *)v)[t] = __popcll(x) + __clzll(x >> sft) * 100 + __ffsll(x << sft) * 10000 + __brevll(x) + __umul64hi(x, x + 3) + (unsigned long long)__mul64hi((long long)x, -(long long)l) + (x << sft | x >> (63 - sft)) + (unsigned long long)((long long)x >> sft);
}
