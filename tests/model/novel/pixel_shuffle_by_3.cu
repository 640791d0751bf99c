// Depth to space: nine channels of each pixel become 3 x 3 pixels of one,
// as in nets that enlarge pictures. One thread writes one element.
//@ param   batch = 2
//@ param   c = 16
//@ param   h = 160
//@ param   w = 101
//@ buffer  in  float[batch * c * 9 * h * w] = i % 8191
//@ buffer  out float[batch * c * 9 * h * w]
//@ launch  pixelShuffle<<<(batch * c * 9 * h * w + 511) / 512, 512>>>(
//@             in, out, c, h, w, batch * c * 9 * h * w)
template <int R>
__device__ void shuffle(const float *in, float *out, int c, int h, int w,
                        int total)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= total)
        return;
    int ox = idx % (w * R);
    int oy = idx / (w * R) % (h * R);
    int plane = idx / (w * R * h * R);
    int sub = oy % R * R + ox % R;
    int from = ((plane * R * R + sub) * h + oy / R) * w + ox / R;
    out[idx] = in[from];
}

extern "C" __global__ void pixelShuffle(const float *in, float *out, int c,
                                        int h, int w, int total)
{
    shuffle<3>(in, out, c, h, w, total);
}
