// A lane keeps its 32 numbers.
//@ title   A row for each warp
//@ needs   cols <= 1024
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

    float x[32], most = -INFINITY, sum = 0;
#pragma unroll
    for (int r = 0; r < 32; r++) {
        int i = lane + 32 * r;
        x[r] = i < cols ? from[i] : 0;
        most = fmaxf(most, x[r]);
    }
    most = warpGreatest(most);
#pragma unroll
    for (int r = 0; r < 32; r++)
        sum += x[r] = __expf(x[r] - most);
    sum = warpTotal(sum);
#pragma unroll
    for (int r = 0; r < 32; r++)
        if (lane + 32 * r < cols)
            to[lane + 32 * r] = x[r] / sum;
}
