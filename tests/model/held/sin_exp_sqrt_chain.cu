// A chain of sine, exponential and root on each number.
//@ param   n = 1 << 20
//@ buffer  x float[n] = (i % 1000) * 0.003
//@ launch  chain<<<n / 256, 256>>>(x)
extern "C" __global__ void chain(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i];
    for (int round = 0; round < 8; round++) {
        float s = __sinf(a);
        float e = __expf(-s * s);
        a = sqrtf(a * a + e) + 0.25f * s;
    }
    x[i] = a;
}
