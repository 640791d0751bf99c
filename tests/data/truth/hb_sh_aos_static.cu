//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_aos_static<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
struct hb_sh_aos_static_e { int k; float x, y; };
struct hb_sh_aos_static_g { short a[2]; unsigned char r[4]; int w[3]; };
extern "C" __global__ void hb_sh_aos_static(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ hb_sh_aos_static_e e[64];
    __shared__ hb_sh_aos_static_g g[66];
    int i = threadIdx.x;
    e[i].k = a[t];
    e[i].x = f[t * 2];
    e[i].y = f[t * 2 + 1];
    g[i].a[0] = (short)t;
    g[i].a[1] = (short)(-t);
    for (int k = 0; k < 4; ++k)
        g[i].r[k] = c[t * 4 + k];
    for (int k = 0; k < 3; ++k)
        g[i].w[k] = idx[t + k * 64];
    __syncthreads();
    hb_sh_aos_static_e u = e[(i * 3 + 1) & 63];
    hb_sh_aos_static_g w = g[63 - i];
    b[t] = u.k + w.a[i & 1] + w.r[i & 3] * w.w[1];
    f[70000 + t] = u.x * u.y + e[i ^ 32].y;
    c[50000 + t] = g[i].r[3 - (i & 3)];
}
