// An index from a list that was never filled.
//@ buffer x   int[64] = i
//@ buffer tmp int[64]
//@ buffer out int[64]
//@ launch gather<<<1, 64>>>(x, tmp, out)
extern "C" __global__ void gather(const int *x, const int *tmp, int *out)
{
    int t = threadIdx.x;
    out[t] = x[tmp[t] & 63];
}
