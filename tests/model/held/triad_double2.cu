// a = b + s * c, with two doubles to a load.
//@ param   n = 1 << 21
//@ buffer  a double2[n]
//@ buffer  b double2[n] = i % 13
//@ buffer  c double2[n] = i % 5
//@ launch  triad<<<(n + 127) / 128, 128>>>(a, b, c, 0.4, n)
extern "C" __global__ void triad(double2 *a, const double2 *b,
                                 const double2 *c, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 left = b[i], right = c[i];
        a[i] = make_double2(left.x + s * right.x, left.y + s * right.y);
    }
}
