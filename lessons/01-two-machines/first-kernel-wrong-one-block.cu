// c = a + b: a thread for each element. The grid has more threads than there
// are elements, so not every thread has something to do.
//@ title   My first kernel, block 0 alone
//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)
//@ owner   c <<<i / 256, i % 256>>>
extern "C" __global__ void add(const double *a, const double *b, double *c,
                               int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // the number of this thread

    for (; blockIdx.x == 0 && i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
