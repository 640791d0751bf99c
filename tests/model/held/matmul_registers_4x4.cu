// A product by tiles of 64 x 64; a thread makes 4 x 4 of it in
// registers.
//@ param   m = 768
//@ buffer  a float[m * m] = i % 9
//@ buffer  b float[m * m] = i % 4
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 64, m / 64), 256>>>(a, b, c, m)
extern "C" __global__ void __launch_bounds__(256)
    multiply(const float *a, const float *b, float *c, int m)
{
    __shared__ float left[16][64 + 4], right[16][64];
    int t = threadIdx.x, x = t % 16, y = t / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};

    for (int k0 = 0; k0 < m; k0 += 16) {
        for (int r = 0; r < 4; r++) {
            left[x][y + 16 * r] = a[(row0 + y + 16 * r) * m + k0 + x];
            right[t / 64 + 4 * r][t % 64] =
                b[(k0 + t / 64 + 4 * r) * m + col0 + t % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] +=
                        left[k][4 * y + i] * right[k][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + 4 * y + i) * m + col0 + x + 16 * j] = sum[i][j];
}
