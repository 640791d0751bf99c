// Draws a cloud of points into a picture of 1024 x 1024: each pixel keeps the nearest point, by a 64-bit atomicMax.
//@ param   n = 1 << 21
//@ buffer  x     float[n] = hash(i) % 1000003 * 0.000002 - 1
//@ buffer  y     float[n] = hash(i + 71) % 1000003 * 0.000002 - 1
//@ buffer  z     float[n] = hash(i + 1003) % 4096 * 0.001 + 1.5
//@ buffer  pixel unsigned long long[1024 * 1024] = 0
//@ launch  draw<<<n / 192 + 1, 192>>>(x, y, z, pixel, n)
__global__ void draw(const float *x, const float *y, const float *z, unsigned long long *pixel, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float inv = 1.0f / z[i];
    int px = (int)((x[i] * inv + 0.5f) * 1024.0f);
    int py = (int)((y[i] * inv + 0.5f) * 1024.0f);
    if (px < 0 || px >= 1024 || py < 0 || py >= 1024)
        return;
    unsigned long long mine = (unsigned long long)__float_as_uint(inv) << 32 | (unsigned)i;
    atomicMax(&pixel[py * 1024 + px], mine);
}
