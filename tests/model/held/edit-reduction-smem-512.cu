// reduction/smem with blocks of 512 threads.
//@ param   n = 1 << 24
//@ buffer  data    int[n] = i & 15
//@ buffer  partial int[(n + 511) / 512]
//@ buffer  total   int[1] = 0
//@ launch  reduceSmem<<<(n + 511) / 512, 512>>>(data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 511) / 512)
extern "C" __global__ void reduceSmem(const int *__restrict__ g_idata,
                                      int *__restrict__ g_odata, int n)
{
    __shared__ int smem[512];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    smem[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();

    if (tid < 256)
        smem[tid] += smem[tid + 256];
    __syncthreads();
    if (tid < 128)
        smem[tid] += smem[tid + 128];
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
