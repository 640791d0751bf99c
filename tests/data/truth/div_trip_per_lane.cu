//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_trip_per_lane<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_trip_per_lane(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = 0; int k = c[t] & 31; for (int i = 0; i < k; i++) x += f[(t & ~31) + i * 32 + (l & 31)]; f[65536 + t] = x;
}
