// Batches of products of complex matrices of 128 x 128, C = A * B^H, with
// tiles of 16 x 16 in shared memory and 2 x 2 elements to a thread.
//@ param   batch = 10
//@ param   n = 128
//@ buffer  a float2[batch * n * n] = hash(i) % 17 - 8
//@ buffer  b float2[batch * n * n] = hash(i + 5) % 13 - 6
//@ buffer  c float2[batch * n * n]
//@ launch  cgemmBatched<<<dim3(n / 32, n / 32, batch), dim3(16, 16)>>>(
//@             a, b, c, n)
#define TILE 32
#define STEP 16

__device__ __forceinline__ void addConj(float2 &s, float2 a, float2 b)
{
    s.x += a.x * b.x + a.y * b.y;
    s.y += a.y * b.x - a.x * b.y;
}

__global__ void cgemmBatched(const float2 *a, const float2 *b, float2 *c,
                             int n)
{
    __shared__ float2 as[TILE][STEP + 1], bs[TILE][STEP + 1];

    int tx = threadIdx.x, ty = threadIdx.y;
    size_t base = (size_t)blockIdx.z * n * n;
    a += base + (size_t)blockIdx.y * TILE * n;
    b += base + (size_t)blockIdx.x * TILE * n;

    float2 sum[2][2] = {};
    for (int k0 = 0; k0 < n; k0 += STEP) {
        for (int r = ty; r < TILE; r += 16) {
            as[r][tx] = a[r * n + k0 + tx];
            bs[r][tx] = b[r * n + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float2 a0 = as[ty][k], a1 = as[ty + 16][k];
            float2 b0 = bs[tx][k], b1 = bs[tx + 16][k];
            addConj(sum[0][0], a0, b0);
            addConj(sum[0][1], a0, b1);
            addConj(sum[1][0], a1, b0);
            addConj(sum[1][1], a1, b1);
        }
        __syncthreads();
    }
    c += base + (size_t)blockIdx.y * TILE * n + blockIdx.x * TILE;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            c[(ty + 16 * i) * n + tx + 16 * j] = sum[i][j];
}
