// Softmax of rows, a warp each, by shuffles.
//@ param rows = 1024
//@ param n = 512
//@ buffer in float[rows * n] = hash(i) & 15
//@ buffer out float[rows * n]
//@ launch softmax<<<rows / 8, 256>>>(in, out, n)
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    const float *x = in + row * n;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < n; i += 32)
        most = fmaxf(most, x[i]);
    for (int by = 16; by; by /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, by));
    for (int i = lane; i < n; i += 32)
        sum += expf(x[i] - most);
    for (int by = 16; by; by /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, by);
    for (int i = lane; i < n; i += 32)
        out[row * n + i] = expf(x[i] - most) / sum;
}
