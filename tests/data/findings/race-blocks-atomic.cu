// Every block adds to the total; each then reads it as if all had.
//@ buffer total int[1] = 0
//@ buffer out   int[4]
//@ launch average<<<4, 32>>>(total, out)
extern "C" __global__ void average(int *total, int *out)
{
    atomicAdd(total, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *total;
}
