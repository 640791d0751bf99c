// The twin in which one thread writes.
//@ buffer out int[64]
//@ launch vote<<<1, 64>>>(out)
extern "C" __global__ void vote(int *out)
{
    __shared__ int winner;
    int t = threadIdx.x;
    if (t == 0)
        winner = t;
    __syncthreads();
    out[t] = winner;
}
