// Sums, least and greatest numbers of three in one function, as dynamic programming wants them.
#pragma clang system_header
#ifndef WARPBOOK_DPX_H
#define WARPBOOK_DPX_H

#define WB_DPX(NAME, T, VALUE)                                                                               \
    WB T NAME(T a, T b, T c)                                                                                 \
    {                                                                                                        \
        return VALUE;                                                                                        \
    }
// By functions of two numbers.
#define WB_DPX_TYPE(TYPE, T, ADD, MAX, MIN)                                                                  \
    WB_DPX(__viaddmax_##TYPE, T, MAX(ADD(a, b), c))                                                          \
    WB_DPX(__viaddmin_##TYPE, T, MIN(ADD(a, b), c))                                                          \
    WB_DPX(__vimax3_##TYPE, T, MAX(MAX(a, b), c))                                                            \
    WB_DPX(__vimin3_##TYPE, T, MIN(MIN(a, b), c))
// What is below 0 becomes 0.
#define WB_DPX_RELU(TYPE, T, MAX, MIN)                                                                       \
    WB2(T, __vimax_##TYPE##_relu, T, T, MAX(MAX(a, b), 0))                                                   \
    WB2(T, __vimin_##TYPE##_relu, T, T, MAX(MIN(a, b), 0))                                                   \
    WB_DPX(__viaddmax_##TYPE##_relu, T, MAX(__viaddmax_##TYPE(a, b, c), 0))                                  \
    WB_DPX(__viaddmin_##TYPE##_relu, T, MAX(__viaddmin_##TYPE(a, b, c), 0))                                  \
    WB_DPX(__vimax3_##TYPE##_relu, T, MAX(__vimax3_##TYPE(a, b, c), 0))                                      \
    WB_DPX(__vimin3_##TYPE##_relu, T, MAX(__vimin3_##TYPE(a, b, c), 0))
// And whether it is the first one, of words or of each half.
#define WB_DPX_WHICH(NAME, T, SIGN)                                                                          \
    WB T NAME(T a, T b, bool *first)                                                                         \
    {                                                                                                        \
        *first = a SIGN b;                                                                                   \
        return *first ? a : b;                                                                               \
    }
#define WB_DPX_WHICH_2(NAME, T, VALUE, SIGN)                                                                 \
    WB unsigned NAME(unsigned a, unsigned b, bool *high, bool *low)                                          \
    {                                                                                                        \
        *high = (T)(a >> 16) SIGN(T)(b >> 16);                                                               \
        *low = (T)a SIGN(T) b;                                                                               \
        return VALUE(a, b);                                                                                  \
    }
#define WB_ADD(A, B) (int)((unsigned)(A) + (unsigned)(B))
WB_DPX_TYPE(s32, int, WB_ADD, max, min)
#undef WB_ADD
#define WB_ADD(A, B) ((A) + (B))
WB_DPX_TYPE(u32, unsigned, WB_ADD, max, min)
#undef WB_ADD
WB_DPX_TYPE(s16x2, unsigned, __vadd2, __vmaxs2, __vmins2)
WB_DPX_TYPE(u16x2, unsigned, __vadd2, __vmaxu2, __vminu2)
WB_DPX_RELU(s32, int, max, min)
WB_DPX_RELU(s16x2, unsigned, __vmaxs2, __vmins2)
WB_DPX_WHICH(__vibmax_s32, int, >=)
WB_DPX_WHICH(__vibmin_s32, int, <=)
WB_DPX_WHICH(__vibmax_u32, unsigned, >=)
WB_DPX_WHICH(__vibmin_u32, unsigned, <=)
WB_DPX_WHICH_2(__vibmax_s16x2, short, __vmaxs2, >=)
WB_DPX_WHICH_2(__vibmin_s16x2, short, __vmins2, <=)
WB_DPX_WHICH_2(__vibmax_u16x2, unsigned short, __vmaxu2, >=)
WB_DPX_WHICH_2(__vibmin_u16x2, unsigned short, __vminu2, <=)
#undef WB_DPX
#undef WB_DPX_TYPE
#undef WB_DPX_RELU
#undef WB_DPX_WHICH
#undef WB_DPX_WHICH_2

#endif
