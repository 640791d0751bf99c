// Scales each row of a matrix and adds a bias to each column.
//@ param   rows = 1536
//@ param   cols = 4096
//@ buffer  x     float[rows * cols] = i % 31
//@ buffer  scale float[rows] = i % 3 + 1
//@ buffer  bias  float[cols] = i % 9
//@ launch  scale_bias<<<dim3(cols / 64, rows / 4), dim3(64, 4)>>>(
//@             x, scale, bias, cols)
extern "C" __global__ void scale_bias(float *x, const float *scale,
                                      const float *bias, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float value = x[row * cols + col] * scale[row] + bias[col];
    x[row * cols + col] = value > 0 ? value : 0;
}
