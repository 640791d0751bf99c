// Each half of a warp meets by itself, and then reads what the other one wrote.
//@ buffer out int[32]
//@ launch mirror<<<1, 32>>>(out)
extern "C" __global__ void mirror(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(t < 16 ? 0xffff : 0xffff0000);
    out[t] = s[31 - t];
}
