// y = 2 x.
//@ title   Double
//@ param   n = 100
//@ buffer  x int[n] = i
//@ buffer  y int[n]
//@ launch  twice<<<(n + 31) / 32, 32>>>(x, y, n)
extern "C" __global__ void twice(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        y[i] = 2 * x[i]; // "answer last"
}
