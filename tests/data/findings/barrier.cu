// Only half of a warp reaches the barrier.
//@ buffer out int[64]
//@ launch half<<<1, 64>>>(out)
extern "C" __global__ void half(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16)
        __syncthreads();
    out[t] = s[t];
}
