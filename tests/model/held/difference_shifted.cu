// Forward differences over three places: one read in two is misaligned.
//@ param   n = 1 << 23
//@ buffer  x float[n + 3] = i % 1021
//@ buffer  d float[n]
//@ launch  difference<<<n / 512, 512>>>(x, d, 3)
extern "C" __global__ void difference(const float *x, float *d,
                                      int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = x[i + shift] - x[i];
}
