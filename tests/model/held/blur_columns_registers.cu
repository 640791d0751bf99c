// Blurs down the columns: a thread walks 32 rows and keeps the last
// five in registers.
//@ param   width = 4096
//@ param   height = 2048
//@ buffer  in  float[width * (height + 4)] = i % 255
//@ buffer  out float[width * height]
//@ launch  blur<<<dim3(width / 128, height / 32), 128>>>(
//@             in, out, width)
extern "C" __global__ void blur(const float *in, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * 32;
    const float *from = in + y * width + x;
    float *to = out + y * width + x;
    float a = from[0], b = from[width], c = from[2 * width],
          d = from[3 * width];
    for (int row = 0; row < 32; row++) {
        float e = from[(row + 4) * width];
        to[row * width] = (a + 4 * b + 6 * c + 4 * d + e) / 16;
        a = b;
        b = c;
        c = d;
        d = e;
    }
}
