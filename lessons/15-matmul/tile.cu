// Each thread computes one element of C, and loads both numbers of each
// product from global memory.
//@ title   Two loads for each product
//@ launch  multiply<<<dim3((n + 15) / 16, (n + 15) / 16),
//@                    dim3(16, 16)>>>(a, b, c, n)
extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ b,
                                    float *__restrict__ c, int n)
{
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;

    // TODO: a tile of 16 x 16 of A and one of B in shared memory, over
    // and over along k, for all threads of the block.
    float sum = 0;
    for (int k = 0; k < n; k++)
        if (row < n && col < n)
            sum += a[row * n + k] * b[k * n + col];
    if (row < n && col < n)
        c[row * n + col] = sum;
}
