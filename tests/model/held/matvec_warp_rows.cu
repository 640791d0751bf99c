// A matrix times a vector, a warp to a row.
//@ param   rows = 8192
//@ param   cols = 1536
//@ buffer  a float[rows * cols] = i % 5
//@ buffer  x float[cols] = i % 3
//@ buffer  y float[rows]
//@ launch  multiply<<<rows / 4, 128>>>(a, x, y, cols)
extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ x,
                                    float *__restrict__ y, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    const float4 *a4 = (const float4 *)(a + row * cols);
    const float4 *x4 = (const float4 *)x;
    float sum = 0;
    for (int k = lane; k < cols / 4; k += 32) {
        float4 p = a4[k], q = x4[k];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}
