// Right, but product by product still: two rows at a time.
//@ title   A tile for each warp
//@ needs   n % 16 == 0
//@ launch  multiply<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    a += blockIdx.y * 16 * n;
    b += blockIdx.x * 16;
    c += blockIdx.y * 16 * n + blockIdx.x * 16;
    int row = threadIdx.x / 16, col = threadIdx.x % 16;
    float sum[8] = {};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 8; i++)
            sum[i] += (float)a[(row + 2 * i) * n + k] *
                      (float)b[k * n + col];
    for (int i = 0; i < 8; i++)
        c[(row + 2 * i) * n + col] = sum[i];
}
