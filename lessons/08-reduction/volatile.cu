// One warp is left for the last 64 numbers. Does it need a barrier?
//@ title   The last warp alone
//@ scratch partial int[(n + 127) / 128]
//@ launch  sum_blocks<<<(n + 127) / 128, 128>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 127) / 128)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int smem[128];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? data[idx] : 0;
    __syncthreads();
    if (tid < 64)
        smem[tid] += smem[tid + 64];
    __syncthreads();

    if (tid < 32) {
        volatile int *last = smem;
        last[tid] += last[tid + 32];
        last[tid] += last[tid + 16];
        last[tid] += last[tid + 8];
        last[tid] += last[tid + 4];
        last[tid] += last[tid + 2];
        last[tid] += last[tid + 1];
    }
    if (tid == 0)
        partial[blockIdx.x] = smem[0];
}

// The second pass: a few blocks add up the partial sums of all.
extern "C" __global__ void addPartials(const int *__restrict__ partial,
                                       int *__restrict__ total,
                                       int count)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x)
        sum += partial[i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}
