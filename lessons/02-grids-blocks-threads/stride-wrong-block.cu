// c = a + b with 2048 threads, whatever n is: the grid does not grow.
//@ title   A grid that stays small
//@ launch  stride<<<8, 256>>>(a, b, c, n)
//@ owner   c <<<i / 256 % 8, i % 256>>>
extern "C" __global__ void stride(const double *a, const double *b,
                                  double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += blockDim.x) // overlaps with the next blocks
        c[i] = a[i] + b[i];
}
