// A filter of 32 taps over a signal; block and rim lie in shared memory, the taps in constant memory.
//@ param   n = 1 << 21
//@ buffer  in  float[n + 32] = i % 41
//@ buffer  out float[n]
//@ launch  filter<<<n / 256, 256>>>(in, out)
__constant__ float taps[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2 };
extern "C" __global__ void filter(const float *in, float *out)
{
    __shared__ float s[288];
    int t = threadIdx.x, from = blockIdx.x * 256;
    s[t] = in[from + t];
    if (t < 32)
        s[256 + t] = in[from + 256 + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += taps[k] * s[t + k];
    out[from + t] = sum;
}
