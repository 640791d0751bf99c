// Two sums of 16 bits.
//@ title   A sum for each thread
//@ needs   n % 16 == 0
//@ launch  multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n)
#include <cuda_fp16.h>

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    half sum = 0.0f, odd = 0.0f;
    for (int k = 0; k < n; k += 2) {
        sum = __hfma(a[row * n + k], b[k * n + col], sum);
        odd = __hfma(a[row * n + k + 1], b[(k + 1) * n + col], odd);
    }
    sum = sum + odd;
    c[row * n + col] = (float)sum;
}
