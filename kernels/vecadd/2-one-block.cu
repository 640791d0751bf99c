// The threads of one block share the loop: thread 0 takes elements 0,
// 1024, 2048 ..., thread 1 the next ones. A block lives on one SM, so
// this is what one SM can do.
//@ title   One block
//@ why     1024 threads wait for memory together. A block stays on one
//@ why     SM; the other SMs have nothing to do.
//@ launch  vecadd_one_block<<<1, 1024>>>(a, b, c, n)
//@ owner   c <<<0, i % 1024>>>
extern "C" __global__ void
vecadd_one_block(const double *__restrict__ a,
                 const double *__restrict__ b, double *__restrict__ c,
                 int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
