// Sums up x: each block adds its part to the total when it is done. No
// block waits for another, so their order does not matter.
//@ title   Pass it on
//@ param   n = 1024
//@ buffer  x int[n] = i % 10
//@ buffer  total int[1] = 0
//@ needs   n % 128 == 0
//@ launch  pass_on<<<n / 128, 1>>>(x, total)
//@ launch  check<<<1, 1>>>(total, n)
extern "C" __global__ void pass_on(const int *x, int *total)
{
    int part = 0;
    for (int i = 0; i < 128; i++)
        part += x[blockIdx.x * 128 + i];

    atomicAdd(total, part);
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
