// reduction/modulo with 256 threads a block and a mask for the modulo.
//@ param   n = 1 << 23
//@ buffer  data    int[n] = i & 15
//@ buffer  partial int[(n + 255) / 256]
//@ buffer  total   int[1] = 0
//@ launch  reduce_modulo<<<(n + 255) / 256, 256>>>(data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 255) / 256)
extern "C" __global__ void reduce_modulo(const int *__restrict__ data,
                                         int *__restrict__ partial,
                                         int n)
{
    __shared__ int smem[256];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? data[idx] : 0;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        if ((tid & (2 * step - 1)) == 0)
            smem[tid] += smem[tid + step];
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
