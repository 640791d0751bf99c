// The twin in which they agree.
//@ buffer out int[16]
//@ launch pairs<<<1, 32>>>(out)
extern "C" __global__ void pairs(int *out)
{
    out[threadIdx.x / 2] = threadIdx.x / 2;
}
