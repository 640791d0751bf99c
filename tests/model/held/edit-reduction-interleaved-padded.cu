// reduction/interleaved with a word of padding after every 32, so that
// pairs that move apart stay in different banks.
//@ param   n = 1 << 23
//@ buffer  data    int[n] = i & 15
//@ buffer  partial int[(n + 127) / 128]
//@ buffer  total   int[1] = 0
//@ launch  reduce_interleaved<<<(n + 127) / 128, 128>>>(
//@             data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 127) / 128)
__device__ int padded(int i)
{
    return i + i / 32;
}

extern "C" __global__ void
reduce_interleaved(const int *__restrict__ data,
                   int *__restrict__ partial, int n)
{
    __shared__ int smem[128 + 4];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[padded(tid)] = idx < n ? data[idx] : 0;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        int first = 2 * step * tid;
        if (first < blockDim.x)
            smem[padded(first)] += smem[padded(first + step)];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = smem[0];
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
