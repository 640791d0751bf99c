// Each block adds up its 128 numbers where they lie, in global memory.
// That destroys its input, which is restored before every run.
//@ title   In place, in global memory
//@ why     Every step of the tree reads and writes global memory again.
//@ scratch partial int[(n + 127) / 128]
//@ launch  reduceGmem<<<(n + 127) / 128, 128>>>(data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 127) / 128)
extern "C" __global__ void reduceGmem(int *g_idata, int *g_odata, int n)
{
    int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    // The numbers from here on: the last block may have few.
    int count = n - blockIdx.x * blockDim.x;

    if (tid < 64 && tid + 64 < count)
        idata[tid] += idata[tid + 64];
    __syncthreads();

    // The rest is for one warp. Its lanes need not move together, so
    // all read before any writes.
    if (tid < 32) {
        for (int half = 32; half > 0; half /= 2) {
            int other = tid + half < count ? idata[tid + half] : 0;
            __syncwarp();
            if (tid < count)
                idata[tid] += other;
            __syncwarp();
        }
    }
    if (tid == 0)
        g_odata[blockIdx.x] = idata[0];
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
