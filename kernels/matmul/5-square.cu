// A thread computes a square of 8 x 8 elements. It loads eight numbers
// of A and eight of B, and multiplies each by each.
//@ title   A square for each thread
//@ why     Sixteen loads for 64 multiplications. What a thread loads
//@ why     grows with the side, what it computes with the square.
//@ needs   n % 128 == 0
//@ launch  matmulSquare<<<dim3(n / 128, n / 128), 256>>>(a, b, c, n)
//@ owner   c <<<dim3(i % n / 128, i / n / 128),
//@              i / n % 128 / 8 * 16 + i % n % 128 / 8>>>
extern "C" __global__ void __launch_bounds__(256, 2)
    matmulSquare(const float *__restrict__ a,
                 const float *__restrict__ b, float *__restrict__ c,
                 int n)
{
    __shared__ float tileA[128][8], tileB[8][128];
    int tid = threadIdx.x;
    int x = tid % 16 * 8, y = tid / 16 * 8; // its corner
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    float sum[8][8] = {};
    for (int first = 0; first < n; first += 8) {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = tid / 8 + 32 * r, j = tid % 8;
            tileA[i][j] = a[i * n + first + j];
            i = tid / 128 + 2 * r, j = tid % 128;
            tileB[i][j] = b[(first + i) * n + j];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float left[8], right[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                left[i] = tileA[y + i][k];
                right[i] = tileB[k][x + i];
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
        for (int j = 0; j < 8; j++)
            c[(y + i) * n + x + j] = sum[i][j];
}
