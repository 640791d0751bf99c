// Before the start of dynamic shared memory lies the block's static array.
//@ buffer out int[64]
//@ launch shift<<<1, 64, 256>>>(out)
extern __shared__ int tail[];
extern "C" __global__ void shift(int *out)
{
    __shared__ int head[32];
    int t = threadIdx.x;
    if (t < 32)
        head[t] = t;
    tail[t] = t;
    __syncthreads();
    out[t] = tail[t - 1] + head[t / 2];
}
