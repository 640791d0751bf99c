// A polynomial of degree 48 at each point.
//@ param   n = 1 << 22
//@ buffer  x float[n] = (i % 2000) * 0.001 - 1
//@ buffer  y float[n]
//@ launch  evaluate<<<n / 256, 256>>>(x, y)
extern "C" __global__ void evaluate(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float at = x[i], sum = 1;
#pragma unroll
    for (int k = 48; k > 0; k--)
        sum = sum * at + 1.0f / k;
    y[i] = sum;
}
