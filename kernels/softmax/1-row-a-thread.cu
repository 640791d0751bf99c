// A thread for each row, in three passes: the greatest number, the sum,
// the quotients. In longer rows a single float loses the small numbers
// that are added to it.
//@ title   A row for each thread
//@ why     Neighbouring lanes read a whole row apart, and there are few
//@ why     threads: as many as rows.
//@ needs   cols <= 16384
//@ launch  softmaxThread<<<(rows + 63) / 64, 64>>>(
//@             in, out, rows, cols)
//@ owner   out <<<i / cols / 64, i / cols % 64>>>
#include <math.h>

extern "C" __global__ void softmaxThread(const float *__restrict__ in,
                                         float *__restrict__ out,
                                         int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = in + (long long)row * cols;
    float *to = out + (long long)row * cols;

    float most = from[0], sum = 0;
    for (int i = 1; i < cols; i++)
        most = fmaxf(most, from[i]);
    for (int i = 0; i < cols; i++)
        sum += __expf(from[i] - most);
    for (int i = 0; i < cols; i++)
        to[i] = __expf(from[i] - most) / sum;
}
