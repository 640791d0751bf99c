// Gives up on purpose.
//@ buffer  x int[32] = i
//@ launch  trap<<<1, 32>>>(x)
extern "C" __global__ void trap(int *x)
{
    if (x[threadIdx.x] == 7)
        __trap();
}
