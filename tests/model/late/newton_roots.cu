// Cube roots by ten steps of Newton, in single precision.
//@ param   n = 2097152
//@ buffer  in  float[n] = i % 1000 + 1
//@ buffer  out float[n]
//@ launch  roots<<<n / 256, 256>>>(in, out)
extern "C" __global__ void roots(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i], x = 1 + a / 3;
    for (int k = 0; k < 10; k++)
        x = x - (x * x * x - a) / (3 * x * x);
    out[i] = x;
}
