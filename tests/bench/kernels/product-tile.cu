// A matrix product by tiles of 16 x 16 in shared memory.
//@ param n = 256
//@ buffer a float[n * n] = hash(i) & 7
//@ buffer b float[n * n] = hash(i + 1) & 7
//@ buffer c float[n * n]
//@ launch product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n)
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int from = 0; from < n; from += 16) {
        as[ty][tx] = a[y * n + from + tx];
        bs[ty][tx] = b[(from + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
