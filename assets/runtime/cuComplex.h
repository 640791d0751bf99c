// Complex numbers as CUDA's C interface has them: a pair of floats or doubles, and functions of both host and kernels.
#pragma clang system_header
#ifndef WARPBOOK_CU_COMPLEX_H
#define WARPBOOK_CU_COMPLEX_H

#include "cuda_runtime.h"

#define WB_COMPLEX static inline __attribute__((always_inline, nodebug, host, device))

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// T: float or double; F: what the names of the functions of floats end in. Quotients and lengths are scaled, so that no
// square leaves the range of the type.
#define WB_COMPLEX_OF(T, C, F, MAKE, REAL, IMAGINARY, ABS, SQRT)                                             \
    WB_COMPLEX C MAKE(T x, T y)                                                                              \
    {                                                                                                        \
        C c;                                                                                                 \
        c.x = x;                                                                                             \
        c.y = y;                                                                                             \
        return c;                                                                                            \
    }                                                                                                        \
    WB_COMPLEX T REAL(C a)                                                                                   \
    {                                                                                                        \
        return a.x;                                                                                          \
    }                                                                                                        \
    WB_COMPLEX T IMAGINARY(C a)                                                                              \
    {                                                                                                        \
        return a.y;                                                                                          \
    }                                                                                                        \
    WB_COMPLEX C cuConj##F(C a)                                                                              \
    {                                                                                                        \
        return MAKE(a.x, -a.y);                                                                              \
    }                                                                                                        \
    WB_COMPLEX C cuCadd##F(C a, C b)                                                                         \
    {                                                                                                        \
        return MAKE(a.x + b.x, a.y + b.y);                                                                   \
    }                                                                                                        \
    WB_COMPLEX C cuCsub##F(C a, C b)                                                                         \
    {                                                                                                        \
        return MAKE(a.x - b.x, a.y - b.y);                                                                   \
    }                                                                                                        \
    WB_COMPLEX C cuCmul##F(C a, C b)                                                                         \
    {                                                                                                        \
        return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                           \
    }                                                                                                        \
    WB_COMPLEX C cuCfma##F(C a, C b, C c)                                                                    \
    {                                                                                                        \
        return cuCadd##F(cuCmul##F(a, b), c);                                                                \
    }                                                                                                        \
    WB_COMPLEX C cuCdiv##F(C a, C b)                                                                         \
    {                                                                                                        \
        const T scale = 1 / (ABS(b.x) + ABS(b.y));                                                           \
        const C p = MAKE(a.x * scale, a.y * scale), q = MAKE(b.x * scale, b.y * scale);                      \
        const T length = 1 / (q.x * q.x + q.y * q.y);                                                        \
        return MAKE((p.x * q.x + p.y * q.y) * length, (p.y * q.x - p.x * q.y) * length);                     \
    }                                                                                                        \
    WB_COMPLEX T cuCabs##F(C a)                                                                              \
    {                                                                                                        \
        const T x = ABS(a.x), y = ABS(a.y), most = x > y ? x : y, least = x > y ? y : x;                     \
        const T part = least / most;                                                                         \
        return most == 0 || most - most != 0 ? x + y : most * SQRT(1 + part * part);                         \
    }
WB_COMPLEX_OF(float, cuFloatComplex, f, make_cuFloatComplex, cuCrealf, cuCimagf, fabsf, sqrtf)
WB_COMPLEX_OF(double, cuDoubleComplex, , make_cuDoubleComplex, cuCreal, cuCimag, fabs, sqrt)

WB_COMPLEX cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
WB_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
WB_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_cuDoubleComplex((double)c.x, (double)c.y);
}

#undef WB_COMPLEX_OF
#undef WB_COMPLEX
#endif
