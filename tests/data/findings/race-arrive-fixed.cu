// Warp 0 fills a buffer for three others, and waits until all of them have read it.
//@ buffer x   int[128] = i
//@ buffer out int[384]
//@ launch produce<<<1, 128>>>(x, out)
extern "C" __global__ void produce(const int *x, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int round = 0; round < 4; round++) {
        if (warp == 0) {
            s[lane] = x[32 * round + lane];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[128 * (warp - 1) + 32 * round + lane] = s[31 - lane];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}
