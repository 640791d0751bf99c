// c = a + b, one block more.
//@ title   Rounded up, unchecked
//@ launch  add<<<(n + 127) / 128, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
