//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sld64_tile_pitch9<<<4, dim3(8,16)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sld64_tile_pitch9(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double s[16 * 9]; int x = threadIdx.x, y = threadIdx.y; s[y * 9 + x] = d[y * 8 + x + blockIdx.x * 128]; __syncthreads();
    int k = y * 8 + x; d[16384 + blockIdx.x * 128 + k] = s[(k & 15) * 9 + (k >> 4)];
}
