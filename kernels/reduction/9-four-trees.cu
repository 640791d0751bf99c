// An experiment: step 3 with four loads in flight, as there, but a tree
// for each of the four.
//@ title   Four loads, four trees
//@ why     As many trees and barriers for a number as in step 2. What
//@ why     step 3 gains over this, it gains by having fewer of them.
//@ scratch partial int[(n + 511) / 512]
//@ launch  reduce_four_trees<<<(n + 511) / 512, 128>>>(
//@             data, partial, n)
//@ launch  addPartials<<<sm_count, 512>>>(
//@             partial, total, (n + 511) / 512)
extern "C" __global__ void
reduce_four_trees(const int *__restrict__ g_idata,
                  int *__restrict__ g_odata, int n)
{
    __shared__ int trees[4][128];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    int a[4];
    for (int k = 0; k < 4; k++)
        a[k] = idx + 128 * k < n ? g_idata[idx + 128 * k] : 0;

    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int *smem = trees[k];
        smem[tid] = a[k];
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
            sum += smem[tid]; // its own; that of thread 0 is the sum
        }
    }
    if (tid == 0)
        g_odata[blockIdx.x] = sum;
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
