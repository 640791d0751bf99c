// c = a + b with 64 blocks: right. But what does each block do?
//@ title   64 blocks
//@ launch  add<<<64, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    // TODO: share the elements out among all blocks.
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
