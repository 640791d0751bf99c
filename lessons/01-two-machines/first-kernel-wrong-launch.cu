// c = a + b: a thread for each element. The grid has more threads than there
// are elements, so not every thread has something to do.
//@ title   My first kernel, one warp
//@ launch  add<<<1, 32>>>(a, b, c, n)
//@ owner   c <<<i / 256, i % 256>>>
extern "C" __global__ void add(const double *a, const double *b, double *c,
                               int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // the number of this thread

    for (; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
