// A product of 512 x 256 by 256 x 1024: a thread makes four neighbours in a row, tiles of 16 in shared memory.
//@ buffer  a float[512 * 256] = i % 9
//@ buffer  b float[256 * 1024] = i % 4
//@ buffer  c float[512 * 1024]
//@ launch  multiply<<<dim3(16, 32), dim3(16, 16)>>>(a, b, c)
extern "C" __global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float p[16][17];
    __shared__ float4 q[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 64 + 4 * x;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 256; k += 16) {
        p[y][x] = a[row * 256 + k + x];
        q[y][x] = *(const float4 *)&b[(k + y) * 1024 + column];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float left = p[y][j];
            float4 right = q[j][x];
            sum.x += left * right.x;
            sum.y += left * right.y;
            sum.z += left * right.z;
            sum.w += left * right.w;
        }
        __syncthreads();
    }
    *(float4 *)&c[row * 1024 + column] = sum;
}
