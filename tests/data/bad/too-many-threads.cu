// No block can have so many threads.
//@ buffer  x int[4096] = i
//@ launch  crowd<<<1, 4096>>>(x)
extern "C" __global__ void crowd(int *x)
{
    x[threadIdx.x] = 1;
}
