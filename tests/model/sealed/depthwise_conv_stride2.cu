// A depthwise convolution of a mobile network: each channel has weights
// of its own, 3 x 3, with a stride of 2, then bias and ReLU6.
//@ param   batch = 8
//@ param   channels = 96
//@ param   h = 112
//@ param   w = 112
//@ buffer  x float[batch * channels * h * w] = (hash(i) % 200) * 0.01 - 1
//@ buffer  k float[channels * 9] = (hash(i + 1) % 200) * 0.01 - 1
//@ buffer  b float[channels] = (i % 10) * 0.1
//@ buffer  y float[batch * channels * (h / 2) * (w / 2)]
//@ launch  depthwise<<<dim3((w / 2 + 27) / 28, (h / 2 + 7) / 8,
//@                          batch * channels), dim3(28, 8)>>>(
//@             x, k, b, y, channels, h, w)
__global__ void depthwise(const float *__restrict__ x,
                          const float *__restrict__ k,
                          const float *__restrict__ b,
                          float *__restrict__ y, int channels, int h,
                          int w)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= w / 2 || oy >= h / 2)
        return;

    int c = blockIdx.z % channels;
    const float *plane = x + (size_t)blockIdx.z * h * w;
    const float *weight = k + c * 9;
    float sum = b[c];
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++) {
            int iy = oy * 2 + dy - 1, ix = ox * 2 + dx - 1;
            if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                sum += weight[dy * 3 + dx] * plane[iy * w + ix];
        }
    y[((size_t)blockIdx.z * (h / 2) + oy) * (w / 2) + ox] =
        fminf(fmaxf(sum, 0.0f), 6.0f);
}
