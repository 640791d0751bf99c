//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_local_dynamic<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_local_dynamic(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int l[16];
    float w[6];
    unsigned char k[20];
    for (int i = 0; i < 16; ++i)
        l[i] = a[t * 16 + i];
    for (int i = 0; i < 6; ++i)
        w[i] = f[t + i];
    for (int i = 0; i < 20; ++i)
        k[i] = c[t + i * 3];
    for (int i = 0; i < 10; ++i) {
        int p = idx[t + i] & 15, q = k[i * 2] & 15;
        int s = l[p];
        l[p] = l[q] + i;
        l[q] = s;
        w[(p + q) % 6] += (float)s;
        k[(s & 15) + 3] ^= (unsigned char)p;
    }
    v[8000 + t] = make_int4(l[idx[t] & 15], l[t & 15], k[l[3] & 15], (int)w[t % 6]);
}
