// Blocks count without an atomic.
//@ buffer total int[1] = 0
//@ launch tally<<<4, 32>>>(total)
extern "C" __global__ void tally(int *total)
{
    if (threadIdx.x == 0)
        total[0] = total[0] + 1;
}
