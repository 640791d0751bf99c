// All eight elements get a value.
//@ buffer x   int[32] = i % 8
//@ buffer out int[32]
//@ launch pick<<<1, 32>>>(x, out)
extern "C" __global__ void pick(const int *x, int *out)
{
    int a[8], t = threadIdx.x;
    for (int i = 0; i < 8; i++)
        a[i] = i * x[t];
    out[t] = a[x[t]];
}
