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
        if (i + 1 < end) {
            double2 left = *(const double2 *)(a + i);
            double2 right = *(const double2 *)(b + i);
            *(double2 *)(c + i) =
                make_double2(left.x + right.x, left.y + right.y);
        } else {
            c[i] = a[i] + b[i];
        }
    }
}
