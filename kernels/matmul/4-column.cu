// A thread computes eight elements of a column. A number of B, once in
// a register, is used for all eight.
//@ title   A column for each thread
//@ why     Nine loads for eight multiplications, where there were
//@ why     sixteen; and eight sums that do not wait for each other.
//@ needs   n % 64 == 0
//@ launch  matmulColumn<<<dim3(n / 64, n / 64), 512>>>(a, b, c, n)
//@ owner   c <<<dim3(i % n / 64, i / n / 64),
//@              i / n % 64 / 8 * 64 + i % n % 64>>>
extern "C" __global__ void matmulColumn(const float *__restrict__ a,
                                        const float *__restrict__ b,
                                        float *__restrict__ c, int n)
{
    __shared__ float tileA[64][8], tileB[8][64];
    int tid = threadIdx.x;
    int x = tid % 64, y = tid / 64 * 8; // its column, its first row
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;

    float sum[8] = {};
    for (int first = 0; first < n; first += 8) {
        tileA[tid / 8][tid % 8] = a[tid / 8 * n + first + tid % 8];
        tileB[tid / 64][x] = b[(first + tid / 64) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float right = tileB[k][x];
#pragma unroll
            for (int i = 0; i < 8; i++)
                sum[i] += tileA[y + i][k] * right;
        }
        __syncthreads(); // before anybody loads the next tiles
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        c[(y + i) * n + x] = sum[i];
}
