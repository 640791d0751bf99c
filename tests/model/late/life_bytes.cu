// One generation of the game of life on a torus, a byte a cell.
//@ param   width = 2048
//@ param   height = 2048
//@ buffer  in  unsigned char[width * height] = hash(i) % 2
//@ buffer  out unsigned char[width * height]
//@ launch  step<<<dim3(width / 64, height / 4), dim3(64, 4)>>>(
//@             in, out, width, height)
extern "C" __global__ void step(const unsigned char *in,
                                unsigned char *out, int width, int height)
{
    int x = blockIdx.x * 64 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += in[((y + dy) & (height - 1)) * width +
                                 ((x + dx) & (width - 1))];
    int alive = in[y * width + x];
    out[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
}
