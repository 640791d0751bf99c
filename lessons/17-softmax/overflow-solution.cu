// The greatest of the row is subtracted first.
//@ title   Shares of a row
//@ launch  softmax<<<(rows + 31) / 32, 32>>>(in, out, rows, cols)
#include <math.h>

extern "C" __global__ void softmax(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = in + row * cols;
    float *to = out + row * cols;

    float most = -INFINITY;
    for (int i = 0; i < cols; i++)
        most = fmaxf(most, from[i]);
    float sum = 0;
    for (int i = 0; i < cols; i++)
        sum += __expf(from[i] - most);
    for (int i = 0; i < cols; i++)
        to[i] = __expf(from[i] - most) / sum;
}
