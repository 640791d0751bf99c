// The step is one block: elements are done up to 64 times.
//@ title   64 blocks
//@ launch  add<<<64, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
