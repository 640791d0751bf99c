// First, `half` gets half of each x. Then each y becomes the sum of an
// element of `half` and the one opposite, counted from the end.
//@ title   Meet in the middle
//@ param   n = 1024
//@ buffer  x int[n] = 2 * i
//@ scratch half int[n]
//@ buffer  y int[n]
//@ needs   n % 256 == 0
//@ launch  meet<<<n / 256, 256>>>(x, half, y, n)
//@ launch  check<<<n / 256, 256>>>(y, n)
extern "C" __global__ void meet(const int *x, int *half, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half[i] = x[i] / 2;
    __syncthreads(); // now all of `half` is there
    y[i] = half[i] + half[n - 1 - i];
}

// Every sum must be the same. Stops at a wrong one. Leave it as it is.
extern "C" __global__ void check(const int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (y[i] != n - 1)
        printf("y[%d] is %d, not %d\n", i, y[i], n - 1);
    assert(y[i] == n - 1);
}
