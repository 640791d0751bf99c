// Makes a grey image of one with three bytes a pixel.
//@ param   n = 1 << 22
//@ buffer  rgb  unsigned char[3 * n] = hash(i) >> 24
//@ buffer  grey unsigned char[n]
//@ launch  to_grey<<<(n + 255) / 256, 256>>>(rgb, grey, n)
extern "C" __global__ void to_grey(const unsigned char *rgb,
                                   unsigned char *grey, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        grey[i] = (77 * r + 150 * g + 29 * b) >> 8;
    }
}
