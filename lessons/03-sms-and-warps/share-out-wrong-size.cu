// The step is half of the grid: elements are done twice.
//@ title   64 blocks
//@ launch  add<<<64, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int first = blockIdx.x * 64 + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * 64)
        c[i] = a[i] + b[i];
}
