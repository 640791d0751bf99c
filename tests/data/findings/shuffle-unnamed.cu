// Half a warp takes values from the other half, which its mask does not name.
//@ buffer out int[16]
//@ launch swap<<<1, 32>>>(out)
extern "C" __global__ void swap(int *out)
{
    int t = threadIdx.x;
    if (t < 16)
        out[t] = __shfl_sync(0x0000ffffu, t, t + 16);
}
