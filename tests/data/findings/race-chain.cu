// The last steps of a reduction, each of which needs what other lanes wrote in the one before: one mistake.
//@ buffer x   float[64] = i
//@ buffer out float[1]
//@ launch sum<<<1, 64>>>(x, out)
extern "C" __global__ void sum(const float *x, float *out)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0)
        out[0] = s[0];
}
