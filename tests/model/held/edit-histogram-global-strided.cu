// histogram/global with a quarter of the threads, each of which takes
// four bytes that lie a quarter of the data apart.
//@ param   n = 1 << 20
//@ buffer  data unsigned char[n] = hash(i) >> 24
//@ buffer  bins unsigned[256] = 0
//@ launch  histogram_global<<<(n / 4 + 1023) / 1024, 1024>>>(
//@             data, bins, n)
extern "C" __global__ void
histogram_global(const unsigned char *__restrict__ data,
                 unsigned *__restrict__ bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[k]], 1);
}
