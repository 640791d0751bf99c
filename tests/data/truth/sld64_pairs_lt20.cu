//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sld64_pairs_lt20<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sld64_pairs_lt20(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ float2 s[640]; for (int i = l; i < 640; i += blockDim.x) s[i] = make_float2(f[i], f[i + 7]); __syncthreads();
    if ((l & 31) < 20) { float2 q = s[(l >> 1) * 9]; f[4096 + t] = q.x - q.y; }
}
