// Moves the pixels of a picture along an optical flow: each pixel is
// spread over the four around its new place by atomic adds of colour and
// weight, then the picture is divided by the weights.
//@ param   w = 640
//@ param   h = 480
//@ buffer  in     float[w * h] = hash(i / 16) % 256
//@ buffer  flow   float2[w * h] = {hash(i / 64) % 81 * 0.1 - 4,
//@                                hash(i / 64 + 1) % 41 * 0.1 - 2}
//@ buffer  sum    float[w * h] = 0
//@ buffer  weight float[w * h] = 0
//@ launch  splat<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, flow, sum,
//@                                                 weight, w, h)
//@ launch  normalise<<<(w * h + 255) / 256, 256>>>(sum, weight, w * h)
__global__ void splat(const float *in, const float2 *flow, float *sum,
                      float *weight, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;

    float2 move = flow[y * w + x];
    float value = in[y * w + x];
    float fx = x + move.x, fy = y + move.y;
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
    float rx = fx - x0, ry = fy - y0;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            int tx = x0 + dx, ty = y0 + dy;
            if (tx < 0 || ty < 0 || tx >= w || ty >= h)
                continue;
            float share = (dx ? rx : 1 - rx) * (dy ? ry : 1 - ry);
            atomicAdd(&sum[ty * w + tx], share * value);
            atomicAdd(&weight[ty * w + tx], share);
        }
}

__global__ void normalise(float *sum, const float *weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && weight[i] > 0)
        sum[i] /= weight[i];
}
