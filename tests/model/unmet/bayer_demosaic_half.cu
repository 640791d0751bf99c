// Reconstructs colours from a camera's raw image with the pattern RG/GB: missing colours
// are means of the nearest pixels that have them. A thread makes a square of 2 x 2 pixels
// and writes them as half2 into three planes. At the rim the image is mirrored, which
// keeps the pattern.
//@ param   width = 2880
//@ param   height = 1920
//@ buffer  raw unsigned short[width * height] = hash(i) & 4095
//@ buffer  red half2[width * height / 2]
//@ buffer  green half2[width * height / 2]
//@ buffer  blue half2[width * height / 2]
//@ launch  demosaic<<<dim3(width / 64, height / 8), dim3(32, 4)>>>(
//@             raw, red, green, blue, width, height)
#include <cuda_fp16.h>

__device__ int mirrored(int at, int size)
{
    return at < 0 ? -at : at >= size ? 2 * size - 2 - at : at;
}

__global__ void demosaic(const unsigned short *raw, half2 *red, half2 *green, half2 *blue,
                         int width, int height)
{
    int column = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    int row = 2 * (blockIdx.y * blockDim.y + threadIdx.y);

    float p[4][4];
#pragma unroll
    for (int y = 0; y < 4; y++) {
        const unsigned short *line = raw + mirrored(row + y - 1, height) * width;
        p[y][0] = line[mirrored(column - 1, width)];
        ushort2 middle = *(const ushort2 *)(line + column);
        p[y][1] = middle.x;
        p[y][2] = middle.y;
        p[y][3] = line[mirrored(column + 2, width)];
    }

    const float white = 1.0f / 4095.0f, two = white * 0.5f, four = white * 0.25f;
    int up = (row * width + column) / 2, down = up + width / 2;

    // Red is measured at the upper left pixel, blue at the lower right one.
    red[up] = __floats2half2_rn(p[1][1] * white, (p[1][1] + p[1][3]) * two);
    red[down] = __floats2half2_rn((p[1][1] + p[3][1]) * two,
                                  (p[1][1] + p[1][3] + p[3][1] + p[3][3]) * four);
    green[up] = __floats2half2_rn((p[0][1] + p[1][0] + p[1][2] + p[2][1]) * four,
                                  p[1][2] * white);
    green[down] = __floats2half2_rn(p[2][1] * white,
                                    (p[1][2] + p[2][1] + p[2][3] + p[3][2]) * four);
    blue[up] = __floats2half2_rn((p[0][0] + p[0][2] + p[2][0] + p[2][2]) * four,
                                 (p[0][2] + p[2][2]) * two);
    blue[down] = __floats2half2_rn((p[2][0] + p[2][2]) * two, p[2][2] * white);
}
