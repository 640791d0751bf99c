// Threads of both warps read s[0], then thread 32 writes it: as the last reader it must not hide the others.
//@ buffer out int[64]
//@ launch rotate<<<1, 64>>>(out)
extern "C" __global__ void rotate(int *out)
{
    __shared__ int s[1];
    int t = threadIdx.x;
    if (t == 0)
        s[0] = 7;
    __syncthreads();
    out[t] = s[0];
    if (t == 32)
        s[0] = 8;
}
