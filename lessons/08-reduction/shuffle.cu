// A block of 8 warps. Each warp adds up by shuffles; then the first warp adds
// up the 8 sums.
//@ title   From lane to lane
//@ scratch partial int[(n + 255) / 256]
//@ launch  sum_blocks<<<(n + 255) / 256, 256>>>(data, partial, n)
//@ launch  addPartials<<<4, 128>>>(partial, total, (n + 255) / 256)
extern "C" __global__ void sum_blocks(const int *__restrict__ data,
                                      int *__restrict__ partial, int n)
{
    __shared__ int warp_sum[8];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = idx < n ? data[idx] : 0;
    // TODO: five shuffles, so that lane 0 holds the sum of its warp.
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();

    // TODO: the first warp adds warp_sum[0] to warp_sum[7], by shuffles too,
    // and lane 0 stores the sum of the block into partial[blockIdx.x].
}

// The second pass: a few blocks add up the partial sums of all.
extern "C" __global__ void addPartials(const int *__restrict__ partial,
                                       int *__restrict__ total, int count)
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
