// Each block has a part of its own.
//@ buffer out int[48]
//@ launch parts<<<2, 24>>>(out)
extern "C" __global__ void parts(int *out)
{
    out[blockIdx.x * 24 + threadIdx.x] = blockIdx.x;
}
