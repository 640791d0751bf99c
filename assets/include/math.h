// The functions are there without a header; these are the constants.
#ifndef WARPBOOK_MATH_H
#define WARPBOOK_MATH_H

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_E 2.71828182845904523536
#define M_LN2 0.69314718055994530942
#define M_LOG2E 1.44269504088896340736
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

#endif
