// A product of matrices with tiles of 32 x 32 and 32 x 16 threads, each
// of which makes two results.
//@ param   m = 768
//@ buffer  a float[m * m] = i % 7
//@ buffer  b float[m * m] = i % 11
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 32, m / 32), dim3(32, 16)>>>(a, b, c, m)
extern "C" __global__ void multiply(const float *a, const float *b,
                                    float *c, int m)
{
    __shared__ float left[32][32], right[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float one = 0, two = 0;
    for (int k0 = 0; k0 < m; k0 += 32) {
        left[y][x] = a[row * m + k0 + x];
        left[y + 16][x] = a[(row + 16) * m + k0 + x];
        right[y][x] = b[(k0 + y) * m + col];
        right[y + 16][x] = b[(k0 + y + 16) * m + col];
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            one += left[y][k] * right[k][x];
            two += left[y + 16][k] * right[k][x];
        }
        __syncthreads();
    }
    c[row * m + col] = one;
    c[(row + 16) * m + col] = two;
}
