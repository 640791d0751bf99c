// A matrix times a vector, a block of 128 a row, with loads of four
// floats and a tree in shared memory.
//@ param   rows = 4096
//@ param   cols = 4096
//@ buffer  a float[rows * cols] = i % 17
//@ buffer  x float[cols] = i % 5
//@ buffer  y float[rows]
//@ launch  multiply<<<rows, 128>>>(a, x, y, cols)
extern "C" __global__ void multiply(const float4 *a, const float4 *x,
                                    float *y, int cols)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    const float4 *row = a + (long)blockIdx.x * (cols / 4);
    float sum = 0;
    for (int i = t; i < cols / 4; i += 128) {
        float4 p = row[i], q = x[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    part[t] = sum;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        y[blockIdx.x] = part[0];
}
