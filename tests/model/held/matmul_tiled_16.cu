// A product by tiles of 16 x 16 in shared memory.
//@ param   m = 448
//@ buffer  a float[m * m] = i % 9
//@ buffer  b float[m * m] = i % 4
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 16, m / 16), dim3(16, 16)>>>(a, b, c, m)
extern "C" __global__ void multiply(const float *a, const float *b,
                                    float *c, int m)
{
    __shared__ float left[16][16], right[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < m; k0 += 16) {
        left[y][x] = a[row * m + k0 + x];
        right[y][x] = b[(k0 + y) * m + col];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * m + col] = sum;
}
