// Each lane scales its sum when a greater number comes.
//@ title   A row for each warp
//@ launch  softmax<<<(rows + 7) / 8, 256>>>(in, out, rows, cols)
#include <math.h>

// The greatest of all lanes, or their sum, known to each of them.
__device__ float warpGreatest(float mine)
{
    for (int half = 16; half > 0; half /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, half));
    return mine;
}

__device__ float warpTotal(float mine)
{
    for (int half = 16; half > 0; half /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, half);
    return mine;
}

extern "C" __global__ void softmax(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows)
        return; // the whole warp does
    const float *from = in + row * cols;
    float *to = out + row * cols;

    float mine = -INFINITY, sum = 0;
    for (int i = lane; i < cols; i += 32) {
        float x = from[i];
        float greater = fmaxf(mine, x);
        sum = sum * __expf(mine - greater) + __expf(x - greater);
        mine = greater;
    }
    float most = warpGreatest(mine);
    sum = warpTotal(sum * __expf(mine - most));
    for (int i = lane; i < cols; i += 32)
        to[i] = __expf(from[i] - most) / sum;
}
