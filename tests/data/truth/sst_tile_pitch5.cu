//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sst_tile_pitch5<<<3, dim3(4,40)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sst_tile_pitch5(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int s[40 * 5]; int x = threadIdx.x, y = threadIdx.y; s[y * 5 + x] = a[blockIdx.x * 160 + y * 4 + x]; __syncthreads(); int k = y * 4 + x; b[blockIdx.x * 160 + k] = s[(k % 40) * 5 + k / 40];
}
