// Each block adds up 256 numbers in shared memory, the last one fewer.
//@ title   Left over
//@ scratch partial int[(n + 255) / 256]
//@ launch  sum_blocks<<<(n + 255) / 256, 256>>>(data, partial, n)
//@ launch  add_partials<<<1, 32>>>(partial, total, (n + 255) / 256)
extern "C" __global__ void sum_blocks(const int *data, int *partial,
                                      int n)
{
    __shared__ int smem[256];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;

    if (idx < n)
        smem[tid] = data[idx];
    __syncthreads();

    for (int half = 128; half > 0; half /= 2) {
        if (tid < half && idx < n)
            smem[tid] += smem[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = smem[0];
}

// One warp adds up what the blocks have left.
extern "C" __global__ void add_partials(const int *partial, int *total,
                                        int count)
{
    int sum = 0;
    for (int i = threadIdx.x; i < count; i += 32)
        sum += partial[i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        *total = sum;
}
