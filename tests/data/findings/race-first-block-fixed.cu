// A launch of its own sets the total.
//@ buffer total int[1] = 5
//@ launch clear<<<1, 1>>>(total)
//@ launch tally<<<4, 64>>>(total)
extern "C" __global__ void clear(int *total)
{
    total[0] = 0;
}
extern "C" __global__ void tally(int *total)
{
    atomicAdd(total, 1);
}
