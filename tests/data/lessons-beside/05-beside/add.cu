// c = a + b: a thread for each element. The grid has more threads than there
// are elements, so not every thread has something to do. The //@ lines say how
// it is run; leave them.
//@ title   My first kernel
//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b, double *c,
                               int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // the number of this thread

    // TODO: add the element that belongs to this thread, if there is one.
}
