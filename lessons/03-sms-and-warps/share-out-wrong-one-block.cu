// Block 0 does all of it, and the others nothing.
//@ title   64 blocks
//@ launch  add<<<64, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int last = blockIdx.x == 0 ? n : 0;
    for (int i = threadIdx.x; i < last; i += blockDim.x)
        c[i] = a[i] + b[i];
}
