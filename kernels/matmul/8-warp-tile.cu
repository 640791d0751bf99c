// A warp computes 64 x 32 elements. Its lanes form eight rows of four,
// not two of 16, and need fewer different numbers at a time.
//@ title   Tiles for warps
//@ why     A load whose lanes ask for few different numbers takes fewer
//@ why     passes. The shape of a warp decides how few.
//@ needs   n % 128 == 0
//@ launch  matmulWarp<<<dim3(n / 128, n / 128), 256>>>(a, b, c, n)
extern "C" __global__ void __launch_bounds__(256, 2)
    matmulWarp(const float *__restrict__ a, const float *__restrict__ b,
               float *__restrict__ c, int n)
{
    __shared__ __align__(16) float tileA[8][132], tileB[8][128];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    // The lane's place among eight rows of four. A pair of lanes shares
    // its numbers of A, and every second pair those of B: then a load
    // of 16 bytes takes two passes and not four.
    int laneRow = (lane >> 1 & 1) | (lane >> 2 & 6);
    int laneCol = (lane & 1) | (lane >> 1 & 2);
    // Its first row and column; it has four more 32 rows on, and four
    // more 16 columns on.
    int y = warp / 4 * 64 + laneRow * 4;
    int x = warp % 4 * 32 + laneCol * 4;
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
                *(float4 *)&left[i] = *(float4 *)&tileA[k][y + 8 * i];
                *(float4 *)&right[i] = *(float4 *)&tileB[k][x + 4 * i];
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
            *(float4 *)&c[(y + i % 4 + i / 4 * 32) * n + x + 4 * j] =
                *(float4 *)&sum[i][j];
}
