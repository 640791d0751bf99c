// A thread computes a square of 4 x 4 elements.
//@ title   4 x 4 for each thread
//@ needs   n % 64 == 0
//@ launch  multiply<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n)
extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ b,
                                    float *__restrict__ c, int n)
{
    __shared__ float tileA[64][8], tileB[8][64];
    int tid = threadIdx.x;
    // TODO: which columns does a thread take, and which rows?
    int x = tid % 16 * 4, y = tid / 16 * 4;
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;

    float sum[4][4] = {};
    for (int first = 0; first < n; first += 8) {
        for (int r = 0; r < 2; r++) {
            int i = tid / 8 + 32 * r, j = tid % 8;
            tileA[i][j] = a[i * n + first + j];
            i = tid / 64 + 4 * r, j = tid % 64;
            tileB[i][j] = b[(first + i) * n + j];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float left[4], right[4];
            for (int i = 0; i < 4; i++) {
                left[i] = tileA[y + i][k];
                right[i] = tileB[k][x + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(y + i) * n + x + j] = sum[i][j];
}
