// The twin of uninit-beside-race.cu: all of it is written, and the lanes wait for each other.
//@ buffer out int[1] = 0
//@ launch add<<<1, 32>>>(out)
extern "C" __global__ void add(int *out)
{
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    part[threadIdx.x + 32] = 1;
    __syncthreads();
    volatile int *own = &part[threadIdx.x];
    *own += own[32];
    __syncwarp();
    if (threadIdx.x < 16)
        *own += own[16];
    if (threadIdx.x == 0)
        out[0] = *own;
}
