// Right and coalesced, but still two loads of 8 bytes from each array.
//@ title   Two at a time
//@ launch  add<<<(n + 511) / 512, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *__restrict__ a,
                               const double *__restrict__ b,
                               double *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int half = (n + 1) / 2;
    if (i < half)
        c[i] = a[i] + b[i];
    if (i + half < n && i < half)
        c[i + half] = a[i + half] + b[i + half];
}
