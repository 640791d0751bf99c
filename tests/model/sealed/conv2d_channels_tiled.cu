// A layer of a convolutional network: 24 channels of 128 x 128 become 32,
// by 3 x 3 weights; a block makes 16 x 16 pixels of eight channels.
//@ param   cin = 24
//@ param   cout = 32
//@ param   h = 128
//@ param   w = 128
//@ buffer  x float[cin * h * w] = hash(i) % 200 * 0.01 - 1
//@ buffer  k float[cout * cin * 9] = hash(i + 4) % 200 * 0.001 - 0.1
//@ buffer  y float[cout * h * w]
//@ launch  conv<<<dim3(w / 16, h / 16, cout / 8), dim3(16, 16)>>>(
//@             x, k, y, cin, h, w)
#define OUT 8

__global__ void conv(const float *x, const float *k, float *y, int cin,
                     int h, int w)
{
    __shared__ float tile[18][19];
    __shared__ float weight[OUT][9];

    int t = threadIdx.y * 16 + threadIdx.x;
    int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
    float sum[OUT] = {};
    for (int c = 0; c < cin; c++) {
        for (int e = t; e < 18 * 18; e += 256) {
            int gx = x0 + e % 18, gy = y0 + e / 18;
            bool inside = gx >= 0 && gx < w && gy >= 0 && gy < h;
            tile[e / 18][e % 18] =
                inside ? x[(c * h + gy) * w + gx] : 0.0f;
        }
        if (t < OUT * 9)
            weight[t / 9][t % 9] =
                k[((blockIdx.z * OUT + t / 9) * cin + c) * 9 + t % 9];
        __syncthreads();
        float v[9];
#pragma unroll
        for (int q = 0; q < 9; q++)
            v[q] = tile[threadIdx.y + q / 3][threadIdx.x + q % 3];
#pragma unroll
        for (int o = 0; o < OUT; o++)
#pragma unroll
            for (int q = 0; q < 9; q++)
                sum[o] += v[q] * weight[o][q];
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < OUT; o++)
        y[((blockIdx.z * OUT + o) * h + y0 + 1 + threadIdx.y) * w + x0 +
          1 + threadIdx.x] = fmaxf(sum[o], 0.0f);
}
