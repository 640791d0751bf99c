// Each block does the same 256 elements.
//@ title   More of the same
//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
