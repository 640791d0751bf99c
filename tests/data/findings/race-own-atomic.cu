// The thread that sets the counter also counts, and then the other warp does.
//@ buffer out int[64]
//@ launch tally<<<1, 64>>>(out)
extern "C" __global__ void tally(int *out)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncwarp();
    atomicAdd(&count, 1);
    __syncthreads();
    out[t] = count;
}
