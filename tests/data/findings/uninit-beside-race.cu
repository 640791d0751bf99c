// Half of what a warp adds up was never written, in a line that also races with the next one.
//@ buffer out int[1] = 0
//@ launch add<<<1, 32>>>(out)
extern "C" __global__ void add(int *out)
{
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    volatile int *own = &part[threadIdx.x];
    *own += own[32];
    *own += own[16];
    if (threadIdx.x == 0)
        out[0] = *own;
}
