// Turns an image gray. A pixel is 0xRRGGBB; its brightness is
// (77 * red + 150 * green + 29 * blue) / 256, rounded down.
//@ title   To gray
//@ param   n = 1000
//@ buffer  pixels unsigned[n] = hash(i + 1) & 16777215
//@ buffer  red unsigned[n] = hash(i + 1) >> 16 & 255
//@ buffer  green unsigned[n] = hash(i + 1) >> 8 & 255
//@ buffer  blue unsigned[n] = hash(i + 1) & 255
//@ buffer  gray unsigned[n]
//@ launch  to_gray<<<(n + 255) / 256, 256>>>(pixels, gray, n)
//@ launch  check<<<1, 1>>>(gray, red, green, blue, n)

__device__ unsigned brightness(unsigned pixel)
{
    unsigned red = pixel >> 16 & 255;
    unsigned green = pixel >> 8 & 255;
    unsigned blue = pixel & 255;
    return (77 * red + 150 * green + 29 * blue) / 256;
}

extern "C" __global__ void to_gray(const unsigned *pixels,
                                   unsigned *gray, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        gray[i] = brightness(pixels[i]);
}

// Stops at the first wrong element. Leave it as it is.
extern "C" __global__ void check(const unsigned *gray,
                                 const unsigned *red,
                                 const unsigned *green,
                                 const unsigned *blue, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned want =
            (77 * red[i] + 150 * green[i] + 29 * blue[i]) / 256;
        if (gray[i] != want)
            printf("gray[%d] is %u, not %u\n", i, gray[i], want);
        assert(gray[i] == want);
    }
}
