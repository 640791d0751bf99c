// A counter is changed by an atomic.
//@ buffer count int[1] = 0
//@ launch tally<<<4, 32>>>(count)
extern "C" __global__ void tally(int *count)
{
    if (threadIdx.x == 0)
        atomicAdd(count, 1);
}
