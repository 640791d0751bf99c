// Bins that nobody set to zero, and of which only every second is counted.
//@ buffer x   int[256] = hash(i) & 62
//@ buffer out int[64]
//@ launch histogram<<<1, 256>>>(x, out)
extern "C" __global__ void histogram(const int *x, int *out)
{
    __shared__ int bins[64];
    int t = threadIdx.x;
    atomicAdd(&bins[x[t]], 1);
    __syncthreads();
    if (t < 64)
        out[t] = bins[t];
}
