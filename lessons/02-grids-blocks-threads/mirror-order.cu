// A block's threads store, wait and read: put the lines in order.
//@ title   Lines in order
//@ param   n = 512
//@ buffer  x int[n] = 2 * i
//@ scratch half int[n]
//@ buffer  y int[n]
//@ needs   n % 256 == 0
//@ launch  mirror<<<n / 256, 256>>>(x, half, y)
//@ launch  check<<<n / 256, 256>>>(y)
extern "C" __global__ void mirror(const int *x, int *half, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@order
}

// Stops unless all opposite numbers of a block have the same sum.
extern "C" __global__ void check(const int *y)
{
    int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
    assert(y[i] == 2 * first + 255);
}
