// Rows folded with 17 weights, by segments with a rim in shared memory.
//@ param n = 1024
//@ param rows = 256
//@ buffer in float[rows * n] = hash(i) & 15
//@ buffer weight float[17] = i + 1
//@ buffer out float[rows * n]
//@ launch fold<<<dim3(n / 128, rows), 128>>>(in, weight, out, n)
extern "C" __global__ void fold(const float *in, const float *weight, float *out, int n)
{
    __shared__ float s[128 + 16], w[17];
    int t = threadIdx.x, x = blockIdx.x * 128 + t;
    in += blockIdx.y * n;
    if (t < 17)
        w[t] = weight[t];
    s[t] = x >= 8 ? in[x - 8] : 0;
    if (t < 16)
        s[t + 128] = x + 120 < n ? in[x + 120] : 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 17; k++)
        sum += s[t + k] * w[k];
    out[blockIdx.y * n + x] = sum;
}
