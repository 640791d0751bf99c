// A loop that is unrolled four times in PTX, and four times more by the assembler. Machine code that NVRTC 13.0 made for
// compute capability 9.0: the comparison of its loop has the line of a product.
//@ param  n = 32
//@ buffer a float[n * n] = i % 7
//@ buffer b float[n * n] = i % 5
//@ buffer c float[n * n]
//@ launch matmulAlong<<<1, dim3(32, 32)>>>(a, b, c, n)
extern "C" __global__ void matmulAlong(const float *__restrict__ a, const float *__restrict__ b,
                                       float *__restrict__ c, int n)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}
