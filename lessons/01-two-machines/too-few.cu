// c = a + b on the GPU. Or is it?
//@ title   Too few
//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = blockIdx.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
