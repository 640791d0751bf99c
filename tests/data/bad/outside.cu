// Writes far outside of its buffer.
//@ buffer  x int[1024] = 0
//@ launch  outside<<<1, 32>>>(x)
extern "C" __global__ void outside(int *x)
{
    x[(1ll << 40) + threadIdx.x] = 1;
}
