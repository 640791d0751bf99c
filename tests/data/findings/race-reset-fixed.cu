// The last block sets the counter back: it has seen that all others have counted.
//@ buffer count int[1] = 0
//@ launch reset<<<2, 1>>>(count)
extern "C" __global__ void reset(int *count)
{
    __threadfence();
    if (atomicAdd(count, 1) == 1)
        *count = 0;
}
