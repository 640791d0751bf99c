// One thread of each block does the share of its block.
//@ title   64 blocks
//@ launch  add<<<64, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    for (int i = blockIdx.x; threadIdx.x == 0 && i < n;
         i += gridDim.x)
        c[i] = a[i] + b[i];
}
