// A thread has its columns in two groups of four, 64 apart, so that
// neighbouring threads load neighbouring 16 bytes. The turned tile is
// padded.
//@ title   Without conflicts
//@ why     The same instructions. No access takes more passes than its
//@ why     bytes need.
//@ needs   n % 128 == 0
//@ launch  matmulNoConflict<<<dim3(n / 128, n / 128), 256>>>(
//@             a, b, c, n)
//@ owner   c <<<dim3(i % n / 128, i / n / 128),
//@              i / n % 64 / 4 * 16 + i % n % 64 / 4>>>
extern "C" __global__ void __launch_bounds__(256, 2)
    matmulNoConflict(const float *__restrict__ a,
                     const float *__restrict__ b, float *__restrict__ c,
                     int n)
{
    __shared__ __align__(16) float tileA[8][132], tileB[8][128];
    int tid = threadIdx.x;
    // Its first column and row; the others are up to 3 and 64 to 67 on.
    int x = tid % 16 * 4, y = tid / 16 * 4;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it loads: four numbers of a row of A, and four of B.
    int rowA = tid / 2, colA = tid % 2 * 4;
    int rowB = tid / 32, colB = tid % 32 * 4;

    float sum[8][8] = {};
    for (int first = 0; first < n; first += 8) {
        float4 four = *(const float4 *)&a[rowA * n + first + colA];
        tileA[colA + 0][rowA] = four.x;
        tileA[colA + 1][rowA] = four.y;
        tileA[colA + 2][rowA] = four.z;
        tileA[colA + 3][rowA] = four.w;
        *(float4 *)&tileB[rowB][colB] =
            *(const float4 *)&b[(first + rowB) * n + colB];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float left[8], right[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *(float4 *)&left[i] = *(float4 *)&tileA[k][y + 16 * i];
                *(float4 *)&right[i] = *(float4 *)&tileB[k][x + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads(); // before anybody loads the next tiles
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&c[(y + i % 4 + i / 4 * 64) * n + x + 16 * j] =
                *(float4 *)&sum[i][j];
}
