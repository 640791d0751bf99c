// Each block turns its 128 elements around: the first becomes the last.
//@ title   Back to front
//@ param   n = 1024
//@ buffer  x int[n] = i
//@ buffer  y int[n]
//@ needs   n % 128 == 0
//@ launch  back<<<n / 128, 128>>>(x, y)
//@ launch  check<<<1, 1>>>(y, n)
extern "C" __global__ void back(const int *x, int *y)
{
    __shared__ int tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __threadfence_block();
    y[i] = tile[127 - threadIdx.x];
}

// Leave it as it is.
extern "C" __global__ void check(const int *y, int n)
{
    for (int i = 0; i < n; i++) {
        int want = i / 128 * 128 + 127 - i % 128;
        if (y[i] != want)
            printf("y[%d] is %d, not %d\n", i, y[i], want);
        assert(y[i] == want);
    }
}
