// All SMs multiply until so many cycles have passed: the time tells the clock, and the work that it is one under load.
//@ param   cycles = 1 << 18
//@ scratch out float[1]
//@ launch  spin<<<sm_count, 1024>>>(cycles, out)
extern "C" __global__ void __launch_bounds__(1024) spin(long long cycles, float *out)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    long long start = clock64();
    while (clock64() - start < cycles) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            a = a * 0.5f + 1.0f;
            b = b * 0.5f + 1.0f;
            c = c * 0.5f + 1.0f;
            d = d * 0.5f + 1.0f;
        }
    }
    if (a + b + c + d == -1.0f)
        *out = a;
}
