// Makes every pixel brighter by 10, up to 255 at most.
//@ title   Brighter
//@ param   n = 300
//@ buffer  before int[n] = i % 256
//@ buffer  pixel int[n] = i % 256
//@ launch  brighter<<<(n + 255) / 256, 256>>>(pixel, n)
//@ launch  check<<<(n + 255) / 256, 256>>>(pixel, before, n)
extern "C" __global__ void brighter(int *pixel, int n)
{
    int i = threadIdx.x; // the same pixels in every block
    if (i < n)
        pixel[i] = min(pixel[i] + 10, 255);
}

// Stops at a wrong element. Leave it as it is.
extern "C" __global__ void check(const int *pixel, const int *before,
                                 int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int want = before[i] < 245 ? before[i] + 10 : 255;
        if (pixel[i] != want)
            printf("pixel[%d] is %d, not %d\n", i, pixel[i], want);
        assert(pixel[i] == want);
    }
}
