// The largest of each block's doubles, by a tree in shared memory.
//@ param   n = 1 << 22
//@ buffer  x   double[n] = hash(i) % 100000
//@ buffer  top double[n / 512]
//@ launch  maximum<<<n / 512, 256>>>(x, top)
extern "C" __global__ void maximum(const double *x, double *top)
{
    __shared__ double s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 512 + t;
    double a = x[i], b = x[i + 256];
    s[t] = a > b ? a : b;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && s[t + half] > s[t])
            s[t] = s[t + half];
    }
    if (t == 0)
        top[blockIdx.x] = s[0];
}
