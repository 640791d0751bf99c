// Doubles an image in both directions, between the four nearest pixels.
//@ param   w = 1536
//@ param   h = 1024
//@ buffer  in  float[w * h] = i % 255
//@ buffer  out float[4 * w * h]
//@ launch  zoom<<<dim3(2 * w / 32, 2 * h / 8), dim3(32, 8)>>>(in, out, w, h)
extern "C" __global__ void zoom(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float u = x * 0.5f, v = y * 0.5f;
    int x0 = (int)u, y0 = (int)v;
    int x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float a = u - x0, b = v - y0;
    float top = in[y0 * w + x0] * (1 - a) + in[y0 * w + x1] * a;
    float low = in[y1 * w + x0] * (1 - a) + in[y1 * w + x1] * a;
    out[y * 2 * w + x] = top * (1 - b) + low * b;
}
