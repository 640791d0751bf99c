// The same, but the size of the shared array comes with the launch, as
// its third number, in bytes.
//@ title   Shared, sized at the launch
//@ why     Only the declaration and the launch change; the speed does
//@ why     not.
//@ scratch partial int[(n + 511) / 512]
//@ launch  reduceSmemUnrollDyn<<<(n + 511) / 512, 128, 128 * 4>>>(
//@             data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 511) / 512)
extern "C" __global__ void
reduceSmemUnrollDyn(const int *__restrict__ g_idata,
                    int *__restrict__ g_odata, int n)
{
    extern __shared__ int smem[];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    // No load waits for another. Each has its own check: the last block
    // may be cut anywhere.
    int a1 = idx < n ? g_idata[idx] : 0;
    int a2 = idx + 128 < n ? g_idata[idx + 128] : 0;
    int a3 = idx + 256 < n ? g_idata[idx + 256] : 0;
    int a4 = idx + 384 < n ? g_idata[idx + 384] : 0;
    smem[tid] = a1 + a2 + a3 + a4;
    __syncthreads();

    if (tid < 64)
        smem[tid] += smem[tid + 64];
    __syncthreads();

    // The rest is for one warp. Its lanes need not move together, so
    // all read before any writes.
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
