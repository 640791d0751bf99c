// A matrix product by tiles of 32 x 32 in blocks of one dimension: a warp is a row of a tile.
//@ param n = 256
//@ buffer a float[n * n] = hash(i) & 7
//@ buffer b float[n * n] = hash(i + 1) & 7
//@ buffer c float[n * n]
//@ launch product<<<dim3(n / 32, n / 32), 1024>>>(a, b, c, n)
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[32 * 32], bs[32 * 32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    a += blockIdx.y * 32 * n;
    b += blockIdx.x * 32;
    c += blockIdx.y * 32 * n + blockIdx.x * 32;
    float sum = 0;
    for (int from = 0; from < n; from += 32) {
        as[y * 32 + x] = a[y * n + x];
        bs[y * 32 + x] = b[y * n + x];
        __syncthreads();
        a += 32;
        b += 32 * n;
        for (int k = 0; k < 32; k++)
            sum += as[y * 32 + k] * bs[k * 32 + x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
