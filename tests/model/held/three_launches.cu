// Scales an array by the largest of it, in three launches: the largest
// of each block, of all blocks, and the scaling.
//@ param   n = 1 << 17
//@ buffer  x   float[n] = hash(i) % 10000
//@ buffer  top float[n / 256]
//@ launch  largest<<<n / 256, 256>>>(x, top, n)
//@ launch  largest<<<1, 256>>>(top, top, n / 256)
//@ launch  divide<<<n / 256, 256>>>(x, top)
extern "C" __global__ void largest(const float *x, float *top, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        mine = fmaxf(mine, x[i]);
    s[t] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] = fmaxf(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        top[blockIdx.x] = s[0];
}

extern "C" __global__ void divide(float *x, const float *top)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] /= top[0];
}
