// The sum of four million numbers by 64 blocks, whose last step is an atomic.
//@ param   n = 1 << 22
//@ buffer  in  float[n] = i & 3
//@ buffer  sum float[1] = 0
//@ launch  add<<<64, 1024>>>(in, sum, n)
extern "C" __global__ void add(const float *in, float *sum, int n)
{
    __shared__ float part[32];
    float mine = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += 65536)
        mine += in[i];
    for (int d = 16; d; d /= 2)
        mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = part[threadIdx.x];
        for (int d = 16; d; d /= 2)
            mine += __shfl_down_sync(~0u, mine, d);
        if (threadIdx.x == 0)
            atomicAdd(sum, mine);
    }
}
