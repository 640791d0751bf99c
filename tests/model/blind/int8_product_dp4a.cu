// A product of 8-bit matrices with __dp4a, four elements to a word, and
// its result scaled back to 8 bits.
//@ param   m = 960
//@ param   n = 1024
//@ param   k = 1152
//@ buffer  a int[m * k / 4] = hash(i)
//@ buffer  b int[n * k / 4] = hash(i + 12345)
//@ buffer  c char[m * n]
//@ launch  product_s8<<<dim3(n / 32, m / 32), dim3(16, 16)>>>(
//@             a, b, c, n, k / 4, 0.0001)
// A is m x k and B is n x k, both with k along the rows.
__global__ void product_s8(const int *A, const int *B, signed char *C,
                           int n, int kWords, float scale)
{
    __shared__ int as[32][17];
    __shared__ int bs[32][17];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    int c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int t = 0; t < kWords; t += 16) {
        as[ty][tx] = A[(row0 + ty) * kWords + t + tx];
        as[ty + 16][tx] = A[(row0 + ty + 16) * kWords + t + tx];
        bs[ty][tx] = B[(col0 + ty) * kWords + t + tx];
        bs[ty + 16][tx] = B[(col0 + ty + 16) * kWords + t + tx];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            int a0 = as[ty][k], a1 = as[ty + 16][k];
            int b0 = bs[tx][k], b1 = bs[tx + 16][k];
            c00 = __dp4a(a0, b0, c00);
            c01 = __dp4a(a0, b1, c01);
            c10 = __dp4a(a1, b0, c10);
            c11 = __dp4a(a1, b1, c11);
        }
        __syncthreads();
    }

    int sum[4] = {c00, c01, c10, c11};
    for (int e = 0; e < 4; e++) {
        int row = row0 + ty + 16 * (e / 2);
        int col = col0 + tx + 16 * (e % 2);
        int v = __float2int_rn(sum[e] * scale);
        C[row * n + col] = (signed char)min(127, max(-128, v));
    }
}
