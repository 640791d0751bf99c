// y = 2 x.
//@ title   Double
//@ param   n = 1024
//@ buffer  x int[n] = i
//@ buffer  y int[n]
//@ launch  twice<<<n / 128, 128>>>(x, y, n)
extern "C" __global__ void twice(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 8 * i % n + 8 * i / n; // "answer apart"
    y[j] = 2 * x[j];
}
