// Each block copies 128 numbers to shared memory to add them up there.
//@ title   Fold a block
//@ scratch partial int[(n + 127) / 128]
//@ launch  sum_blocks<<<(n + 127) / 128, 128>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 127) / 128)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int smem[128];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? data[idx] : 0; // zeros change no sum
    __syncthreads();

    // TODO: thread 0 adds up all of them alone. Fold them into smem[0]
    // by rounds: half as many threads work in each, those with the
    // lowest numbers, and a barrier ends it.
    if (tid == 0)
        for (int i = 1; i < 128; i++)
            smem[0] += smem[i];
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
