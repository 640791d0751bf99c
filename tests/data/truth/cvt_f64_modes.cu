//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch cvt_f64_modes<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void cvt_f64_modes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    double x = (d[t] - 300.0) * 1234567.890123, y = x * 1.0e-41; f[t * 4] = __double2float_rn(x); f[t * 4 + 1] = __double2float_ru(x) - __double2float_rd(x); f[t * 4 + 2] = __double2float_rz(x * 1.0e31); f[t * 4 + 3] = (float)y;
    b[t] = __double2int_rn(x) + __double2int_ru(x) * 3 + (int)__double2uint_rz(x) + __double2int_rd(x * 1000.0) + __double2hiint(x) + __double2loint(x);
    ((long long *)v)[t] = __double2ll_rn(x * 1.0e5) + __double2ll_ru(x) + (long long)__double2ull_rd(x * 1.0e9);
}
