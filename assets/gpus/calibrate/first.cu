// One warp that reads its parameters and stores a word a thread: what the launch of a kernel costs that does anything.
//@ buffer out int[32]
//@ launch first<<<1, 32>>>(out)
extern "C" __global__ void first(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}
