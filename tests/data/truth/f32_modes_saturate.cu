//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f32_modes_saturate<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f32_modes_saturate(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = f[t] * 0.013f - 1.7f, y = 1.0f + l * 0.0009765f; f[t * 4 + 4096] = __saturatef(x) + __fadd_ru(x, y); f[t * 4 + 4097] = __fmul_rd(x, y) - __fmul_ru(x, y); f[t * 4 + 4098] = __fmaf_rz(x, y, x) + __fdiv_rn(x, y) + __fsub_rz(x, y); f[t * 4 + 4099] = __frcp_rn(y) + __fsqrt_rn(y) + __fdiv_ru(x, y) - __fsqrt_rd(y) + __frcp_rz(y);
}
