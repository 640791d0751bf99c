// The first thread of each block sums the block's 256 elements after a barrier.
//@ param   n = 1 << 20
//@ buffer  x float[n] = i & 15
//@ buffer  out float[n / 256]
//@ launch  k<<<n / 256, 256>>>(x, out)
extern "C" __global__ void k(const float *x, float *out)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0;
        for (int j = 0; j < 256; j++)
            s += tile[j];
        out[blockIdx.x] = s;
    }
}
