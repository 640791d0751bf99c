// The greatest number and the sum in one pass: when a greater number
// comes, what has been added up so far is scaled down.
//@ title   Online
//@ why     Two passes instead of three, for one more exponential each,
//@ why     and numbers that wait for one another.
//@ launch  softmaxOnline<<<rows, 256>>>(in, out, cols)
//@ owner   out <<<i / cols, i % cols % 256>>>
#include <float.h>
#include <math.h>

// The greatest of all threads, or their sum, known to each of them.
__device__ float greatest(float mine, float *shared)
{
    for (int half = 16; half > 0; half /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, half));
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        mine = fmaxf(mine, shared[w]);
    __syncthreads(); // before the next use of `shared`
    return mine;
}

__device__ float total(float mine, float *shared)
{
    for (int half = 16; half > 0; half /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, half);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = 0;
    for (int w = 0; w < 8; w++)
        mine += shared[w];
    __syncthreads(); // before the next use of `shared`
    return mine;
}

extern "C" __global__ void softmaxOnline(const float *__restrict__ in,
                                         float *__restrict__ out,
                                         int cols)
{
    __shared__ float shared[8];
    const float *from = in + (long long)blockIdx.x * cols;
    float *to = out + (long long)blockIdx.x * cols;

    // Its own numbers so far: the greatest, and the sum relative to it.
    // It starts finite, because -inf less -inf is no number.
    float mine = -FLT_MAX, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256) {
        float x = from[i], greater = fmaxf(mine, x);
        sum = sum * __expf(mine - greater) + __expf(x - greater);
        mine = greater;
    }
    float most = greatest(mine, shared);
    sum = total(sum * __expf(mine - most), shared);
    for (int i = threadIdx.x; i < cols; i += 256)
        to[i] = __expf(from[i] - most) / sum;
}
