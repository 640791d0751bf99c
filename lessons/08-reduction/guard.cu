// A block adds up what four blocks did before: four loads a thread.
//@ title   Four blocks a block
//@ scratch partial int[(n + 511) / 512]
//@ launch  sum_blocks<<<(n + 511) / 512, 128>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 511) / 512)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int warp_sum[4];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    int sum = 0;
    if (idx + 3 * blockDim.x <= n) {
        int a = data[idx];
        int b = data[idx + blockDim.x];
        int c = data[idx + 2 * blockDim.x];
        int d = data[idx + 3 * blockDim.x];
        sum = a + b + c + d;
    }

    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();
    if (tid == 0)
        partial[blockIdx.x] =
            warp_sum[0] + warp_sum[1] + warp_sum[2] + warp_sum[3];
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
