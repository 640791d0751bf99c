// A picture turned by 30 degrees: each pixel from the four nearest of the other one.
//@ param   w = 2048
//@ buffer  in  float[w * w] = i % 253
//@ buffer  out float[w * w]
//@ launch  turn<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(in, out, w)
extern "C" __global__ void turn(const float *in, float *out, int w)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float dx = x - w * 0.5f, dy = y - w * 0.5f;
    float u = dx * 0.8660254f - dy * 0.5f + w * 0.5f, v = dx * 0.5f + dy * 0.8660254f + w * 0.5f, value = 0;
    int i = (int)floorf(u), j = (int)floorf(v);
    if (i >= 0 && j >= 0 && i < w - 1 && j < w - 1) {
        float a = u - i, b = v - j;
        const float *p = in + j * w + i;
        value = (p[0] * (1 - a) + p[1] * a) * (1 - b) + (p[w] * (1 - a) + p[w + 1] * a) * b;
    }
    out[y * w + x] = value;
}
