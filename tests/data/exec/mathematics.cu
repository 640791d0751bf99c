// Every function of CUDA's mathematics in float and double. With a file of the results that nvcc's library gives as its
// argument, says which differ from them by more than twice the error that CUDA's programming guide states: the library and
// another one may each be off by that. Without one, prints the results: build/warpbook exec on this file, with nvcc.
// clang-format off
#include <cmath>
#include <cstdio>
#include <cstring>

// NAME, TYPE, UNITS in the last place, FROM, TO
#define ONE(X)                           \
    X(sqrtf, float, 0, 0, 9)             \
    X(rsqrtf, float, 2, 0, 9)            \
    X(cbrtf, float, 1, -9, 99)           \
    X(rcbrtf, float, 1, 1, 99)           \
    X(expf, float, 2, -99, 80)           \
    X(exp2f, float, 2, -130, 120)        \
    X(exp10f, float, 2, -38, 38)         \
    X(expm1f, float, 1, -5, 20)          \
    X(logf, float, 1, 0.99, 1.01)        \
    X(log2f, float, 1, 0.98, 1.01)       \
    X(log10f, float, 2, 0.99, 1.03)      \
    X(log1pf, float, 1, -0.5, 2)         \
    X(sinf, float, 2, -9, 30)            \
    X(cosf, float, 2, 0, 1e6)            \
    X(tanf, float, 4, -3, 1e5)           \
    X(sinpif, float, 1, -3, 3.1)         \
    X(cospif, float, 1, -3, 3.1)         \
    X(asinf, float, 2, -1, 1)            \
    X(acosf, float, 2, -1, 1)            \
    X(atanf, float, 2, -9, 9)            \
    X(sinhf, float, 3, -5, 80)           \
    X(coshf, float, 2, -5, 80)           \
    X(tanhf, float, 2, -0.9, 4)          \
    X(asinhf, float, 3, -9, 9)           \
    X(acoshf, float, 4, 1, 99)           \
    X(atanhf, float, 3, -1, 1)           \
    X(erff, float, 2, -2, 3)             \
    X(erfcf, float, 4, -1, 9)            \
    X(erfinvf, float, 2, -1, 1)          \
    X(erfcinvf, float, 4, 0, 2)          \
    X(erfcxf, float, 4, -3, 30)          \
    X(normcdff, float, 5, -9, 3)         \
    X(normcdfinvf, float, 5, 0, 1)       \
    X(lgammaf, float, 6, 0.1, 40)        \
    X(tgammaf, float, 5, -2.6, 30)       \
    X(j0f, float, 9, -7, 7.9)            \
    X(j1f, float, 9, -7, 7.9)            \
    X(y0f, float, 9, 0.01, 7.9)          \
    X(y1f, float, 9, 0.01, 7.9)          \
    X(cyl_bessel_i0f, float, 6, -40, 60) \
    X(cyl_bessel_i1f, float, 6, -40, 60) \
    X(fabsf, float, 0, -9, 9)            \
    X(floorf, float, 0, -9, 9)           \
    X(ceilf, float, 0, -9, 9)            \
    X(truncf, float, 0, -9, 9)           \
    X(roundf, float, 0, -9, 9)           \
    X(rintf, float, 0, -9, 9)            \
    X(nearbyintf, float, 0, -9, 9)       \
    X(logbf, float, 0, -9, 9)            \
    X(sqrt, double, 0, 0, 9)             \
    X(rsqrt, double, 1, 0, 9)            \
    X(cbrt, double, 1, -9, 99)           \
    X(rcbrt, double, 1, 1, 99)           \
    X(exp, double, 1, -700, 700)         \
    X(exp2, double, 1, -1000, 1000)      \
    X(exp10, double, 1, -300, 300)       \
    X(expm1, double, 1, -5, 99)          \
    X(log, double, 1, 0.99, 1.01)        \
    X(log2, double, 1, 0.98, 1.01)       \
    X(log10, double, 1, 0.99, 1.03)      \
    X(log1p, double, 1, -0.5, 2)         \
    X(sin, double, 2, -9, 1e9)           \
    X(cos, double, 2, -9, 99)            \
    X(tan, double, 2, -9, 99)            \
    X(sinpi, double, 2, -3, 3.1)         \
    X(cospi, double, 2, -3, 3.1)         \
    X(asin, double, 2, -1, 1)            \
    X(acos, double, 2, -1, 1)            \
    X(atan, double, 2, -9, 9)            \
    X(sinh, double, 2, -5, 700)          \
    X(cosh, double, 1, -5, 700)          \
    X(tanh, double, 1, -0.9, 4)          \
    X(asinh, double, 3, -9, 9)           \
    X(acosh, double, 3, 1, 99)           \
    X(atanh, double, 2, -1, 1)           \
    X(erf, double, 2, -2, 3)             \
    X(erfc, double, 5, -1, 20)           \
    X(erfinv, double, 5, -1, 1)          \
    X(erfcinv, double, 6, 0, 2)          \
    X(erfcx, double, 4, -3, 30)          \
    X(normcdf, double, 5, -20, 3)        \
    X(normcdfinv, double, 8, 0, 1)       \
    X(lgamma, double, 4, 0.1, 40)        \
    X(tgamma, double, 10, -2.6, 30)      \
    X(j0, double, 7, -7, 7.9)            \
    X(j1, double, 7, -7, 7.9)            \
    X(y0, double, 7, 0.01, 7.9)          \
    X(y1, double, 7, 0.01, 7.9)          \
    X(cyl_bessel_i0, double, 6, -40, 60) \
    X(cyl_bessel_i1, double, 6, -40, 60) \
    X(fabs, double, 0, -9, 9)            \
    X(floor, double, 0, -9, 9)           \
    X(ceil, double, 0, -9, 9)            \
    X(trunc, double, 0, -9, 9)           \
    X(round, double, 0, -9, 9)           \
    X(rint, double, 0, -9, 9)            \
    X(nearbyint, double, 0, -9, 9)       \
    X(logb, double, 0, -9, 9)
// Of b, too, which is 2.75.
#define TWO(X)                       \
    X(powf, float, 4, 0, 20)         \
    X(atan2f, float, 3, -9, 9)       \
    X(hypotf, float, 3, -9, 9)       \
    X(rhypotf, float, 2, 1, 9)       \
    X(fmodf, float, 0, -1e9, 1e9)    \
    X(remainderf, float, 0, -99, 99) \
    X(fdimf, float, 0, -9, 9)        \
    X(fminf, float, 0, -9, 9)        \
    X(fmaxf, float, 0, -9, 9)        \
    X(copysignf, float, 0, -9, 9)    \
    X(nextafterf, float, 0, -9, 9)   \
    X(fdividef, float, 0, -9, 9)     \
    X(pow, double, 2, 0, 20)         \
    X(atan2, double, 2, -9, 9)       \
    X(hypot, double, 2, -9, 9)       \
    X(rhypot, double, 1, 1, 9)       \
    X(fmod, double, 0, -1e9, 1e9)    \
    X(remainder, double, 0, -99, 99) \
    X(fdim, double, 0, -9, 9)        \
    X(fmin, double, 0, -9, 9)        \
    X(fmax, double, 0, -9, 9)        \
    X(copysign, double, 0, -9, 9)    \
    X(nextafter, double, 0, -9, 9)   \
    X(fdivide, double, 0, -9, 9)
// Of other shapes: NAME, TYPE, UNITS, FROM, TO, and what is computed of a.
#define MORE(X)                                                                                               \
    X(logf_far, float, 1, 1e-38, 3e38, logf(a))                                                               \
    X(log2f_far, float, 1, 1e-38, 3e38, log2f(a))                                                             \
    X(log10f_far, float, 2, 0.1, 1e5, log10f(a))                                                              \
    X(log_far, double, 1, 1e-300, 1e300, log(a))                                                              \
    X(powf_far, float, 4, 2, 90, powf(a, 17.5f))                                                              \
    X(powf_near, float, 4, 0.9, 1.1, powf(a, 123.25f))                                                        \
    X(powf_whole, float, 4, -3, 3, powf(a, -3))                                                               \
    X(fmodf_whole, float, 0, 0, 90, fmodf(a, 1 / 0.3f))                                                       \
    X(sinf_far, float, 2, 1e3, 1e9, sinf(a))                                                                  \
    X(tanhf_near, float, 2, 0, 1e-3, tanhf(a))                                                                \
    X(jnf_3, float, 9, -2, 3.5, jnf(3, a))                                                                    \
    X(ynf_3, float, 10, 0.2, 2.9, ynf(3, a))                                                                  \
    X(jn_3, double, 9e4, -2, 3.5, jn(3, a))                                                                   \
    X(yn_3, double, 10, 0.2, 2.9, yn(3, a))                                                                   \
    X(norm3df, float, 3, -9, 9, norm3df(a, 2, 1))                                                             \
    X(norm4df, float, 3, -9, 9, norm4df(a, 2, 1, 3))                                                          \
    X(rnorm3df, float, 2, -9, 9, rnorm3df(a, 2, 1))                                                           \
    X(rnorm4df, float, 2, -9, 9, rnorm4df(a, 2, 1, 3))                                                        \
    X(norm3d, double, 2, -9, 9, norm3d(a, 2, 1))                                                              \
    X(norm4d, double, 2, -9, 9, norm4d(a, 2, 1, 3))                                                           \
    X(rnorm3d, double, 1, -9, 9, rnorm3d(a, 2, 1))                                                            \
    X(rnorm4d, double, 1, -9, 9, rnorm4d(a, 2, 1, 3))                                                         \
    X(normf, float, 4, -9, 9, normf(1, &a))                                                                   \
    X(rnormf, float, 3, -9, 9, rnormf(1, &a))                                                                 \
    X(norm, double, 3, -9, 9, norm(1, &a))                                                                    \
    X(rnorm, double, 2, -9, 9, rnorm(1, &a))                                                                  \
    X(fmaf, float, 0, -9, 9, fmaf(a, a, 1))                                                                   \
    X(fma, double, 0, -9, 9, fma(a, a, 1.0))                                                                  \
    X(ldexpf, float, 0, -9, 9, ldexpf(a, -3))                                                                 \
    X(ldexp, double, 0, -9, 9, ldexp(a, -3))                                                                  \
    X(scalbnf, float, 0, -9, 9, scalbnf(a, 5))                                                                \
    X(scalbn, double, 0, -9, 9, scalbn(a, 5))                                                                 \
    X(scalblnf, float, 0, -9, 9, scalblnf(a, 5))                                                              \
    X(scalbln, double, 0, -9, 9, scalbln(a, 5))                                                               \
    X(ilogbf, float, 0, 1, 99, ilogbf(a))                                                                     \
    X(ilogb, double, 0, 1, 99, ilogb(a))                                                                      \
    X(lrintf, float, 0, -9, 9, lrintf(a))                                                                     \
    X(lrint, double, 0, -9, 9, lrint(a))                                                                      \
    X(lroundf, float, 0, -9, 9, lroundf(a))                                                                   \
    X(lround, double, 0, -9, 9, lround(a))                                                                    \
    X(llrintf, float, 0, -9, 9, llrintf(a))                                                                   \
    X(llround, double, 0, -9, 9, llround(a))                                                                  \
    X(sincosf, float, 4, -9, 9, pair<float>(a, [](float v, float *s, float *c) { sincosf(v, s, c); }))        \
    X(sincos, double, 4, -9, 9, pair<double>(a, [](double v, double *s, double * c) { sincos(v, s, c); }))    \
    X(sincospif, float, 4, 0, 1, pair<float>(a, [](float v, float *s, float *c) { sincospif(v, s, c); }))     \
    X(sincospi, double, 4, 0, 1, pair<double>(a, [](double v, double *s, double * c) { sincospi(v, s, c); })) \
    X(frexpf, float, 0, -99, 99, part<float>(a, [](float v, int *e) { return frexpf(v, e); }))                \
    X(frexp, double, 0, -99, 99, part<double>(a, [](double v, int *e) { return frexp(v, e); }))               \
    X(remquof, float, 0, -97, 98, part<float>(a, [](float v, int *e) { return remquof(v, 2.75f, e); }))       \
    X(remquo, double, 0, -97, 98, part<double>(a, [](double v, int *e) { return remquo(v, 2.75, e); }))       \
    X(modff, float, 0, -9, 9, parts<float>(a, [](float v, float *w) { return modff(v, w); }))                 \
    X(modf, double, 0, -9, 9, parts<double>(a, [](double v, double *w) { return modf(v, w); }))

template <class T, class F> __device__ T pair(T a, F f)
{
    T sine, cosine;
    f(a, &sine, &cosine);
    return sine * 2 + cosine;
}
template <class T, class F> __device__ T part(T a, F f)
{
    int whole = 0;
    T value = f(a, &whole);
    return isfinite(a) ? value + 64 * (whole & 7) : value;
}
template <class T, class F> __device__ T parts(T a, F f)
{
    T whole, value = f(a, &whole);
    return value + 2 * whole;
}
#define KERNEL(NAME, TYPE, UNITS, FROM, TO)                                                                  \
    __global__ void k_##NAME(TYPE *out, const TYPE *in)                                                      \
    {                                                                                                        \
        out[threadIdx.x] = NAME(in[threadIdx.x]);                                                            \
    }
#define KERNEL_2(NAME, TYPE, UNITS, FROM, TO)                                                                \
    __global__ void k_##NAME(TYPE *out, const TYPE *in)                                                      \
    {                                                                                                        \
        out[threadIdx.x] = NAME(in[threadIdx.x], (TYPE)2.75);                                                \
    }
#define KERNEL_MORE(NAME, TYPE, UNITS, FROM, TO, VALUE)                                                      \
    __global__ void k_##NAME(TYPE *out, const TYPE *in)                                                      \
    {                                                                                                        \
        const TYPE a = in[threadIdx.x];                                                                      \
        out[threadIdx.x] = VALUE;                                                                            \
    }
ONE(KERNEL) TWO(KERNEL_2) MORE(KERNEL_MORE)

enum { N = 12 };
static int tried, differ;

template <class T>
static void kernel(const char *name, double units, double from, double to, void (*k)(T *, const T *),
                   FILE *right)
{
    T *in, *out;
    char word[32] = "";
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&out, N * sizeof *out);
    for (int i = 0; i < N; i++)
        in[i] = i < N - 2 ? (T)(from + (to - from) * i / (N - 3)) : i < N - 1 ? (T)INFINITY : (T)NAN;
    k<<<1, N>>>(out, in);
    cudaDeviceSynchronize();
    tried++;
    if (right && (fscanf(right, "%31s", word) != 1 || strcmp(word, name) != 0))
        printf("%s is not where it should be\n", name), differ++;
    for (int i = 0; i < N; i++) {
        double expected = 0, got = out[i];
        if (!right) {
            printf("%s %a", i ? "" : name, got);
            continue;
        }
        if (fscanf(right, "%lf", &expected) != 1)
            expected = -99;
        const double digits = sizeof(T) == 4 ? 24 : 53, least = sizeof(T) == 4 ? -149 : -1074;
        const double unit = ldexp(1, (int)fmax(ilogb(expected) - (digits - 1), least));
        const bool equal = expected == got || (expected != expected && got != got);
        if (!equal && !(fabs(got - expected) <= 2 * units * unit)) {
            printf("%s(%.9g) is %.17g, not %.17g: %.1f units\n", name, (double)in[i], got, expected,
                   fabs(got - expected) / unit);
            differ++;
        }
    }
    if (!right)
        puts("");
    cudaFree(in);
    cudaFree(out);
}

int main(int argc, char **argv)
{
    FILE *right = argc > 1 ? fopen(argv[1], "r") : NULL;
#define RUN(NAME, TYPE, UNITS, FROM, TO) kernel<TYPE>(#NAME, UNITS, FROM, TO, k_##NAME, right);
#define RUN_MORE(NAME, TYPE, UNITS, FROM, TO, VALUE) RUN(NAME, TYPE, UNITS, FROM, TO)
    ONE(RUN) TWO(RUN) MORE(RUN_MORE)
    if (right)
        printf("%d functions, %d values differ\n", tried, differ);
}
