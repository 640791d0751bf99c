//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_shared_mix<<<2, 160>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_atom_shared_mix(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int hist[64];
    __shared__ unsigned ext[4];
    __shared__ unsigned long long w;
    __shared__ float fs[8];
    int i = threadIdx.x;
    if (i < 64) hist[i] = 0;
    if (i < 8) fs[i] = 0.0f;
    if (i < 4) ext[i] = i == 0 ? 0xffffffffu : 0u;
    if (i == 0) w = 0;
    __syncthreads();
    atomicAdd(&hist[idx[t] & 63], 1);
    atomicMin(&ext[0], (unsigned)idx[t]);
    atomicMax(&ext[1], (unsigned)a[t]);
    atomicInc(&ext[2], 6u);
    if (i & 1) atomicXor(&ext[3], 1u << (i & 31));
    atomicAdd(&w, (unsigned long long)t << 30);
    atomicAdd(&fs[i & 7], f[t]);
    __syncthreads();
    if (i < 64) b[blockIdx.x * 64 + i] = hist[i];
    if (i < 4) b[1000 + blockIdx.x * 4 + i] = (int)ext[i];
    if (i < 8) f[40000 + blockIdx.x * 8 + i] = fs[i];
    if (i == 33) ((unsigned long long *)d)[5000 + blockIdx.x] = w;
}
