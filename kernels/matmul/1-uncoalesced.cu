// A thread for each element of C: a row of A times a column of B.
// Neighbouring threads have neighbouring rows.
//@ title   Threads down a column
//@ why     The lanes of a warp read 32 rows of A and write 32 rows of
//@ why     C, each in sectors of its own.
//@ launch  matmulDown<<<dim3((n + 31) / 32, (n + 31) / 32),
//@                      dim3(32, 32)>>>(a, b, c, n)
//@ owner   c <<<dim3(i / n / 32, i % n / 32),
//@              dim3(i / n % 32, i % n % 32)>>>
extern "C" __global__ void matmulDown(const float *__restrict__ a,
                                      const float *__restrict__ b,
                                      float *__restrict__ c, int n)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    int col = blockIdx.y * 32 + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}
