// The twin in which both write the same.
//@ buffer out int[64]
//@ launch fold<<<2, 64>>>(out)
extern "C" __global__ void fold(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % 64] = i % 64;
}
