// Loads and stores with a word about caching: __ldg, __ldcs, __stcs and their like.
#pragma clang system_header
#ifndef WARPBOOK_CACHING_H
#define WARPBOOK_CACHING_H

template <class To, class From> WB To wb_bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "a load or store moves 1, 2, 4, 8 or 16 bytes");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

#define WB_GLOBAL __attribute__((address_space(1)))
#define WB_LOAD(NAME, HOW, VOLATILE)                                                                         \
    template <class T> WB T NAME(const T *generic)                                                           \
    {                                                                                                        \
        auto p = (WB_GLOBAL const T *)generic;                                                               \
        if constexpr (sizeof(T) == 16) {                                                                     \
            uint4 v;                                                                                         \
            asm VOLATILE("ld.global" HOW ".v4.u32 {%0, %1, %2, %3}, [%4];"                                   \
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                        \
                         : "l"(p));                                                                          \
            return wb_bits<T>(v);                                                                            \
        } else if constexpr (sizeof(T) == 8) {                                                               \
            unsigned long long v;                                                                            \
            asm VOLATILE("ld.global" HOW ".u64 %0, [%1];" : "=l"(v) : "l"(p));                               \
            return wb_bits<T>(v);                                                                            \
        } else if constexpr (sizeof(T) == 4) {                                                               \
            unsigned v;                                                                                      \
            asm VOLATILE("ld.global" HOW ".u32 %0, [%1];" : "=r"(v) : "l"(p));                               \
            return wb_bits<T>(v);                                                                            \
        } else if constexpr (sizeof(T) == 2) {                                                               \
            unsigned short v;                                                                                \
            asm VOLATILE("ld.global" HOW ".u16 %0, [%1];" : "=h"(v) : "l"(p));                               \
            return wb_bits<T>(v);                                                                            \
        } else {                                                                                             \
            unsigned v;                                                                                      \
            asm VOLATILE("ld.global" HOW ".u8 %0, [%1];" : "=r"(v) : "l"(p));                                \
            return wb_bits<T>((unsigned char)v);                                                             \
        }                                                                                                    \
    }
#define WB_STORE(NAME, HOW)                                                                                  \
    template <class T> WB void NAME(T *generic, T value)                                                     \
    {                                                                                                        \
        auto p = (WB_GLOBAL T *)generic;                                                                     \
        if constexpr (sizeof(T) == 16) {                                                                     \
            uint4 v = wb_bits<uint4>(value);                                                                 \
            asm volatile("st.global" HOW ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y),     \
                         "r"(v.z), "r"(v.w)                                                                  \
                         : "memory");                                                                        \
        } else if constexpr (sizeof(T) == 8) {                                                               \
            auto v = wb_bits<unsigned long long>(value);                                                     \
            asm volatile("st.global" HOW ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");                      \
        } else if constexpr (sizeof(T) == 4) {                                                               \
            auto v = wb_bits<unsigned>(value);                                                               \
            asm volatile("st.global" HOW ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");                      \
        } else if constexpr (sizeof(T) == 2) {                                                               \
            auto v = wb_bits<unsigned short>(value);                                                         \
            asm volatile("st.global" HOW ".u16 [%0], %1;" ::"l"(p), "h"(v) : "memory");                      \
        } else {                                                                                             \
            unsigned v = wb_bits<unsigned char>(value);                                                      \
            asm volatile("st.global" HOW ".u8 [%0], %1;" ::"l"(p), "r"(v) : "memory");                       \
        }                                                                                                    \
    }
WB_LOAD(__ldg, ".nc", )
WB_LOAD(__ldcg, ".cg", volatile)
WB_LOAD(__ldca, ".ca", volatile)
WB_LOAD(__ldcs, ".cs", volatile)
WB_LOAD(__ldlu, ".lu", volatile)
WB_LOAD(__ldcv, ".cv", volatile)
WB_STORE(__stwb, ".wb")
WB_STORE(__stcg, ".cg")
WB_STORE(__stcs, ".cs")
WB_STORE(__stwt, ".wt")

// Where a pointer leads.
#define WB_LEADS_TO(NAME, SPACE)                                                                             \
    WB unsigned NAME(const void *at)                                                                         \
    {                                                                                                        \
        unsigned does;                                                                                       \
        asm("{ .reg .pred p; isspacep." SPACE " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(does) : "l"(at));     \
        return does;                                                                                         \
    }
WB_LEADS_TO(__isGlobal, "global")
WB_LEADS_TO(__isShared, "shared")
WB_LEADS_TO(__isConstant, "const")
WB_LEADS_TO(__isLocal, "local")
#undef WB_LEADS_TO

#endif
