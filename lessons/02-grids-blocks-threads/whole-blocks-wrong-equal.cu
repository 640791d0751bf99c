// c = a + b, one element too many.
//@ title   Up to and including n
//@ launch  add<<<n / 128 + 1, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        c[i] = a[i] + b[i];
}
