//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch cvt_int_f32_modes<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void cvt_int_f32_modes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t] * 1048583 - 2147483; long long q = (long long)x * 4294967311LL; f[t * 4] = __int2float_rn(x); f[t * 4 + 1] = __int2float_rz(x) - __int2float_ru(x); f[t * 4 + 2] = __uint2float_rd((unsigned)x) + __ll2float_rn(q); f[t * 4 + 3] = __ull2float_ru((unsigned long long)q) - __ll2float_rd(q);
    d[t] = __ll2double_rz(q) + __ull2double_ru((unsigned long long)q) + __int2double_rn(x) + __uint2double_rn((unsigned)x);
}
