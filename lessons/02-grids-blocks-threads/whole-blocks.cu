// c = a + b, with as many blocks as fit into n.
//@ title   Whole blocks
//@ launch  add<<<n / 128, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
