// Half a warp swaps values among its own lanes.
//@ buffer out int[16]
//@ launch swap<<<1, 32>>>(out)
extern "C" __global__ void swap(int *out)
{
    int t = threadIdx.x;
    if (t < 16)
        out[t] = __shfl_sync(0x0000ffffu, t, 15 - t);
}
