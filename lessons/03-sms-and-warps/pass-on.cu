// Sums up x: each block waits until the next one has its sum ready,
// adds its own part, and tells the block before it. Block 0 ends up
// with the total.
//@ title   Pass it on
//@ param   n = 1024
//@ buffer  x int[n] = i % 10
//@ buffer  ready int[n / 128 + 1] = 0
//@ buffer  sum int[n / 128 + 1] = 0
//@ buffer  total int[1] = 0
//@ needs   n % 128 == 0
//@ launch  pass_on<<<n / 128, 1>>>(x, ready, sum, total)
//@ launch  check<<<1, 1>>>(total, n)
extern "C" __global__ void pass_on(const int *x, volatile int *ready,
                                   volatile int *sum, int *total)
{
    int part = 0;
    for (int i = 0; i < 128; i++)
        part += x[blockIdx.x * 128 + i];

    if (blockIdx.x + 1 < gridDim.x)
        while (!ready[blockIdx.x + 1])
            ;
    __threadfence();
    sum[blockIdx.x] = sum[blockIdx.x + 1] + part;
    __threadfence();
    ready[blockIdx.x] = 1;
    if (blockIdx.x == 0)
        *total = sum[0];
}

// Leave it as it is.
extern "C" __global__ void check(const int *total, int n)
{
    int want = 0;
    for (int i = 0; i < n; i++)
        want += i % 10; // as x was at the start
    if (*total != want)
        printf("total is %d, not %d\n", *total, want);
    assert(*total == want);
}
