//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_pitch_set<<<1, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_pitch_set(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[512];
    int r = threadIdx.x & 15, k = threadIdx.x >> 4;
    int acc = 0;
#pragma unroll 1
    for (int p = 16; p <= 32; p += (p < 18 ? 1 : 7)) {
        s[r * p + k] = a[t] + p;
        __syncthreads();
        acc = acc * 3 + s[k * p + r] - s[(15 - r) * p + k];
        __syncthreads();
    }
    b[t] = acc;
}
