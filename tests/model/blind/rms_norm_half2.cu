// RMS norm of the activations of a language model, in half precision
// with two elements to a word; a block does a token.
//@ param   tokens = 3000
//@ param   hidden = 4096
//@ buffer  x      half2[tokens * hidden / 2] = hash(i) % 200 * 0.01 - 1
//@ buffer  weight half2[hidden / 2] = 0.5 + hash(i) % 100 * 0.01
//@ buffer  y      half2[tokens * hidden / 2]
//@ launch  rmsNorm<4096><<<tokens, 256>>>(x, weight, y, 0.00001)
#include <cuda_fp16.h>

template <int HIDDEN>
__global__ __launch_bounds__(256)
void rmsNorm(const half2 *__restrict__ x,
             const half2 *__restrict__ weight, half2 *__restrict__ y,
             float eps)
{
    constexpr int EACH = HIDDEN / 2 / 256;
    __shared__ float sums[8];

    const half2 *row = x + (size_t)blockIdx.x * (HIDDEN / 2);
    half2 v[EACH];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        v[k] = row[k * 256 + threadIdx.x];
        float2 f = __half22float2(v[k]);
        sum += f.x * f.x + f.y * f.y;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += sums[k];

    half2 scale = __float2half2_rn(rsqrtf(sum / HIDDEN + eps));
    half2 *out = y + (size_t)blockIdx.x * (HIDDEN / 2);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int c = k * 256 + threadIdx.x;
        out[c] = __hmul2(__hmul2(v[k], scale), weight[c]);
    }
}
