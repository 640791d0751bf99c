// reduction/smem-unroll with eight loads a thread instead of four.
//@ param   n = 1 << 24
//@ buffer  data    int[n] = i & 15
//@ buffer  partial int[(n + 1023) / 1024]
//@ buffer  total   int[1] = 0
//@ launch  reduceSmemUnroll<<<(n + 1023) / 1024, 128>>>(
//@             data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 1023) / 1024)
extern "C" __global__ void
reduceSmemUnroll(const int *__restrict__ g_idata,
                 int *__restrict__ g_odata, int n)
{
    __shared__ int smem[128];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;

    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += idx + 128 * k < n ? g_idata[idx + 128 * k] : 0;
    smem[tid] = sum;
    __syncthreads();

    if (tid < 64)
        smem[tid] += smem[tid + 64];
    __syncthreads();

    if (tid < 32) {
        for (int half = 32; half > 0; half /= 2) {
            int other = smem[tid + half];
            __syncwarp();
            smem[tid] += other;
            __syncwarp();
        }
    }
    if (tid == 0)
        g_odata[blockIdx.x] = smem[0];
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
