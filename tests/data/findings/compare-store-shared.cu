// Warps take turns at a word of shared memory by comparing and storing: two may take the same one.
//@ buffer out int[4]
//@ launch turns<<<1, 128>>>(out)
extern "C" __global__ void turns(int *out)
{
    __shared__ int next;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        int mine = next;
        if (mine < 4)
            next = mine + 1;
    }
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = next;
}
