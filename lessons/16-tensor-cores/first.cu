// A warp makes 16 x 16 elements of C, product by product.
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
    // TODO: the same with tensor cores
    for (int i = threadIdx.x; i < 256; i += 32) {
        int row = i / 16, col = i % 16;
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += (float)a[row * n + k] * (float)b[k * n + col];
        c[row * n + col] = sum;
    }
}
