// Convolves with 33 weights; a block keeps its run of the input and a
// halo of 16 on either side in shared memory.
//@ param   n = 1 << 22
//@ buffer  in      float[n] = i % 50
//@ buffer  weights float[33] = i * 0.01
//@ buffer  out     float[n]
//@ launch  convolve<<<n / 256, 256>>>(in, weights, out, n)
extern "C" __global__ void
convolve(const float *in, const float *weights, float *out, int n)
{
    __shared__ float run[256 + 32], w[33];
    int t = threadIdx.x;
    int first = blockIdx.x * 256 - 16;

    for (int j = t; j < 256 + 32; j += 256)
        run[j] = first + j >= 0 && first + j < n ? in[first + j] : 0;
    if (t < 33)
        w[t] = weights[t];
    __syncthreads();

    float sum = 0;
    for (int k = 0; k < 33; k++)
        sum += w[k] * run[t + k];
    out[blockIdx.x * 256 + t] = sum;
}
