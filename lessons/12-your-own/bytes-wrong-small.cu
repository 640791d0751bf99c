// Turns each block of 256 floats around. The kernel came from a program
// that launched it; the launch below was written for this file.
// `compare` checks every element. Leave it and its launch.
//@ param   n = 1024
//@ needs   n % 256 == 0
//@ buffer  x float[n] = i
//@ buffer  out float[n]
//@ launch  turn<<<n / 256, 256>>>(x, out)
//@ launch  compare<<<n / 256, 256>>>(out)
#include <assert.h>

extern "C" __global__ void turn(const float *x, float *out)
{
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    part[threadIdx.x] = x[i];
    __syncthreads();
    out[i] = part[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void compare(const float *out)
{
    int start = blockIdx.x * blockDim.x;
    assert(out[start + threadIdx.x] == start + 255 - (int)threadIdx.x);
}
