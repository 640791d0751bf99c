// A launch one block short.
//@ buffer out int[256]
//@ launch fill<<<3, 64>>>(out)
extern "C" __global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}
