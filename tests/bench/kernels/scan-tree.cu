// Running sums of 512 elements by a tree in shared memory.
//@ param n = 1 << 17
//@ buffer in int[n] = i & 7
//@ buffer out int[n]
//@ launch scan<<<n / 512, 256>>>(in, out)
extern "C" __global__ void scan(const int *in, int *out)
{
    __shared__ int s[512];
    int t = threadIdx.x, step = 1, base = blockIdx.x * 512;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = 256; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d)
            s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, kept = s[a];
            s[a] = s[b];
            s[b] += kept;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}
