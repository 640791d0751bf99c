//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_float4_bcast<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_float4_bcast(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 s[200];
    int i = threadIdx.x;
    s[i * 2] = make_float4(f[t], f[t + 1], f[t + 2], f[t + 3]);
    s[i * 2 + 1] = make_float4((float)i, 1.0f, 0.5f, f[t * 4]);
    if (i < 8)
        s[192 + i] = make_float4(0.0f, 0.0f, (float)i, 2.0f);
    __syncthreads();
    const float *w = (const float *)s;
    float4 p = s[(i * 5) % 200], q = s[i >> 3];
    float r = w[(i & 3) ? 17 : i * 8] + w[(i & 15) * 32 + 1];
    float2 h = ((const float2 *)s)[i * 3];
    r += w[i / 2 * 16 % 640] * h.y;
    f[50000 + t] = p.x + q.y * p.w - q.z;
    f[60000 + t] = r + h.x;
}
