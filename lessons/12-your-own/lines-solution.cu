// y = a * x + y. The kernels are right; some lines for warpbook are
// missing. `before` and `compare` stop if an element of y is not what
// it should be at that point.
//@ param   n = 1000
//@ buffer  x float[n] = i % 100
//@ buffer  y float[n] = 3
//@ launch  before<<<(n + 255) / 256, 256>>>(y, n)
//@ launch  axpy<<<(n + 255) / 256, 256>>>(x, y, 2, n)
//@ launch  compare<<<(n + 255) / 256, 256>>>(y, n)
#include <assert.h>

extern "C" __global__ void axpy(const float *x, float *y, float a,
                                int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

extern "C" __global__ void before(const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i >= n || y[i] == 3);
}

extern "C" __global__ void compare(const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i >= n || y[i] == 2 * (i % 100) + 3);
}
