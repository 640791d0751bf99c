// The twin with the barrier.
//@ buffer tmp int[64]
//@ buffer out int[64]
//@ launch relay<<<1, 64>>>(tmp, out)
extern "C" __global__ void relay(int *tmp, int *out)
{
    int t = threadIdx.x;
    tmp[t] = t;
    __syncthreads();
    out[t] = tmp[63 - t];
}
