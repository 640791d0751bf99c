// Lanes of one warp exchange values without __syncwarp.
//@ buffer x   int[32] = i
//@ buffer out int[32]
//@ launch mirror<<<1, 32>>>(x, out)
extern "C" __global__ void mirror(const int *x, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    out[t] = s[31 - t];
}
