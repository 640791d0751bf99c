// The product of two matrices as it is first written.
//@ param   m = 512
//@ buffer  a float[m * m] = i % 7
//@ buffer  b float[m * m] = i % 11
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 16, m / 16), dim3(16, 16)>>>(a, b, c, m)
extern "C" __global__ void multiply(const float *a, const float *b,
                                    float *c, int m)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[row * m + k] * b[k * m + col];
    c[row * m + col] = sum;
}
