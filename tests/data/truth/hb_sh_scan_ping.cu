//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_scan_ping<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_scan_ping(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ long long s[2][128];
    int i = threadIdx.x, cur = 0;
    s[0][i] = (long long)a[t] << (t & 15);
    __syncthreads();
    for (int h = 1; h < 128; h *= 2) {
        long long x = s[cur][i];
        if (i >= h)
            x += s[cur][i - h];
        s[cur ^ 1][i] = x;
        cur ^= 1;
        __syncthreads();
    }
    ((long long *)b)[t] = i ? s[cur][i - 1] : 0;
    ((long long *)d)[20000 + t] = s[cur][127 - i] - s[cur][i];
}
