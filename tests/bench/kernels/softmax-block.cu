// Softmax of rows, a block each, by a tree in shared memory.
//@ param rows = 512
//@ param n = 1024
//@ buffer in float[rows * n] = hash(i) & 15
//@ buffer out float[rows * n]
//@ launch softmax<<<rows, 128>>>(in, out, n)
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    const float *x = in + blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int i = t; i < n; i += 128)
        most = fmaxf(most, x[i]);
    s[t] = most;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < n; i += 128)
        sum += __expf(x[i] - most);
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    for (int i = t; i < n; i += 128)
        out[blockIdx.x * n + i] = __expf(x[i] - most) / s[0];
}
