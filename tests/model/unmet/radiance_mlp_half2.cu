// A small neural network for a point of a light field: 32 features, two hidden layers of
// 32 and four outputs, all in half precision, two numbers at a time. A thread evaluates a
// point with its activations in registers; weights come from shared memory, the same for
// all lanes.
//@ param   points = 131072
//@ buffer  features half2[points * 16] = hash(i) % 200 * 0.01 - 1
//@ buffer  weights half2[1088] = hash(i) % 200 * 0.004 - 0.4
//@ buffer  radiance half2[points * 2]
//@ launch  evaluate<<<points / 128, 128>>>(features, weights, radiance)
#include <cuda_fp16.h>

const int pairs = 16; // of numbers in a layer

// The sum of products of a row of weights and the activations.
__device__ half2 row(const uint4 *weights, const half2 (&in)[pairs])
{
    half2 sum = __float2half2_rn(0.0f);
#pragma unroll
    for (int k = 0; k < pairs / 4; k++) {
        uint4 four = weights[k];
        sum = __hfma2(*(half2 *)&four.x, in[4 * k], sum);
        sum = __hfma2(*(half2 *)&four.y, in[4 * k + 1], sum);
        sum = __hfma2(*(half2 *)&four.z, in[4 * k + 2], sum);
        sum = __hfma2(*(half2 *)&four.w, in[4 * k + 3], sum);
    }
    return sum;
}

// Two outputs, from the halves of two sums.
__device__ half2 two_rows(const uint4 *weights, const half2 (&in)[pairs])
{
    half2 a = row(weights, in), b = row(weights + pairs / 4, in);
    return __hadd2(__lows2half2(a, b), __highs2half2(a, b));
}

__global__ void evaluate(const half2 *features, const half2 *weights, half2 *radiance)
{
    __shared__ uint4 shared[272];
    for (int k = threadIdx.x; k < 272; k += blockDim.x)
        shared[k] = ((const uint4 *)weights)[k];

    int point = blockIdx.x * blockDim.x + threadIdx.x;
    half2 now[pairs], next[pairs];
#pragma unroll
    for (int k = 0; k < pairs / 4; k++) {
        uint4 four = ((const uint4 *)features)[point * (pairs / 4) + k];
        now[4 * k] = *(half2 *)&four.x;
        now[4 * k + 1] = *(half2 *)&four.y;
        now[4 * k + 2] = *(half2 *)&four.z;
        now[4 * k + 3] = *(half2 *)&four.w;
    }
    __syncthreads();

    const half2 zero = __float2half2_rn(0.0f);
#pragma unroll
    for (int layer = 0; layer < 2; layer++) {
#pragma unroll
        for (int k = 0; k < pairs; k++)
            next[k] = __hmax2(two_rows(shared + layer * 128 + k * 8, now), zero);
#pragma unroll
        for (int k = 0; k < pairs; k++)
            now[k] = next[k];
    }
    radiance[2 * point] = two_rows(shared + 256, now);
    radiance[2 * point + 1] = two_rows(shared + 264, now);
}
