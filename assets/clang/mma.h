// Fragments of 16 x 16 x 16, for compilers that have no Toolkit beside them: factors of half or bfloat16, sums of float.
#pragma clang system_header
#ifndef WARPBOOK_MMA_H
#define WARPBOOK_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

template <typename T, int COUNT>
struct wb_elements {
    enum { num_elements = COUNT };
    T x[COUNT];
};

template <typename USE, int M, int N, int K, typename T, typename LAYOUT = void>
class fragment;
template <typename LAYOUT>
class fragment<matrix_a, 16, 16, 16, __half, LAYOUT> : public wb_elements<__half, 16> {};
template <typename LAYOUT>
class fragment<matrix_b, 16, 16, 16, __half, LAYOUT> : public wb_elements<__half, 16> {};
template <typename LAYOUT>
class fragment<matrix_a, 16, 16, 16, __nv_bfloat16, LAYOUT> : public wb_elements<__nv_bfloat16, 8> {};
template <typename LAYOUT>
class fragment<matrix_b, 16, 16, 16, __nv_bfloat16, LAYOUT> : public wb_elements<__nv_bfloat16, 8> {};
template <>
class fragment<accumulator, 16, 16, 16, float> : public wb_elements<float, 8> {};

typedef fragment<accumulator, 16, 16, 16, float> wb_sums;

template <typename T, int COUNT>
WB_NARROW void fill_fragment(wb_elements<T, COUNT> &f, T value)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        f.x[i] = value;
}

#define WB_LOAD(USE, LETTER, LAYOUT, WORD)                                                                   \
    WB_NARROW void load_matrix_sync(fragment<USE, 16, 16, 16, __half, LAYOUT> &f, const __half *from,        \
                                    unsigned pitch)                                                          \
    {                                                                                                        \
        unsigned r[8];                                                                                       \
        asm volatile("wmma.load." LETTER ".sync.aligned." WORD                                               \
                     ".m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                            \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),   \
                       "=r"(r[7])                                                                            \
                     : "l"(from), "r"(pitch)                                                                 \
                     : "memory");                                                                            \
        wb_unpack(f, r);                                                                                     \
    }                                                                                                        \
    WB_NARROW void load_matrix_sync(fragment<USE, 16, 16, 16, __nv_bfloat16, LAYOUT> &f,                     \
                                    const __nv_bfloat16 *from, unsigned pitch)                               \
    {                                                                                                        \
        unsigned r[4];                                                                                       \
        asm volatile("wmma.load." LETTER ".sync.aligned." WORD ".m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                        \
                     : "l"(from), "r"(pitch)                                                                 \
                     : "memory");                                                                            \
        wb_unpack(f, r);                                                                                     \
    }

// Registers hold two elements each.
template <typename T, int COUNT>
WB_NARROW void wb_unpack(wb_elements<T, COUNT> &f, const unsigned *r)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        f.x[i].bits = (unsigned short)(r[i / 2] >> i % 2 * 16);
}
template <typename T, int COUNT>
WB_NARROW void wb_pack(const wb_elements<T, COUNT> &f, unsigned *r)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 2)
        r[i / 2] = f.x[i].bits | (unsigned)f.x[i + 1].bits << 16;
}

WB_LOAD(matrix_a, "a", row_major, "row")
WB_LOAD(matrix_a, "a", col_major, "col")
WB_LOAD(matrix_b, "b", row_major, "row")
WB_LOAD(matrix_b, "b", col_major, "col")

#define WB_SUMS(SIGN, x)                                                                                     \
    SIGN(x[0]), SIGN(x[1]), SIGN(x[2]), SIGN(x[3]), SIGN(x[4]), SIGN(x[5]), SIGN(x[6]), SIGN(x[7])

#define WB_LOAD_SUMS(WORD)                                                                                   \
    asm volatile("wmma.load.c.sync.aligned." WORD                                                            \
                 ".m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                \
                 : WB_SUMS("=f", f.x)                                                                        \
                 : "l"(from), "r"(pitch)                                                                     \
                 : "memory")
WB_NARROW void load_matrix_sync(wb_sums &f, const float *from, unsigned pitch, layout_t layout)
{
    if (layout == mem_row_major)
        WB_LOAD_SUMS("row");
    else
        WB_LOAD_SUMS("col");
}

#define WB_STORE_SUMS(WORD)                                                                                  \
    asm volatile("wmma.store.d.sync.aligned." WORD                                                           \
                 ".m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"                                \
                 :                                                                                           \
                 : "l"(to), WB_SUMS("f", f.x), "r"(pitch)                                                    \
                 : "memory")
WB_NARROW void store_matrix_sync(float *to, const wb_sums &f, unsigned pitch, layout_t layout)
{
    if (layout == mem_row_major)
        WB_STORE_SUMS("row");
    else
        WB_STORE_SUMS("col");
}

#define WB_MMA(A, B, WORDS)                                                                                  \
    WB_NARROW void mma_sync(wb_sums &d, const fragment<matrix_a, 16, 16, 16, __half, A> &a,                  \
                            const fragment<matrix_b, 16, 16, 16, __half, B> &b, const wb_sums &c)            \
    {                                                                                                        \
        unsigned l[8], r[8];                                                                                 \
        wb_pack(a, l);                                                                                       \
        wb_pack(b, r);                                                                                       \
        asm("wmma.mma.sync.aligned." WORDS ".m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "           \
            "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "             \
            "{%24, %25, %26, %27, %28, %29, %30, %31};"                                                      \
            : WB_SUMS("=f", d.x)                                                                             \
            : WB_SUMS("r", l), WB_SUMS("r", r), WB_SUMS("f", c.x));                                          \
    }                                                                                                        \
    WB_NARROW void mma_sync(wb_sums &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, A> &a,           \
                            const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, B> &b, const wb_sums &c)     \
    {                                                                                                        \
        unsigned l[4], r[4];                                                                                 \
        wb_pack(a, l);                                                                                       \
        wb_pack(b, r);                                                                                       \
        asm("wmma.mma.sync.aligned." WORDS                                                                   \
            ".m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, "            \
            "{%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};"                                \
            : WB_SUMS("=f", d.x)                                                                             \
            : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]),        \
              WB_SUMS("f", c.x));                                                                            \
    }

WB_MMA(row_major, row_major, "row.row")
WB_MMA(row_major, col_major, "row.col")
WB_MMA(col_major, row_major, "col.row")
WB_MMA(col_major, col_major, "col.col")

#undef WB_LOAD
#undef WB_SUMS
#undef WB_LOAD_SUMS
#undef WB_STORE_SUMS
#undef WB_MMA

} // namespace wmma
} // namespace nvcuda

#endif
