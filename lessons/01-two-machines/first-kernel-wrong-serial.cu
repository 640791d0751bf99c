// c = a + b: a thread for each element. There are more threads than
// elements, so some have nothing to do. The lines with //@ say how it
// is run; extern "C" keeps the name `add`. Leave both as they are.
//@ title   One thread does it all
//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // this thread

    if (i == 0)
        for (int k = 0; k < n; k++)
            c[k] = a[k] + b[k];
}
