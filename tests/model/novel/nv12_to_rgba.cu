// Turns frames of NV12 video, brightness in full and colour at half the
// width and height, into RGBA of a byte each; a thread has 2 x 2 pixels.
//@ param   w = 1920
//@ param   h = 1080
//@ param   frames = 2
//@ buffer  y    unsigned char[w * h * frames] = 16 + hash(i) % 220
//@ buffer  uv   unsigned char[w * h / 2 * frames] = 16 + hash(i + 7) % 225
//@ buffer  rgba uchar4[w * h * frames]
//@ launch  nv12ToRgba<<<dim3((w / 2 + 31) / 32, (h / 2 + 7) / 8, frames),
//@                      dim3(32, 8)>>>(y, uv, rgba, w, h)
__device__ __forceinline__ unsigned char clampByte(int v)
{
    return (unsigned char)min(max(v >> 8, 0), 255);
}

__device__ __forceinline__ uchar4 toRgba(int y, int u, int v)
{
    int c = 298 * (y - 16) + 128;
    return make_uchar4(clampByte(c + 409 * v),
                       clampByte(c - 100 * u - 208 * v),
                       clampByte(c + 516 * u), 255);
}

__global__ void nv12ToRgba(const unsigned char *__restrict__ luma,
                           const unsigned char *__restrict__ chroma,
                           uchar4 *__restrict__ out, int w, int h)
{
    int cx = blockIdx.x * blockDim.x + threadIdx.x;
    int cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (cx >= w / 2 || cy >= h / 2)
        return;

    luma += (size_t)blockIdx.z * w * h;
    chroma += (size_t)blockIdx.z * w * h / 2;
    out += (size_t)blockIdx.z * w * h;

    uchar2 uv = ((const uchar2 *)(chroma + cy * w))[cx];
    int u = uv.x - 128, v = uv.y - 128;
    for (int dy = 0; dy < 2; dy++) {
        int row = (2 * cy + dy) * w;
        uchar2 two = ((const uchar2 *)(luma + row))[cx];
        out[row + 2 * cx] = toRgba(two.x, u, v);
        out[row + 2 * cx + 1] = toRgba(two.y, u, v);
    }
}
