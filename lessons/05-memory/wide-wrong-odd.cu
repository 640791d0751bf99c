// The pairs are right, but of an odd n the last element is left out.
//@ title   Two at a time
//@ launch  add<<<(n + 511) / 512, 256>>>(a, b, c, n)
extern "C" __global__ void add(const double *__restrict__ a,
                               const double *__restrict__ b,
                               double *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 2) {
        double2 left = ((const double2 *)a)[i];
        double2 right = ((const double2 *)b)[i];
        ((double2 *)c)[i] =
            make_double2(left.x + right.x, left.y + right.y);
    }
}
