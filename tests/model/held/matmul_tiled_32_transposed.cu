// C = alpha * transposed A * B + beta * C, by tiles of 32 x 32.
//@ param   rows = 768
//@ param   inner = 512
//@ param   cols = 640
//@ buffer  a float[inner * rows] = i % 9
//@ buffer  b float[inner * cols] = i % 4
//@ buffer  c float[rows * cols] = i % 6
//@ launch  multiply<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(
//@             a, b, c, rows, inner, cols, 0.5, 2.0)
extern "C" __global__ void multiply(const float *a, const float *b,
                                    float *c, int rows, int inner,
                                    int cols, float alpha, float beta)
{
    __shared__ float left[32][32], right[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 32 + x, row0 = blockIdx.y * 32;
    float sum = 0;
    for (int k0 = 0; k0 < inner; k0 += 32) {
        left[y][x] = a[(k0 + y) * rows + row0 + x];
        right[y][x] = b[(k0 + y) * cols + col];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += left[k][y] * right[k][x];
        __syncthreads();
    }
    float *mine = &c[(row0 + y) * cols + col];
    *mine = alpha * sum + beta * *mine;
}
