// A histogram of bytes, one a warp, four bytes at a time.
//@ param n = 1 << 19
//@ buffer in unsigned[n] = hash(i)
//@ buffer bins int[256] = 0
//@ launch count<<<32, 192>>>(in, bins, n)
extern "C" __global__ void count(const unsigned *in, int *bins, int n)
{
    __shared__ unsigned s[6 * 256];
    unsigned *own = s + threadIdx.x / 32 * 256;
    for (int i = threadIdx.x; i < 6 * 256; i += 192)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 192 + threadIdx.x; i < n; i += gridDim.x * 192) {
        unsigned v = in[i];
        atomicAdd(own + (v & 255), 1);
        atomicAdd(own + (v >> 8 & 255), 1);
        atomicAdd(own + (v >> 16 & 255), 1);
        atomicAdd(own + (v >> 24), 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += 192) {
        int sum = 0;
        for (int w = 0; w < 6; w++)
            sum += s[w * 256 + bin];
        atomicAdd(bins + bin, sum);
    }
}
