// c = a + b: each warp takes 256 neighbours. A block has 4 warps.
//@ title   256 elements a warp
//@ launch  add<<<(n + 1023) / 1024, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *a, const double *b,
                               double *c, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256, last = min(first + 256, n);

    // TODO: one lane works, 31 look on.
    if (lane == 0)
        for (int i = first; i < last; i++)
            c[i] = a[i] + b[i];
}
