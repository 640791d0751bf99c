// c = a + b, element by element, by a single thread of the whole GPU.
// __restrict__ promises that the arrays do not overlap, so several
// loads may wait at the same time.
//@ title   One thread
//@ why     The plainest kernel: a loop as on a CPU. All but one of the
//@ why     GPU's lanes have nothing to do.
//@ launch  vecadd_one_thread<<<1, 1>>>(a, b, c, n)
//@ owner   c <<<0, 0>>>
extern "C" __global__ void
vecadd_one_thread(const double *__restrict__ a,
                  const double *__restrict__ b, double *__restrict__ c,
                  int n)
{
#pragma unroll 16
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
