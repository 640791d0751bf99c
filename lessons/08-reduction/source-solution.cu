// After the first barrier only shared memory is read.
//@ title   In shared memory
//@ scratch partial int[(n + 255) / 256]
//@ launch  sum_blocks<<<(n + 255) / 256, 256>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 255) / 256)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int smem[256];
    int tid = threadIdx.x;
    int start = blockIdx.x * blockDim.x;
    const int *idata = data + start;

    smem[tid] = start + tid < n ? idata[tid] : 0;
    __syncthreads();

    for (int half = 128; half > 0; half /= 2) {
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
