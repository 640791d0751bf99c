//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch reduce_shfl_double<<<5, 192>>>(a, b, f, d, v, c, idx, 1)
static __device__ double reduce_shfl_double_warp(double x)
{
    for (int off = 16; off > 0; off >>= 1)
        x += __shfl_down_sync(0xffffffffu, x, off);
    return x;
}

extern "C" __global__ void reduce_shfl_double(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double part[6];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 6000; i += gridDim.x * blockDim.x)
        sum += d[i] * d[i + 7];
    sum = reduce_shfl_double_warp(sum);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < 6 ? part[lane] : 0.0;
        sum = reduce_shfl_double_warp(sum);
        if (lane == 0)
            d[100000 + blockIdx.x] = sum;
    }
}
