// As many threads as elements. Blocks come in whole numbers, so the
// last one may reach past the end: the bounds check keeps its surplus
// threads from touching memory that is not theirs.
//@ title   A thread per element
//@ why     Enough blocks for every SM: while some warps wait for
//@ why     memory, others have work.
//@ launch  vecadd_thread_per_element<<<(n + 255) / 256, 256>>>(
//@             a, b, c, n)
//@ owner   c <<<i / 256, i % 256>>>
extern "C" __global__ void
vecadd_thread_per_element(const double *__restrict__ a,
                          const double *__restrict__ b,
                          double *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
