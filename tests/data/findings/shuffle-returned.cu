// Threads without an element have returned, and the others add what those bring.
//@ buffer x   int[20] = i
//@ buffer out int[1]
//@ launch sum<<<1, 32>>>(x, 20, out)
extern "C" __global__ void sum(const int *x, int n, int *out)
{
    __shared__ int sums[1];
    int t = threadIdx.x;
    if (t >= n)
        return;
    int v = x[t];
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (t == 0)
        *sums = v;
    __syncwarp(0x000fffffu);
    if (t == 1)
        *out = *sums;
}
