//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_chase_collatz<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_chase_collatz(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx[t], hops = 0;
    while (x > 400 && hops < 40) {
        x = idx[x ^ hops];
        ++hops;
    }
    unsigned y = (unsigned)a[t] + 1u;
    int steps = 0;
    do {
        y = (y & 1) ? 3 * y + 1 : y >> 1;
        ++steps;
    } while (y != 1 && steps < 60);
    int outer = 0;
    for (int i = 0; i < (t & 3) + 1; ++i) {
        int j = i;
        while (j < (hops & 7))
            j += 2, ++outer;
    }
    v[4000 + t] = make_int4(x, hops, (int)y, steps * 100 + outer);
}
