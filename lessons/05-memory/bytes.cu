// Each of the 128 threads has an int of shared memory from the launch.
//@ title   Sized at the launch
//@ scratch partial int[(n + 127) / 128]
//@ launch  sum_blocks<<<(n + 127) / 128, 128, 128>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 127) / 128)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    extern __shared__ int smem[];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? data[idx] : 0;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half)
            smem[tid] += smem[tid + half];
        __syncthreads();
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
