// The twin whose condition ends at once.
//@ buffer x   int[32] = 0
//@ buffer out int[32]
//@ launch wait<<<1, 32>>>(x, out)
extern "C" __global__ void wait(volatile int *x, int *out)
{
    int t = threadIdx.x;
    out[t] = t;
    while (x[t])
        ;
}
