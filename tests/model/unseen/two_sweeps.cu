// Two sweeps of a solver in the plane, one launch each.
//@ param   w = 1024
//@ param   h = 1024
//@ buffer  a float[w * h] = i % 71
//@ buffer  b float[w * h]
//@ launch  sweep<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h)
//@ launch  sweep<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(b, a, w, h)
extern "C" __global__ void sweep(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * w + x;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    else
        out[i] = in[i];
}
