// The dot product of two vectors: a grid that strides, shuffles, and
// one atomic addition a block.
//@ param   n = 1 << 23
//@ buffer  x   float[n] = i % 5
//@ buffer  y   float[n] = i % 3
//@ buffer  sum float[1] = 0
//@ launch  dot<<<528, 256>>>(x, y, sum, n)
extern "C" __global__ void dot(const float *x, const float *y,
                               float *sum, int n)
{
    __shared__ float warp_sums[8];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        mine += x[i] * y[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            mine += warp_sums[w];
        atomicAdd(sum, mine);
    }
}
