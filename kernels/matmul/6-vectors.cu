// All loads and stores take 16 bytes. The tile of A is turned in shared
// memory, so that what a thread needs of it lies side by side.
//@ title   16-byte loads
//@ why     A quarter of the memory instructions for the same numbers.
//@ why     Some of the wide accesses collide in the banks.
//@ needs   n % 128 == 0
//@ launch  matmulVectors<<<dim3(n / 128, n / 128), 256>>>(a, b, c, n)
//@ owner   c <<<dim3(i % n / 128, i / n / 128),
//@              i / n % 128 / 8 * 16 + i % n % 128 / 8>>>
extern "C" __global__ void __launch_bounds__(256, 2)
    matmulVectors(const float *__restrict__ a,
                  const float *__restrict__ b, float *__restrict__ c,
                  int n)
{
    __shared__ __align__(16) float tileA[8][128], tileB[8][128];
    int tid = threadIdx.x;
    int x = tid % 16 * 8, y = tid / 16 * 8; // its corner
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
                *(float4 *)&left[i] = *(float4 *)&tileA[k][y + i];
                *(float4 *)&right[i] = *(float4 *)&tileB[k][x + i];
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
            *(float4 *)&c[(y + i) * n + x + j] = *(float4 *)&sum[i][j];
}
