//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch cvt_f32_int_modes<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void cvt_f32_int_modes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = (f[t] - 250.5f) * 1.37f, y = x * 1.0e7f, z = l == 5 ? __int_as_float(0x7fc00000) : l == 6 ? __int_as_float(0xff800000) : x * 1.0e18f;
    b[t] = __float2int_rn(x) + __float2int_rz(x) * 3 + __float2int_ru(x) * 5 + __float2int_rd(x) * 7 + (int)__float2uint_rn(y) + (int)__float2uint_ru(x) * 11 + (int)z;
    ((long long *)v)[t] = __float2ll_rn(z) + __float2ll_rd(y) + (long long)__float2ull_rz(y * 1.0e5f) + (long long)__float2ull_ru(z);
}
