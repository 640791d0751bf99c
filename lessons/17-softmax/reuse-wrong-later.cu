// A block for each row; its warps share what they find in one array.
//@ title   A row for each block
//@ launch  softmax<<<rows, 256>>>(in, out, cols)
#include <math.h>

// The greatest of all threads, known to each of them.
__device__ float greatest(float mine, float *shared)
{
    for (int half = 16; half > 0; half /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, half));
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        mine = fmaxf(mine, shared[w]);
    return mine;
}

// The sum of all threads, known to each of them.
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
    __syncthreads();
    return mine;
}

extern "C" __global__ void softmax(const float *__restrict__ in,
                                   float *__restrict__ out, int cols)
{
    __shared__ float shared[8];
    const float *from = in + blockIdx.x * cols;
    float *to = out + blockIdx.x * cols;

    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256)
        most = fmaxf(most, from[i]);
    most = greatest(most, shared);
    for (int i = threadIdx.x; i < cols; i += 256)
        sum += __expf(from[i] - most);
    sum = total(sum, shared);
    for (int i = threadIdx.x; i < cols; i += 256)
        to[i] = __expf(from[i] - most) / sum;
}
