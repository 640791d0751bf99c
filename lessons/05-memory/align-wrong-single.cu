// Each block adds about a tenth; every part starts at an even element.
//@ title   A part for each block
//@ launch  add<<<10, 128>>>(a, b, c, n)
extern "C" __global__ void add(const double *__restrict__ a,
                               const double *__restrict__ b,
                               double *__restrict__ c, int n)
{
    int part = (n + gridDim.x - 1) / gridDim.x;
    // Pairs of 16 bytes start at multiples of 16.
    part = (part + 1) / 2 * 2;
    int start = blockIdx.x * part;
    int end = min(start + part, n);

    for (int i = start + threadIdx.x * 2; i < end;
         i += blockDim.x * 2) {
        c[i] = a[i] + b[i]; // no pair any more
        if (i + 1 < end)
            c[i + 1] = a[i + 1] + b[i + 1];
    }
}
