//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_generic_pick<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ void hb_generic_pick_bump(int *p, int x)
{
    *p = *p * 2 + x;
}
extern "C" __global__ void hb_generic_pick(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) int s[128];
    int l[4] = { t, t * 2, t ^ 5, 9 };
    int i = threadIdx.x;
    s[i] = a[t];
    s[i + 64] = -i;
    __syncthreads();
    int *p = (i & 1) ? &s[i ^ 1] : &b[t * 2];
    hb_generic_pick_bump(p, i);
    int *q = (idx[t] % 3 == 0) ? l : (idx[t] % 3 == 1) ? s + 64 + (i & ~3) : a + 9000 + t * 4;
    int r = q[(idx[t] >> 4) & 3];
    int *g = (i < 20) ? &s[i * 2 + 1] : &b[5000 + i];
    atomicAdd(g, i);
    __syncthreads();
    const int4 *w = (i & 4) ? (const int4 *)s : v;
    b[1000 + t] = r + s[i] + w[i & 31].z + l[i & 3];
    b[2000 + t] = __isShared(p) ? 1 : __isGlobal(p) ? 2 : 3;
}
