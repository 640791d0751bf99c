// The twin with a good index.
//@ buffer x   int[32] = i & 7
//@ buffer out int[32]
//@ launch own<<<1, 32>>>(x, out)
extern "C" __global__ void own(const int *x, int *out)
{
    int a[8], t = threadIdx.x;
    for (int i = 0; i < 8; i++)
        a[i] = i * x[t];
    out[t] = a[x[t]];
}
