// Eight kernels that store a word a thread, one after the other: beside first.cu, what each further launch costs.
//@ buffer out int[32]
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
//@ launch again<<<1, 32>>>(out)
extern "C" __global__ void again(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}
