// Thread i adds the elements 2 * i and 2 * i + 1.
//@ title   Two at a time
//@ launch  add<<<(n + 511) / 512, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *__restrict__ a,
                               const double *__restrict__ b,
                               double *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // TODO: load the pair with one instruction of 16 bytes: a double2
    // for each array. n may be odd; then the last element is alone.
    if (2 * i < n)
        c[2 * i] = a[2 * i] + b[2 * i];
    if (2 * i + 1 < n)
        c[2 * i + 1] = a[2 * i + 1] + b[2 * i + 1];
}
