// Walkers that take 256 steps of one unit each, by a generator of random numbers of their own.
//@ param   n = 1 << 17
//@ buffer  far float[n]
//@ launch  walk<<<n / 128, 128>>>(far)
extern "C" __global__ void walk(float *far)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x, s = i * 747796405u + 1;
    float x = 0, y = 0, most = 0;
    for (int k = 0; k < 256; k++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float angle = (s >> 8) * 3.7450704e-7f;
        x += __cosf(angle);
        y += __sinf(angle);
        most = fmaxf(most, x * x + y * y);
    }
    far[i] = sqrtf(most);
}
