// A product without tiles, of doubles and with blocks of 32 x 8; the
// matrices are not square.
//@ param   rows = 512
//@ param   inner = 384
//@ param   cols = 768
//@ buffer  a double[rows * inner] = i % 7
//@ buffer  b double[inner * cols] = i % 11
//@ buffer  c double[rows * cols]
//@ launch  multiply<<<dim3(cols / 32, rows / 8), dim3(32, 8)>>>(
//@             a, b, c, inner, cols)
extern "C" __global__ void multiply(const double *__restrict__ a,
                                    const double *__restrict__ b,
                                    double *__restrict__ c, int inner,
                                    int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[row * inner + k] * b[k * cols + col];
    c[row * cols + col] = sum;
}
