// Between two steps of the reduction the lanes wait for each other, and lanes without a part do not write.
//@ buffer x   float[64] = i
//@ buffer out float[1]
//@ launch sum<<<1, 64>>>(x, out)
extern "C" __global__ void sum(const float *x, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int i = 32; i > 0; i /= 2) {
        if (t < i)
            s[t] += s[t + i];
        __syncwarp();
    }
    if (t == 0)
        out[0] = s[0];
}
