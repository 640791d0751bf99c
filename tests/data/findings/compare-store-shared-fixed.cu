// Warps take turns at a word of shared memory by an atomic.
//@ buffer out int[4]
//@ launch turns<<<1, 128>>>(out)
extern "C" __global__ void turns(int *out)
{
    __shared__ int next;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        atomicAdd(&next, 1);
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = next;
}
