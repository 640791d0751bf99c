// Many rows of 64 times a matrix of 64 x 16 that lies in shared memory; a thread makes a row of the result.
//@ param   rows = 1 << 17
//@ buffer  a float[rows * 64] = i % 7
//@ buffer  b float[1024] = i % 5
//@ buffer  c float[rows * 16]
//@ launch  multiply<<<rows / 128, 128>>>(a, b, c)
extern "C" __global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float w[64][16];
    for (int k = threadIdx.x; k < 1024; k += 128)
        w[k / 16][k % 16] = b[k];
    __syncthreads();
    const float4 *row = (const float4 *)(a + (blockIdx.x * 128 + threadIdx.x) * 64);
    float sum[16] = { 0 };
    for (int k = 0; k < 16; k++) {
        float4 x = row[k];
#pragma unroll
        for (int j = 0; j < 16; j++)
            sum[j] += x.x * w[4 * k][j] + x.y * w[4 * k + 1][j] + x.z * w[4 * k + 2][j] + x.w * w[4 * k + 3][j];
    }
    float *out = c + (blockIdx.x * 128 + threadIdx.x) * 16;
    for (int j = 0; j < 16; j++)
        out[j] = sum[j];
}
