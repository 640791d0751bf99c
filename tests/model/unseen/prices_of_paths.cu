// The value of an option along 64 random paths a thread; the blocks' means by shuffles.
//@ param   n = 1 << 15
//@ buffer  mean float[n / 32]
//@ launch  price<<<n / 256, 256>>>(mean)
extern "C" __global__ void price(float *mean)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, s = i * 2891336453u + 7;
    float sum = 0;
    for (int path = 0; path < 64; path++) {
        float value = 1;
        for (int k = 0; k < 8; k++) {
            s = s * 1664525u + 1013904223u;
            float u = (s >> 9) * 1.1920929e-7f + 1e-7f;
            s = s * 1664525u + 1013904223u;
            float normal = sqrtf(-2 * __logf(u)) * __cosf((s >> 9) * 7.4901407e-7f);
            value *= __expf(0.05f * normal - 0.00125f);
        }
        sum += fmaxf(value - 1, 0);
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (i % 32 == 0)
        mean[i / 32] = sum / 2048;
}
