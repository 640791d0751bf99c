// Numbers an array from 0 on and makes each number 3 times as large:
// put the lines that launch it in order.
//@ title   Launches in order
//@ param   n = 1000
//@ buffer  x int[n]
//@order
#include <assert.h>

extern "C" __global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

extern "C" __global__ void scale(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 3;
}

// Stops where a number is not `factor` times its place.
extern "C" __global__ void look(const int *x, int factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i >= n || x[i] == factor * i);
}
