// 128 threads of a kernel for 256: the second half of s never gets a value, and the sums take it to the first.
//@ buffer x   int[256] = i
//@ buffer out int[1]
//@ launch sum<<<1, 128>>>(x, out)
extern "C" __global__ void sum(const int *x, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}
