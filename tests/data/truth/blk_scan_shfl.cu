//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_scan_shfl<<<4, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_scan_shfl(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int w[8]; int x = a[t], lane = l & 31;
    for (int o = 1; o < 32; o <<= 1) { int y = __shfl_up_sync(0xffffffffu, x, o); if (lane >= o) x += y; }
    if (lane == 31) w[l >> 5] = x; __syncthreads();
    if (l < 8) { int y = w[l]; for (int o = 1; o < 8; o <<= 1) { int z = __shfl_up_sync(0xffu, y, o); if (l >= o) y += z; } w[l] = y; } __syncthreads();
    b[t] = x + (l >= 32 ? w[(l >> 5) - 1] : 0);
}
