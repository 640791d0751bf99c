// The parts of two blocks overlap, because they begin too close to each other.
//@ buffer out int[48]
//@ launch parts<<<2, 32>>>(out)
extern "C" __global__ void parts(int *out)
{
    out[blockIdx.x * 16 + threadIdx.x] = blockIdx.x;
}
