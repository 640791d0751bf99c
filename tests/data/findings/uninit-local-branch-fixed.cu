// All flags start as zero.
//@ buffer x   int[32] = i % 4
//@ buffer out int[32] = 0
//@ launch seen<<<1, 32>>>(x, out)
extern "C" __global__ void seen(const int *x, int *out)
{
    int flag[4] = { 0 }, t = threadIdx.x;
    flag[x[t]] = 1;
    if (flag[x[t ^ 1]] == 1)
        atomicAdd(&out[t], 1);
}
