//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_byte_cols<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_byte_cols(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned char cnt[16][64];
    __shared__ unsigned short tot[16];
    int i = threadIdx.x;
    for (int k = 0; k < 16; ++k)
        cnt[k][i] = 0;
    for (int j = 0; j < 12; ++j)
        cnt[c[blockIdx.x * 1024 + j * 64 + i] >> 4][i]++;
    __syncthreads();
    if (i < 16) {
        unsigned short s = 0;
        for (int k = 0; k < 64; ++k)
            s += cnt[i][(k + i) & 63];
        tot[i] = s;
    }
    __syncthreads();
    b[t] = tot[i & 15] * 100 + cnt[i >> 2][i];
}
