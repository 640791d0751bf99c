// A matrix product by tiles of 64 x 64, of which each of 64 threads keeps 8 x 8 in registers.
//@ param n = 384
//@ buffer a float[n * n] = hash(i) & 7
//@ buffer b float[n * n] = hash(i + 1) & 7
//@ buffer c float[n * n]
//@ launch product<<<dim3(n / 64, n / 64), 64>>>(a, b, c, n)
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[64 * 8], bs[8 * 64];
    int column = threadIdx.x % 8, row = threadIdx.x / 8;
    float sum[8][8] = { { 0 } }, m[8], v[8];
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    for (int from = 0; from < n; from += 8) {
        for (int i = 0; i < 64; i += 8)
            as[(row + i) * 8 + column] = a[(row + i) * n + column];
        for (int i = 0; i < 8; i++)
            bs[i * 64 + threadIdx.x] = b[i * n + threadIdx.x];
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (int k = 0; k < 8; k++) {
            for (int i = 0; i < 8; i++)
                m[i] = as[(row * 8 + i) * 8 + k];
            for (int i = 0; i < 8; i++)
                v[i] = bs[k * 64 + column * 8 + i];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += m[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            c[(row * 8 + i) * n + column * 8 + j] = sum[i][j];
}
