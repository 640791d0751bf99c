// A sum by strides over the grid, shuffles, and one atomic a block.
//@ param n = 1 << 21
//@ buffer in int[n] = i & 7
//@ buffer out int[1] = 0
//@ launch sum<<<64, 256>>>(in, out, n)
extern "C" __global__ void sum(const int *in, int *out, int n)
{
    __shared__ int s[8];
    int v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        v += in[i];
    for (int by = 16; by; by /= 2)
        v += __shfl_down_sync(0xffffffff, v, by);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = s[threadIdx.x];
        for (int by = 4; by; by /= 2)
            v += __shfl_down_sync(0xff, v, by);
        if (threadIdx.x == 0)
            atomicAdd(out, v);
    }
}
