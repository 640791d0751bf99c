// a[i] is i and b[i] is i + 1: c[256] should be 513, which one can check in the head, and no two elements have the same sum.
static void make_input(double *a, double *b, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        a[i] = (double)i;
        b[i] = (double)(i + 1);
    }
}

static void cpu_answer(const double *a, const double *b, double *c, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
