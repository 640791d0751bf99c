// A thread per byte, and 256 counters in global memory for all of them.
//@ title   v1: a global atomic per byte
//@ why     Every byte is one atomic addition in the L2, and all threads
//@ why     meet at the same 256 words.
//@ launch  histogram_global<<<(n + 255) / 256, 256>>>(data, bins, n)
extern "C" __global__ void
histogram_global(const unsigned char *__restrict__ data,
                 unsigned *__restrict__ bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1);
}
