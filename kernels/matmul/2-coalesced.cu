// The same with the axes swapped: neighbouring threads have
// neighbouring columns.
//@ title   Threads along a row
//@ why     A warp reads one number of A for all its lanes, and 32
//@ why     neighbours of B. Still two loads for each multiplication.
//@ launch  matmulAlong<<<dim3((n + 31) / 32, (n + 31) / 32),
//@                       dim3(32, 32)>>>(a, b, c, n)
//@ owner   c <<<dim3(i % n / 32, i / n / 32),
//@              dim3(i % n % 32, i / n % 32)>>>
extern "C" __global__ void matmulAlong(const float *__restrict__ a,
                                       const float *__restrict__ b,
                                       float *__restrict__ c, int n)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}
