// The same walk in pairs: a double2 is loaded and stored by one
// instruction of 16 bytes. With an odd n one element is left over; it
// belongs to the thread whose turn the next pair would be.
//@ title   16-byte loads
//@ why     Twice the bytes for each instruction: fewer instructions,
//@ why     and more bytes in flight at any time.
//@ launch  vecadd_16_byte_loads<<<sm_count * 8, 256>>>(a, b, c, n)
//@ owner   c <<<i / 2 / 256 % (sm_count * 8), i / 2 % 256>>>
extern "C" __global__ void
vecadd_16_byte_loads(const double *__restrict__ a,
                     const double *__restrict__ b,
                     double *__restrict__ c, int n)
{
    const double2 *a2 = (const double2 *)a, *b2 = (const double2 *)b;
    double2 *c2 = (double2 *)c;
    int threads = gridDim.x * blockDim.x;
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    for (; pair < n / 2; pair += threads) {
        double2 left = a2[pair], right = b2[pair];
        c2[pair] = make_double2(left.x + right.x, left.y + right.y);
    }
    if (pair * 2 == n - 1)
        c[n - 1] = a[n - 1] + b[n - 1];
}
