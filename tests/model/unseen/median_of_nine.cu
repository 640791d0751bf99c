// The median of each pixel and its eight neighbours, by exchanging pairs.
//@ param   w = 1920
//@ param   h = 1024
//@ buffer  in  float[w * h] = hash(i) & 255
//@ buffer  out float[w * h]
//@ launch  median<<<dim3(w / 64, h / 4), dim3(64, 4)>>>(in, out, w, h)
__device__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}
extern "C" __global__ void median(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    float v[9];
    for (int k = 0; k < 9; k++) {
        int u = min(max(x + k % 3 - 1, 0), w - 1), t = min(max(y + k / 3 - 1, 0), h - 1);
        v[k] = in[t * w + u];
    }
    for (int k = 0; k < 9; k += 3) {
        order(v[k], v[k + 1]);
        order(v[k + 1], v[k + 2]);
        order(v[k], v[k + 1]);
    }
    float low = fmaxf(fmaxf(v[0], v[3]), v[6]), high = fminf(fminf(v[2], v[5]), v[8]);
    order(v[1], v[4]);
    order(v[4], v[7]);
    order(v[1], v[4]);
    float middle = v[4];
    order(low, middle);
    order(middle, high);
    order(low, middle);
    out[y * w + x] = middle;
}
