// Many products of 8 x 8 matrices, four to a block, by way of shared
// memory.
//@ param   count = 1 << 15
//@ buffer  a float[64 * count] = i % 9
//@ buffer  b float[64 * count] = i % 4
//@ buffer  c float[64 * count]
//@ launch  multiply<<<count / 4, dim3(8, 8, 4)>>>(a, b, c)
extern "C" __global__ void multiply(const float *a, const float *b,
                                    float *c)
{
    __shared__ float left[4][8][8], right[4][8][8];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int at = (blockIdx.x * 4 + z) * 64 + y * 8 + x;
    left[z][y][x] = a[at];
    right[z][y][x] = b[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += left[z][y][k] * right[z][k][x];
    c[at] = sum;
}
