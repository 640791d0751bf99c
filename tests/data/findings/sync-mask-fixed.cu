// The twin that names the lower half.
//@ buffer out int[32]
//@ launch gone<<<1, 32>>>(out)
extern "C" __global__ void gone(int *out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t >= 16)
        return;
    out[t] = __shfl_xor_sync(0x0000ffffu, t, 1);
}
