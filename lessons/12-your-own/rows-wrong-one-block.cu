// Scales a matrix of rows x cols floats. A row takes `stride` floats of
// memory, and what follows its cols floats is not part of it. `compare`
// checks all of the memory. Leave it and its launch.
//@ param   rows = 60
//@ param   cols = 100
//@ param   stride = 128
//@ needs   stride >= cols
//@ buffer  x float[rows * stride] = i % 1000
//@ launch  scale<<<1, 1024>>>(x, 2.5, rows, cols, stride)
//@ launch  compare<<<rows, 256>>>(x, 2.5, cols, stride)
#include <assert.h>

extern "C" __global__ void scale(float *x, float factor, int rows,
                                 int cols, int stride)
{
    // One block for all.
    for (int i = threadIdx.x; i < rows * cols; i += blockDim.x)
        x[i / cols * stride + i % cols] *= factor;
}

extern "C" __global__ void compare(const float *x, float factor,
                                   int cols, int stride)
{
    for (int col = threadIdx.x; col < stride; col += blockDim.x) {
        int i = blockIdx.x * stride + col;
        assert(x[i] == i % 1000 * (col < cols ? factor : 1));
    }
}
