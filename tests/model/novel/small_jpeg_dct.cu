// The cosine transform of 8 x 8 blocks and their quantisation, as JPEG
// does it, for a picture of 320 x 240: 64 threads have a block.
//@ param   w = 320
//@ param   h = 240
//@ buffer  pixels unsigned char[w * h] = hash(i / 5) % 256
//@ buffer  coeff  short[w * h]
//@ symbol  quant  float[64] = 16 + i % 8 * 6 + i / 8 * 7
//@ launch  dct<<<dim3(w / 16, h / 8), dim3(8, 8, 2)>>>(pixels, coeff, w)
__constant__ float cosine[8][8] = {
    {0.35355f, 0.35355f, 0.35355f, 0.35355f,
     0.35355f, 0.35355f, 0.35355f, 0.35355f},
    {0.49039f, 0.41573f, 0.27779f, 0.09755f,
     -0.09755f, -0.27779f, -0.41573f, -0.49039f},
    {0.46194f, 0.19134f, -0.19134f, -0.46194f,
     -0.46194f, -0.19134f, 0.19134f, 0.46194f},
    {0.41573f, -0.09755f, -0.49039f, -0.27779f,
     0.27779f, 0.49039f, 0.09755f, -0.41573f},
    {0.35355f, -0.35355f, -0.35355f, 0.35355f,
     0.35355f, -0.35355f, -0.35355f, 0.35355f},
    {0.27779f, -0.49039f, 0.09755f, 0.41573f,
     -0.41573f, -0.09755f, 0.49039f, -0.27779f},
    {0.19134f, -0.46194f, 0.46194f, -0.19134f,
     -0.19134f, 0.46194f, -0.46194f, 0.19134f},
    {0.09755f, -0.27779f, 0.41573f, -0.49039f,
     0.49039f, -0.41573f, 0.27779f, -0.09755f}};
__constant__ float quant[64];

__global__ void dct(const unsigned char *pixels, short *coeff, int w)
{
    __shared__ float s[2][8][9], half[2][8][9];

    int u = threadIdx.x, v = threadIdx.y, b = threadIdx.z;
    int x0 = (blockIdx.x * 2 + b) * 8, y0 = blockIdx.y * 8;
    s[b][v][u] = pixels[(y0 + v) * w + x0 + u] - 128.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 8; x++)
        sum += cosine[u][x] * s[b][v][x];
    half[b][v][u] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int y = 0; y < 8; y++)
        sum += cosine[v][y] * half[b][y][u];
    coeff[(y0 + v) * w + x0 + u] =
        (short)__float2int_rn(sum / quant[v * 8 + u]);
}
