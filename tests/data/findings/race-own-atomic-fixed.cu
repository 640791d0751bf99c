// The counter is set before anybody counts.
//@ buffer out int[64]
//@ launch tally<<<1, 64>>>(out)
extern "C" __global__ void tally(int *out)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[t] = count;
}
