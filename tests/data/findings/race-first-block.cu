// The first block sets the total to which all blocks add.
//@ buffer total int[1] = 5
//@ launch tally<<<4, 64>>>(total)
extern "C" __global__ void tally(int *total)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        total[0] = 0;
    __syncthreads();
    atomicAdd(total, 1);
}
