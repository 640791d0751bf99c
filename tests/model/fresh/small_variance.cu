// Mean and variance of half a million numbers: sums of the blocks by shuffles, then one block for the rest.
//@ param   n = 1 << 19
//@ buffer  x float[n] = hash(i) % 1000 * 0.01
//@ scratch partial float2[256]
//@ buffer  result float[2]
//@ launch  sums<<<256, 256>>>(x, partial, n)
//@ launch  finish<<<1, 256>>>(partial, result, n)
__device__ float2 block_sum(float2 v)
{
    __shared__ float2 warps[8];
    for (int d = 16; d; d >>= 1) {
        v.x += __shfl_down_sync(~0u, v.x, d);
        v.y += __shfl_down_sync(~0u, v.y, d);
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < 8; k++) {
            v.x += warps[k].x;
            v.y += warps[k].y;
        }
    return v;
}

__global__ void sums(const float *x, float2 *partial, int n)
{
    float2 s = make_float2(0, 0);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float v = x[i];
        s.x += v;
        s.y += v * v;
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = s;
}

__global__ void finish(const float2 *partial, float *result, int n)
{
    float2 s = block_sum(partial[threadIdx.x]);
    if (threadIdx.x == 0) {
        float mean = s.x / n;
        result[0] = mean;
        result[1] = s.y / n - mean * mean;
    }
}
