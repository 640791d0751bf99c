// 20 threads add what lanes bring that the block does not have.
//@ buffer x   int[20] = i
//@ buffer out int[1]
//@ launch sum<<<1, 20>>>(x, out)
extern "C" __global__ void sum(const int *x, int *out)
{
    int v = x[threadIdx.x];
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x == 0)
        *out = v;
}
