// The lanes of a warp hand their sums to one another, register to
// register. Shared memory carries only one number a warp.
//@ title   Warp shuffle
//@ why     No memory and no barrier inside a warp: of eight barriers,
//@ why     one is left.
//@ scratch partial int[(n + 127) / 128]
//@ launch  reduce_shuffle<<<(n + 127) / 128, 128>>>(data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 127) / 128)
extern "C" __global__ void reduce_shuffle(const int *__restrict__ data,
                                          int *__restrict__ partial,
                                          int n)
{
    __shared__ int warp_sum[4];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    // Each lane adds what the lane 16, 8, 4, 2, 1 further on holds;
    // lane 0 ends with the warp's sum.
    int sum = idx < n ? data[idx] : 0;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();

    if (tid == 0)
        partial[blockIdx.x] =
            warp_sum[0] + warp_sum[1] + warp_sum[2] + warp_sum[3];
}

// The second pass: a few blocks add up the partial sums of all. The
// shuffles are a later step's idea.
extern "C" __global__ void addPartials(const int *__restrict__ partial,
                                       int *__restrict__ total,
                                       int count)
{
    int sum = 0;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x)
        sum += partial[i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}
