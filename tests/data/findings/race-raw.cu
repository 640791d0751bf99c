// A thread reads its neighbour's element; across warps nothing says that it is there yet.
//@ buffer x   int[256] = i
//@ buffer out int[256]
//@ launch shift<<<1, 256>>>(x, out)
extern "C" __global__ void shift(const int *x, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp();
    out[t] = s[(t + 32) % 256];
}
