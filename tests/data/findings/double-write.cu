// Threads i and i + 64 own the same element of the output and disagree.
//@ buffer out int[64]
//@ launch fold<<<2, 64>>>(out)
extern "C" __global__ void fold(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % 64] = i;
}
