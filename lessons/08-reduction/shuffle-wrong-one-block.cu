// A block of 8 warps. Shared memory carries one number a warp.
//@ title   From lane to lane
//@ scratch partial int[(n + 255) / 256]
//@ launch  sum_blocks<<<(n + 255) / 256, 256>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 255) / 256)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int warp_sum[8];
    int tid = threadIdx.x;
    int sum = 0;
    for (int k = tid; blockIdx.x == 0 && k < n;
         k += 256) // block 0 loads it all
        sum += data[k];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < 8 ? warp_sum[tid] : 0;
        for (int half = 4; half > 0; half /= 2)
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
