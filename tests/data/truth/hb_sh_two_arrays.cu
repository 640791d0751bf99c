//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_two_arrays<<<3, 192>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_two_arrays(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[192];
    __shared__ double w[96];
    int i = threadIdx.x;
    s[i] = a[t * 2] - a[t + 5];
    if (i < 96)
        w[i] = d[t] + d[t + 96];
    __syncthreads();
    for (int h = 96; h >= 3; h >>= 1) {
        if (i < h) {
            s[i] += s[i + h];
            if (i + h < 96 && h < 96)
                w[i] += w[i + h];
        }
        __syncthreads();
    }
    if (i < 3)
        b[blockIdx.x * 3 + i] = s[i];
    else if (i < 6)
        d[9000 + blockIdx.x * 3 + i] = w[i - 3];
}
