// Bits, whole numbers, and conversions with a stated rounding.
#pragma clang system_header
#ifndef WARPBOOK_BITS_H
#define WARPBOOK_BITS_H

// ---- bits and integers --------------------------------------------------------------------------

#define WB1(T, NAME, A, EXPRESSION)                                                                          \
    WB T NAME(A a)                                                                                           \
    {                                                                                                        \
        return EXPRESSION;                                                                                   \
    }
#define WB2(T, NAME, A, B, EXPRESSION)                                                                       \
    WB T NAME(A a, B b)                                                                                      \
    {                                                                                                        \
        return EXPRESSION;                                                                                   \
    }
#define WB3(T, NAME, A, B, C, EXPRESSION)                                                                    \
    WB T NAME(A a, B b, C c)                                                                                 \
    {                                                                                                        \
        return EXPRESSION;                                                                                   \
    }

WB1(int, __popc, unsigned, __builtin_popcount(a))
WB1(int, __popcll, unsigned long long, __builtin_popcountll(a))
WB1(int, __ffs, int, __builtin_ffs(a))
WB1(int, __ffsll, long long, __builtin_ffsll(a))
WB1(int, __clz, int, a ? __builtin_clz((unsigned)a) : 32)
WB1(int, __clzll, long long, a ? __builtin_clzll((unsigned long long)a) : 64)
WB1(unsigned, __brev, unsigned, __builtin_bitreverse32(a))
WB1(unsigned long long, __brevll, unsigned long long, __builtin_bitreverse64(a))
WB3(unsigned, __byte_perm, unsigned, unsigned, unsigned, __nvvm_prmt(a, b, c))
WB2(int, __mulhi, int, int, (int)((long long)a *b >> 32))
WB2(unsigned, __umulhi, unsigned, unsigned, (unsigned)((unsigned long long)a *b >> 32))
WB2(long long, __mul64hi, long long, long long, __nvvm_mulhi_ll(a, b))
WB2(unsigned long long, __umul64hi, unsigned long long, unsigned long long, __nvvm_mulhi_ull(a, b))
WB2(int, __mul24, int, int, __nvvm_mul24_i(a, b))
WB2(unsigned, __umul24, unsigned, unsigned, __nvvm_mul24_ui(a, b))
WB3(unsigned, __funnelshift_l, unsigned, unsigned, unsigned,
    (unsigned)((((unsigned long long)b << 32 | a) << (c & 31)) >> 32))
WB3(unsigned, __funnelshift_r, unsigned, unsigned, unsigned,
    (unsigned)(((unsigned long long)b << 32 | a) >> (c & 31)))
WB3(unsigned, __funnelshift_lc, unsigned, unsigned, unsigned,
    (unsigned)((((unsigned long long)b << 32 | a) << (c < 32 ? c : 32)) >> 32))
WB3(unsigned, __funnelshift_rc, unsigned, unsigned, unsigned,
    (unsigned)(((unsigned long long)b << 32 | a) >> (c < 32 ? c : 32)))
WB3(unsigned, __sad, int, int, unsigned, c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a))
WB3(unsigned, __usad, unsigned, unsigned, unsigned, c + (a > b ? a - b : b - a))
WB3(int, __dp4a, int, int, int, ({
        int sum;
        asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
        sum;
    }))
WB3(unsigned, __dp4a, unsigned, unsigned, unsigned, ({
        unsigned sum;
        asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
        sum;
    }))

// Two halves of a times the lower, or the upper, two bytes of b.
#define WB_DP2A(NAME, T, TYPES, PART)                                                                        \
    WB T NAME(T a, T b, T c)                                                                                 \
    {                                                                                                        \
        T sum;                                                                                               \
        asm("dp2a." PART TYPES " %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));                     \
        return sum;                                                                                          \
    }
WB_DP2A(__dp2a_lo, int, ".s32.s32", "lo")
WB_DP2A(__dp2a_lo, unsigned, ".u32.u32", "lo")
WB_DP2A(__dp2a_hi, int, ".s32.s32", "hi")
WB_DP2A(__dp2a_hi, unsigned, ".u32.u32", "hi")
#undef WB_DP2A
// Means, without the overflow of the sum.
WB2(int, __hadd, int, int, (a & b) + ((a ^ b) >> 1))
WB2(int, __rhadd, int, int, (a | b) - ((a ^ b) >> 1))
WB2(unsigned, __uhadd, unsigned, unsigned, (a & b) + ((a ^ b) >> 1))
WB2(unsigned, __urhadd, unsigned, unsigned, (a | b) - ((a ^ b) >> 1))
// The place of the n-th set bit from `base` on, upwards; downwards for a negative one.
WB unsigned __fns(unsigned mask, unsigned base, int n)
{
    const int step = n < 0 ? -1 : 1;
    int left = n < 0 ? -n : n;
    if (n == 0)
        return mask >> (base & 31) & 1 ? base : ~0u;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (unsigned)at;
    return ~0u;
}

#define WB_ORDER(T)                                                                                          \
    WB2(T, min, T, T, a < b ? a : b)                                                                         \
    WB2(T, max, T, T, a > b ? a : b)
WB_ORDER(int)
WB_ORDER(unsigned)
WB_ORDER(long)
WB_ORDER(unsigned long)
WB_ORDER(long long)
WB_ORDER(unsigned long long)
#define WB_ORDER_UNSIGNED(U, T)                                                                              \
    WB2(U, min, U, T, min(a, (U)b))                                                                          \
    WB2(U, min, T, U, min((U)a, b))                                                                          \
    WB2(U, max, U, T, max(a, (U)b))                                                                          \
    WB2(U, max, T, U, max((U)a, b))
WB_ORDER_UNSIGNED(unsigned, int)
WB_ORDER_UNSIGNED(unsigned long, long)
WB_ORDER_UNSIGNED(unsigned long long, long long)
WB2(unsigned, umin, unsigned, unsigned, min(a, b))
WB2(unsigned, umax, unsigned, unsigned, max(a, b))
WB2(long long, llmin, long long, long long, min(a, b))
WB2(long long, llmax, long long, long long, max(a, b))
WB2(unsigned long long, ullmin, unsigned long long, unsigned long long, min(a, b))
WB2(unsigned long long, ullmax, unsigned long long, unsigned long long, max(a, b))
WB2(float, min, float, float, __nvvm_fmin_f(a, b))
WB2(float, max, float, float, __nvvm_fmax_f(a, b))
WB2(double, min, double, double, __nvvm_fmin_d(a, b))
WB2(double, max, double, double, __nvvm_fmax_d(a, b))
WB2(double, min, double, float, __nvvm_fmin_d(a, b))
WB2(double, max, double, float, __nvvm_fmax_d(a, b))
WB2(double, min, float, double, __nvvm_fmin_d(a, b))
WB2(double, max, float, double, __nvvm_fmax_d(a, b))

WB1(int, abs, int, a < 0 ? -a : a)
WB1(long, labs, long, a < 0 ? -a : a)
WB1(long long, llabs, long long, a < 0 ? -a : a)
WB1(long, abs, long, a < 0 ? -a : a)
WB1(long long, abs, long long, a < 0 ? -a : a)

// ---- bits of decimals, roundings ----------------------------------------------------------------

WB1(int, __float_as_int, float, __builtin_bit_cast(int, a))
WB1(unsigned, __float_as_uint, float, __builtin_bit_cast(unsigned, a))
WB1(float, __int_as_float, int, __builtin_bit_cast(float, a))
WB1(float, __uint_as_float, unsigned, __builtin_bit_cast(float, a))
WB1(long long, __double_as_longlong, double, __builtin_bit_cast(long long, a))
WB1(double, __longlong_as_double, long long, __builtin_bit_cast(double, a))
WB1(int, __double2hiint, double, (int)(__builtin_bit_cast(long long, a) >> 32))
WB1(int, __double2loint, double, (int)__builtin_bit_cast(long long, a))

// Sums and products stay what they are: clang would make its builtins' part of an fma.
#define WB_ASM2(T, NAME, CONSTRAINT, INSTRUCTION)                                                            \
    WB T NAME(T a, T b)                                                                                      \
    {                                                                                                        \
        T value;                                                                                             \
        asm(INSTRUCTION " %0, %1, %2;" : "=" CONSTRAINT(value) : CONSTRAINT(a), CONSTRAINT(b));              \
        return value;                                                                                        \
    }
#define WB_ROUNDINGS(KIND, IS, PTX)                                                                          \
    WB1(int, __float2int_##KIND, float, __nvvm_f2i_##IS(a))                                                  \
    WB1(unsigned, __float2uint_##KIND, float, __nvvm_f2ui_##IS(a))                                           \
    WB1(long long, __float2ll_##KIND, float, __nvvm_f2ll_##IS(a))                                            \
    WB1(unsigned long long, __float2ull_##KIND, float, __nvvm_f2ull_##IS(a))                                 \
    WB1(float, __int2float_##KIND, int, __nvvm_i2f_##IS(a))                                                  \
    WB1(float, __uint2float_##KIND, unsigned, __nvvm_ui2f_##IS(a))                                           \
    WB1(float, __ll2float_##KIND, long long, __nvvm_ll2f_##IS(a))                                            \
    WB1(float, __ull2float_##KIND, unsigned long long, __nvvm_ull2f_##IS(a))                                 \
    WB1(double, __ll2double_##KIND, long long, __nvvm_ll2d_##IS(a))                                          \
    WB1(double, __ull2double_##KIND, unsigned long long, __nvvm_ull2d_##IS(a))                               \
    WB1(int, __double2int_##KIND, double, __nvvm_d2i_##IS(a))                                                \
    WB1(unsigned, __double2uint_##KIND, double, __nvvm_d2ui_##IS(a))                                         \
    WB1(long long, __double2ll_##KIND, double, __nvvm_d2ll_##IS(a))                                          \
    WB1(unsigned long long, __double2ull_##KIND, double, __nvvm_d2ull_##IS(a))                               \
    WB1(float, __double2float_##KIND, double, __nvvm_d2f_##IS(a))                                            \
    WB_ASM2(float, __fadd_##KIND, "f", "add." PTX ".f32")                                                    \
    WB_ASM2(float, __fsub_##KIND, "f", "sub." PTX ".f32")                                                    \
    WB_ASM2(float, __fmul_##KIND, "f", "mul." PTX ".f32")                                                    \
    WB2(float, __fdiv_##KIND, float, float, __nvvm_div_##IS##_f(a, b))                                       \
    WB1(float, __frcp_##KIND, float, __nvvm_rcp_##IS##_f(a))                                                 \
    WB1(float, __fsqrt_##KIND, float, __nvvm_sqrt_##IS##_f(a))                                               \
    WB3(float, __fmaf_##KIND, float, float, float, __nvvm_fma_##IS##_f(a, b, c))                             \
    WB_ASM2(double, __dadd_##KIND, "d", "add." PTX ".f64")                                                   \
    WB_ASM2(double, __dsub_##KIND, "d", "sub." PTX ".f64")                                                   \
    WB_ASM2(double, __dmul_##KIND, "d", "mul." PTX ".f64")                                                   \
    WB2(double, __ddiv_##KIND, double, double, __nvvm_div_##IS##_d(a, b))                                    \
    WB1(double, __drcp_##KIND, double, __nvvm_rcp_##IS##_d(a))                                               \
    WB1(double, __dsqrt_##KIND, double, __nvvm_sqrt_##IS##_d(a))                                             \
    WB3(double, __fma_##KIND, double, double, double, __nvvm_fma_##IS##_d(a, b, c))
WB_ROUNDINGS(rn, rn, "rn")
WB_ROUNDINGS(rz, rz, "rz")
WB_ROUNDINGS(ru, rp, "rp") // plus infinity
WB_ROUNDINGS(rd, rm, "rm") // minus infinity
#undef WB_ROUNDINGS
#undef WB_ASM2
WB1(double, __int2double_rn, int, (double)a)
WB1(double, __uint2double_rn, unsigned, (double)a)
WB2(double, __hiloint2double, int, int, __longlong_as_double((long long)a << 32 | (unsigned)b))

#endif
