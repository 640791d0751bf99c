// Rows with mean 0 and variance 1, a warp each.
//@ param rows = 2048
//@ param n = 512
//@ buffer in float[rows * n] = hash(i) & 15
//@ buffer out float[rows * n]
//@ launch even_out<<<rows / 8, 256>>>(in, out, n)
__device__ float add_up(float x)
{
    for (int by = 16; by; by /= 2)
        x += __shfl_down_sync(0xffffffff, x, by);
    return __shfl_sync(0xffffffff, x, 0);
}
extern "C" __global__ void even_out(const float *in, float *out, int n)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    const float *x = in + row * n;
    float sum = 0, squares = 0;
    for (int i = lane; i < n; i += 32)
        sum += x[i];
    float mean = add_up(sum) / n;
    for (int i = lane; i < n; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    float scale = rsqrtf(add_up(squares) / n + 1e-5f);
    for (int i = lane; i < n; i += 32)
        out[row * n + i] = (x[i] - mean) * scale;
}
