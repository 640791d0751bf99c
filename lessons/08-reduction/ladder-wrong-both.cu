// All bounds look alike now, and each of them is wrong.
//@ title   For any block
//@ scratch partial int[(n + 511) / 512]
//@ launch  sum_blocks<<<(n + 511) / 512, 512>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 511) / 512)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int smem[1024];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? data[idx] : 0;
    __syncthreads();

    if (blockDim.x > 1024 && tid < 512)
        smem[tid] += smem[tid + 512];
    __syncthreads();
    if (blockDim.x > 512 && tid < 256)
        smem[tid] += smem[tid + 256];
    __syncthreads();
    if (blockDim.x > 256 && tid < 128)
        smem[tid] += smem[tid + 128];
    __syncthreads();
    if (blockDim.x > 128 && tid < 64)
        smem[tid] += smem[tid + 64];
    __syncthreads();

    if (tid < 32) {
        int sum = smem[tid] + smem[tid + 32];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (tid == 0)
            partial[blockIdx.x] = sum;
    }
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
