// The functions are there without a header; these are the constants.
#ifndef WARPBOOK_MATH_H
#define WARPBOOK_MATH_H

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#define M_PI 3.14159265358979323846
#define M_E 2.71828182845904523536
#define M_SQRT2 1.41421356237309504880

#endif
