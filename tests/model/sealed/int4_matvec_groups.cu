// A matrix of 4-bit weights times a vector, as a language model needs it
// for one token: eight weights to a word, a scale for each 128 of them.
//@ param   rows = 8192
//@ param   cols = 4096
//@ buffer  packed uint4[rows * cols / 32] = hash(i)
//@ buffer  scale  half[rows * cols / 128] = 0.01 + hash(i) % 10 * 0.001
//@ buffer  x      float[cols] = hash(i) % 21 * 0.1 - 1
//@ buffer  y      float[rows]
//@ launch  matvec4<<<rows / 8, 256>>>(packed, scale, x, y, cols)
#include <cuda_fp16.h>

__device__ float eight(unsigned w, const float *x)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += (float)((int)(w >> 4 * k & 15) - 8) * x[k];
    return sum;
}

__global__ void matvec4(const uint4 *packed, const half *scale,
                        const float *x, float *y, int cols)
{
    __shared__ float sx[4096];

    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sx[c] = x[c];
    __syncthreads();

    int row = blockIdx.x * 8 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    const uint4 *words = packed + (size_t)row * (cols / 32);
    const half *scales = scale + (size_t)row * (cols / 128);
    float sum = 0.0f;
    for (int q = lane; q < cols / 32; q += 32) {
        uint4 w = words[q];
        const float *at = sx + q * 32;
        float part = eight(w.x, at) + eight(w.y, at + 8) +
                     eight(w.z, at + 16) + eight(w.w, at + 24);
        sum += part * __half2float(scales[q / 4]);
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}
