// An experiment: step 3 with one tree, as there, but each load waits
// for the one before it.
//@ title   One tree, one load in flight
//@ why     A quarter of the trees and blocks, as in step 3, but no two
//@ why     loads at a time. What that costs, overlapping had gained.
//@ scratch partial int[(n + 511) / 512]
//@ launch  reduce_one_load<<<(n + 511) / 512, 128>>>(data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 511) / 512)
extern "C" __global__ void
reduce_one_load(const int *__restrict__ g_idata,
                int *__restrict__ g_odata, int n)
{
    __shared__ int smem[128];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    int sum = 0, before = 0;
    for (int k = 0; k < 4; k++) {
        // Always 0, since no number is negative; but the address waits
        // for the load before.
        int late = before < 0;
        before = idx + 128 * k < n ? g_idata[idx + 128 * k + late] : 0;
        sum += before;
    }
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
