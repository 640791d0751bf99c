// Atomics, by the scope in which they are seen as one step: the GPU, the block, the system.
#pragma clang system_header
#ifndef WARPBOOK_ATOMICS_H
#define WARPBOOK_ATOMICS_H

// clang's builtins take signed types; the bits are the same.
#define WB_ATOMIC(NAME, T, S, BUILTIN)                                                                       \
    WB T NAME(T *at, T value)                                                                                \
    {                                                                                                        \
        return (T)BUILTIN((S *)at, (S)value);                                                                \
    }
#define WB_ATOMIC_SCOPES(NAME, T, S, OP, KIND)                                                               \
    WB_ATOMIC(NAME, T, S, __nvvm_atom_##OP##_gen_##KIND)                                                     \
    WB_ATOMIC(NAME##_block, T, S, __nvvm_atom_cta_##OP##_gen_##KIND)                                         \
    WB_ATOMIC(NAME##_system, T, S, __nvvm_atom_sys_##OP##_gen_##KIND)
#define WB_ATOMIC_BITS(NAME, OP)                                                                             \
    WB_ATOMIC_SCOPES(NAME, int, int, OP, i)                                                                  \
    WB_ATOMIC_SCOPES(NAME, unsigned, int, OP, i)                                                             \
    WB_ATOMIC_SCOPES(NAME, long long, long long, OP, ll)                                                     \
    WB_ATOMIC_SCOPES(NAME, unsigned long long, long long, OP, ll)
#define WB_ATOMIC_ORDER(NAME, OP)                                                                            \
    WB_ATOMIC_SCOPES(NAME, int, int, OP, i)                                                                  \
    WB_ATOMIC_SCOPES(NAME, unsigned, unsigned, OP, ui)                                                       \
    WB_ATOMIC_SCOPES(NAME, long long, long long, OP, ll)                                                     \
    WB_ATOMIC_SCOPES(NAME, unsigned long long, unsigned long long, OP, ull)

WB_ATOMIC_SCOPES(atomicAdd, int, int, add, i)
WB_ATOMIC_SCOPES(atomicAdd, unsigned, int, add, i)
WB_ATOMIC_SCOPES(atomicAdd, unsigned long long, long long, add, ll)
WB_ATOMIC_SCOPES(atomicAdd, float, float, add, f)
WB_ATOMIC_SCOPES(atomicAdd, double, double, add, d)
WB_ATOMIC_BITS(atomicAnd, and)
WB_ATOMIC_BITS(atomicOr, or)
WB_ATOMIC_BITS(atomicXor, xor)
WB_ATOMIC_BITS(atomicExch, xchg)
WB_ATOMIC_ORDER(atomicMin, min)
WB_ATOMIC_ORDER(atomicMax, max)
WB_ATOMIC_SCOPES(atomicInc, unsigned, unsigned, inc, ui)
WB_ATOMIC_SCOPES(atomicDec, unsigned, unsigned, dec, ui)

#define WB_ATOMIC_MORE(SCOPE, PART)                                                                          \
    WB int atomicSub##SCOPE(int *at, int value)                                                              \
    {                                                                                                        \
        return atomicAdd##SCOPE(at, -value);                                                                 \
    }                                                                                                        \
    WB unsigned atomicSub##SCOPE(unsigned *at, unsigned value)                                               \
    {                                                                                                        \
        return atomicAdd##SCOPE(at, 0u - value);                                                             \
    }                                                                                                        \
    WB float atomicExch##SCOPE(float *at, float value)                                                       \
    {                                                                                                        \
        return __builtin_bit_cast(float, atomicExch##SCOPE((int *)at, __builtin_bit_cast(int, value)));      \
    }                                                                                                        \
    WB int atomicCAS##SCOPE(int *at, int expected, int value)                                                \
    {                                                                                                        \
        return __nvvm_atom_##PART##cas_gen_i(at, expected, value);                                           \
    }                                                                                                        \
    WB unsigned atomicCAS##SCOPE(unsigned *at, unsigned expected, unsigned value)                            \
    {                                                                                                        \
        return (unsigned)__nvvm_atom_##PART##cas_gen_i((int *)at, (int)expected, (int)value);                \
    }                                                                                                        \
    WB unsigned long long atomicCAS##SCOPE(unsigned long long *at, unsigned long long expected,              \
                                           unsigned long long value)                                         \
    {                                                                                                        \
        return (unsigned long long)__nvvm_atom_##PART##cas_gen_ll((long long *)at, (long long)expected,      \
                                                                  (long long)value);                         \
    }
WB_ATOMIC_MORE(, )
WB_ATOMIC_MORE(_block, cta_)
WB_ATOMIC_MORE(_system, sys_)

#endif
