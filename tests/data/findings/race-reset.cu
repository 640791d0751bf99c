// The first block sets the counter back, while others may still count.
//@ buffer count int[1] = 0
//@ launch reset<<<2, 1>>>(count)
extern "C" __global__ void reset(int *count)
{
    __threadfence();
    if (atomicAdd(count, 1) >= 0 && blockIdx.x == 0)
        *count = 0;
}
