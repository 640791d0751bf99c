// The program that made mma.csv on a GPU: an NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0, 2026-11-25. It runs every
// product of tests/unit/sim_matrix.h and writes the results, 64 bits each (numerics.bin; mma.csv has their digests), then
// which element each register of a wmma fragment holds (layouts.txt), then conversions to and from fp8 and tf32 (fp8.bin).
//   nvcc -arch=sm_90 -I. -o mma tests/data/truth/tensor/programs/mma.cu && ./mma FOLDER
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include "tests/unit/sim_matrix.h"
using namespace nvcuda;
#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e = (x);                                                                                           \
        if (e != cudaSuccess) {                                                                                        \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
typedef unsigned long long u64;
typedef unsigned u32;

// Registers of A (row-major m x k) and B (k x n) of the shapes with n = 8: E elements in 32 bits.
template <int E> __device__ u32 reg_a(const u64 *a, int k, int r, bool half)
{
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, row = half ? g : g + 8 * (r & 1), pair = half ? r : r >> 1;
    u32 out = 0;
    for (int j = 0; j < E; j++)
        out |= (u32)a[row * k + t * E + j + pair * 4 * E] << (32 / E * j) % 32;
    return out;
}
template <int E> __device__ u32 reg_b(const u64 *b, int n, int r)
{
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    u32 out = 0;
    for (int j = 0; j < E; j++)
        out |= (u32)b[(t * E + j + r * 4 * E) * n + g] << (32 / E * j) % 32;
    return out;
}
#define AT(i) ((threadIdx.x & 31) / 4 + 8 * ((i) / 2)) * 8 + (threadIdx.x & 3) * 2 + ((i)&1)
#define A(E, r) "r"(reg_a<E>(a, K, r, false))
#define AH(E, r) "r"(reg_a<E>(a, K, r, true))
#define B(E, r) "r"(reg_b<E>(b, 8, r))
#define CF(i) "f"(__uint_as_float((u32)c[AT(i)]))
#define CI(i) "r"((u32)c[AT(i)])
#define CH(i) "r"((u32)(c[AT(i * 2)] | c[AT(i * 2 + 1)] << 16))
#define GIVE_F                                                                                                         \
    d[AT(0)] = __float_as_uint(x0), d[AT(1)] = __float_as_uint(x1), d[AT(2)] = __float_as_uint(x2),                     \
    d[AT(3)] = __float_as_uint(x3)
#define GIVE_I d[AT(0)] = y0, d[AT(1)] = y1, d[AT(2)] = y2, d[AT(3)] = y3
#define GIVE_H d[AT(0)] = y0 & 0xffff, d[AT(1)] = y0 >> 16, d[AT(2)] = y1 & 0xffff, d[AT(3)] = y1 >> 16
#define OUT_F "=f"(x0), "=f"(x1), "=f"(x2), "=f"(x3)
#define OUT_I "=r"(y0), "=r"(y1), "=r"(y2), "=r"(y3)
#define CFS CF(0), CF(1), CF(2), CF(3)
#define CIS CI(0), CI(1), CI(2), CI(3)

__device__ u64 bits_a64(const u64 *a, int k, int r)
{
    int lane = threadIdx.x & 31;
    return a[(lane / 4 + 8 * (r & 1)) * k + lane % 4 + 4 * (r >> 1)];
}
#define AD(r) "d"(__longlong_as_double(bits_a64(a, K, r)))
#define BD(r) "d"(__longlong_as_double(b[((threadIdx.x & 3) + 4 * r) * 8 + (threadIdx.x & 31) / 4]))
#define CD(i) "d"(__longlong_as_double(c[AT(i)]))
#define OUT_D "=d"(z0), "=d"(z1), "=d"(z2), "=d"(z3)
#define GIVE_D                                                                                                         \
    d[AT(0)] = __double_as_longlong(z0), d[AT(1)] = __double_as_longlong(z1), d[AT(2)] = __double_as_longlong(z2),       \
    d[AT(3)] = __double_as_longlong(z3)

template <class T> __device__ T raw(u64 bits)
{
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <class T> __device__ u64 bits_of(T x)
{
    u64 bits = 0;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
template <int M, int N, int K, class T, class ST, class C>
__device__ void by_wmma(const u64 *a, const u64 *b, const u64 *c, u64 *d, void *scratch)
{
    ST *sa = (ST *)scratch, *sb = (ST *)((char *)scratch + 8192);
    C *sc = (C *)((char *)scratch + 16384);
    for (int i = threadIdx.x; i < M * K; i += 32)
        sa[i] = raw<ST>(a[i]);
    for (int i = threadIdx.x; i < K * N; i += 32)
        sb[i] = raw<ST>(b[i]);
    for (int i = threadIdx.x; i < M * N; i += 32)
        sc[i] = raw<C>(c[i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::load_matrix_sync(fa, sa, K);
    wmma::load_matrix_sync(fb, sb, N);
    wmma::load_matrix_sync(fc, sc, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
    wmma::store_matrix_sync(sc, fc, N, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32)
        d[i] = bits_of(sc[i]);
}

// Shape m8n8k4 of f16: four products at once; here lanes 0-3 and 16-19 form the first quad pair, all four compute the same.
__device__ void volta(const u64 *a, const u64 *b, const u64 *c, u64 *d, bool half)
{
    int lane = threadIdx.x & 31, low = lane % 4, high = lane >= 16;
    u32 ra[2], rb[2];
    // A row-major: row = low + 4 * high, columns 0 to 3. B col-major: column = low + 4 * high, rows 0 to 3.
    for (int r = 0; r < 2; r++) {
        ra[r] = (u32)(a[(low + 4 * high) * 4 + 2 * r] | a[(low + 4 * high) * 4 + 2 * r + 1] << 16);
        rb[r] = (u32)(b[2 * r * 8 + low + 4 * high] | b[(2 * r + 1) * 8 + low + 4 * high] << 16);
    }
    if (half) {
        int row = low + 4 * high;
        u32 rc[4], y[4];
        for (int r = 0; r < 4; r++)
            rc[r] = (u32)(c[row * 8 + 2 * r] | c[row * 8 + 2 * r + 1] << 16);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11};"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                     : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(rb[1]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
        if (lane % 16 < 4)
            for (int r = 0; r < 4; r++)
                d[row * 8 + 2 * r] = y[r] & 0xffff, d[row * 8 + 2 * r + 1] = y[r] >> 16;
        return;
    }
    float x[8], w[8];
    int at[8];
    for (int i = 0; i < 8; i++) {
        int row = (low & 1) + (i & 2) + 4 * high, column = (i & 4) + (low & 2) + (i & 1);
        at[i] = row * 8 + column;
        w[i] = __uint_as_float((u32)c[at[i]]);
    }
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%12,%13,%14,%15,%16,%17,%18,%19};"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]), "=f"(x[4]), "=f"(x[5]), "=f"(x[6]), "=f"(x[7])
                 : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(rb[1]), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]),
                   "f"(w[5]), "f"(w[6]), "f"(w[7]));
    if (lane % 16 < 4)
        for (int i = 0; i < 8; i++)
            d[at[i]] = __float_as_uint(x[i]);
}

__global__ void probe(int kind, const u64 *a, const u64 *b, const u64 *c, u64 *d, int m, int n, int k, void *scratch)
{
    a += (size_t)blockIdx.x * PROBE_MOST, b += (size_t)blockIdx.x * PROBE_MOST;
    c += (size_t)blockIdx.x * PROBE_MOST, d += (size_t)blockIdx.x * PROBE_MOST;
    scratch = (char *)scratch + (size_t)blockIdx.x * 32768;
    float x0 = 0, x1 = 0, x2 = 0, x3 = 0;
    u32 y0 = 0, y1 = 0, y2 = 0, y3 = 0;
    double z0 = 0, z1 = 0, z2 = 0, z3 = 0;
    const int K = k;
#define MMA_F(text, ...) asm volatile("mma.sync.aligned." text : OUT_F : __VA_ARGS__, CFS); GIVE_F; break
#define R211 " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
#define R421 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
    switch (kind) {
    case 0: MMA_F("m16n8k8.row.col.f32.f16.f16.f32" R211, A(2, 0), A(2, 1), B(2, 0));
    case 1: MMA_F("m16n8k16.row.col.f32.f16.f16.f32" R421, A(2, 0), A(2, 1), A(2, 2), A(2, 3), B(2, 0), B(2, 1));
    case 2:
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%5,%6};"
                     : "=r"(y0), "=r"(y1) : A(2, 0), A(2, 1), B(2, 0), CH(0), CH(1));
        GIVE_H; break;
    case 3:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
                     : "=r"(y0), "=r"(y1) : A(2, 0), A(2, 1), A(2, 2), A(2, 3), B(2, 0), B(2, 1), CH(0), CH(1));
        GIVE_H; break;
    case 4: MMA_F("m16n8k8.row.col.f32.bf16.bf16.f32" R211, A(2, 0), A(2, 1), B(2, 0));
    case 5: MMA_F("m16n8k16.row.col.f32.bf16.bf16.f32" R421, A(2, 0), A(2, 1), A(2, 2), A(2, 3), B(2, 0), B(2, 1));
    case 6: MMA_F("m16n8k4.row.col.f32.tf32.tf32.f32" R211, A(1, 0), A(1, 1), B(1, 0));
    case 7: MMA_F("m16n8k8.row.col.f32.tf32.tf32.f32" R421, A(1, 0), A(1, 1), A(1, 2), A(1, 3), B(1, 0), B(1, 1));
    case 8:
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};"
                     : "=d"(z0), "=d"(z1) : AD(0), BD(0), CD(0), CD(1));
        d[AT(0)] = __double_as_longlong(z0), d[AT(1)] = __double_as_longlong(z1);
        break;
    case 9:
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
                     : OUT_D : AD(0), AD(1), BD(0), CD(0), CD(1), CD(2), CD(3));
        GIVE_D; break;
    case 10:
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                     : OUT_D : AD(0), AD(1), AD(2), AD(3), BD(0), BD(1), CD(0), CD(1), CD(2), CD(3));
        GIVE_D; break;
    case 11:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
                     "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19};"
                     : OUT_D
                     : AD(0), AD(1), AD(2), AD(3), AD(4), AD(5), AD(6), AD(7), BD(0), BD(1), BD(2), BD(3), CD(0), CD(1),
                       CD(2), CD(3));
        GIVE_D; break;
    case 12:
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1},{%2},{%3},{%4,%5};"
                     : "=r"(y0), "=r"(y1) : AH(4, 0), B(4, 0), CI(0), CI(1));
        d[AT(0)] = y0, d[AT(1)] = y1;
        break;
    case 13:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32" R211 : OUT_I : A(4, 0), A(4, 1), B(4, 0), CIS);
        GIVE_I; break;
#define MMA_I(text, E)                                                                                                 \
    asm volatile("mma.sync.aligned." text R421 : OUT_I : A(E, 0), A(E, 1), A(E, 2), A(E, 3), B(E, 0), B(E, 1), CIS);   \
    GIVE_I; break
    case 14: MMA_I("m16n8k32.row.col.s32.s8.s8.s32", 4);
    case 15: MMA_I("m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4);
    case 16: MMA_I("m16n8k32.row.col.s32.u8.u8.s32", 4);
    case 17: MMA_F("m16n8k32.row.col.f32.e4m3.e4m3.f32" R421, A(4, 0), A(4, 1), A(4, 2), A(4, 3), B(4, 0), B(4, 1));
    case 18: MMA_F("m16n8k32.row.col.f32.e5m2.e5m2.f32" R421, A(4, 0), A(4, 1), A(4, 2), A(4, 3), B(4, 0), B(4, 1));
    case 19:
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
                     : "=r"(y0), "=r"(y1) : A(4, 0), A(4, 1), A(4, 2), A(4, 3), B(4, 0), B(4, 1), CH(0), CH(1));
        GIVE_H; break;
    case 20: MMA_I("m16n8k64.row.col.s32.s4.s4.s32", 8);
    case 21: volta(a, b, c, d, false); break;
    case 22: volta(a, b, c, d, true); break;
    case 23: by_wmma<16, 16, 16, half, half, float>(a, b, c, d, scratch); break;
    case 24: by_wmma<16, 16, 16, half, half, half>(a, b, c, d, scratch); break;
    case 25: by_wmma<32, 8, 16, half, half, float>(a, b, c, d, scratch); break;
    case 26: by_wmma<8, 32, 16, half, half, float>(a, b, c, d, scratch); break;
    case 27: by_wmma<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(a, b, c, d, scratch); break;
    case 28: by_wmma<16, 16, 8, wmma::precision::tf32, float, float>(a, b, c, d, scratch); break;
    case 29: by_wmma<8, 8, 4, double, double, double>(a, b, c, d, scratch); break;
    case 30: by_wmma<16, 16, 16, signed char, signed char, int>(a, b, c, d, scratch); break;
    }
}

// ---- fragments of wmma: which element a lane's register holds -----------------------------------------------------

template <class F, class ST> __device__ void load_low_high(F &low, F &high, ST *s, int count, int ldm)
{
    for (int i = threadIdx.x; i < count; i += 32)
        s[i] = raw<ST>(i & 0xff);
    __syncwarp();
    wmma::load_matrix_sync(low, s, ldm);
    __syncwarp();
    for (int i = threadIdx.x; i < count; i += 32)
        s[i] = raw<ST>(i >> 8);
    __syncwarp();
    wmma::load_matrix_sync(high, s, ldm);
    __syncwarp();
}
template <class Use, int M, int N, int K, class T, class ST, class Layout> __global__ void layout(int *out, int *count, int elements, int ldm)
{
    __shared__ __align__(32) char space[16384];
    wmma::fragment<Use, M, N, K, T, Layout> low, high;
    load_low_high(low, high, (ST *)space, elements, ldm);
    for (int i = 0; i < low.num_elements; i++)
        out[threadIdx.x * 64 + i] = (int)(bits_of(low.x[i]) & 0xff) | (int)(bits_of(high.x[i]) & 0xff) << 8;
    *count = low.num_elements;
}
template <int M, int N, int K, class T> __global__ void layout_c(int *out, int *count)
{
    __shared__ __align__(32) char space[16384];
    T *s = (T *)space;
    for (int i = threadIdx.x; i < M * N; i += 32)
        s[i] = raw<T>(i);
    __syncwarp();
    wmma::fragment<wmma::accumulator, M, N, K, T> f;
    wmma::load_matrix_sync(f, s, N, wmma::mem_row_major);
    for (int i = 0; i < f.num_elements; i++)
        out[threadIdx.x * 64 + i] = (int)bits_of(f.x[i]);
    *count = f.num_elements;
}
static int *out, *count;
static FILE *layouts;
static void tell(const char *what, const char *shape, const char *type, int columns, bool by_column)
{
    OK(cudaDeviceSynchronize());
    fprintf(layouts, "%s %s %s columns %d %s elements %d\n", what, shape, type, columns, by_column ? "col" : "row", *count);
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < *count; i++)
            fprintf(layouts, "%d%c", out[lane * 64 + i], i + 1 < *count ? ' ' : '\n');
    }
}
#define LAYOUTS(M, N, K, T, ST, name)                                                                                  \
    layout<wmma::matrix_a, M, N, K, T, ST, wmma::row_major><<<1, 32>>>(out, count, M * K, K);                           \
    tell("a", "m" #M "n" #N "k" #K, name, K, false);                                                                   \
    layout<wmma::matrix_a, M, N, K, T, ST, wmma::col_major><<<1, 32>>>(out, count, M * K, M);                           \
    tell("a", "m" #M "n" #N "k" #K, name, M, true);                                                                    \
    layout<wmma::matrix_b, M, N, K, T, ST, wmma::row_major><<<1, 32>>>(out, count, K * N, N);                           \
    tell("b", "m" #M "n" #N "k" #K, name, N, false);                                                                   \
    layout<wmma::matrix_b, M, N, K, T, ST, wmma::col_major><<<1, 32>>>(out, count, K * N, K);                           \
    tell("b", "m" #M "n" #N "k" #K, name, K, true)
#define LAYOUT_C(M, N, K, T, name)                                                                                     \
    layout_c<M, N, K, T><<<1, 32>>>(out, count);                                                                       \
    tell("c", "m" #M "n" #N "k" #K, name, N, false)
#define LAYOUTS3(T, ST, name) LAYOUTS(16, 16, 16, T, ST, name); LAYOUTS(32, 8, 16, T, ST, name); LAYOUTS(8, 32, 16, T, ST, name)
#define LAYOUT_C3(T, name) LAYOUT_C(16, 16, 16, T, name); LAYOUT_C(32, 8, 16, T, name); LAYOUT_C(8, 32, 16, T, name)

// ---- fp8 ----------------------------------------------------------------------------------------------------------

// For each of 2^18 floats (the upper 16 bits by 4 lower ones): e4m3, e5m2; for each half: e4m3, e5m2; for each byte: two halves.
__global__ void fp8_from_f32(unsigned char *to)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 lows[4] = { 0, 1, 0x8000, 0xffff };
    float x = __uint_as_float((i >> 2) << 16 | lows[i & 3]);
    unsigned short e4, e5;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(e4) : "f"(0.f), "f"(x));
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(e5) : "f"(0.f), "f"(x));
    to[2 * i] = (unsigned char)e4, to[2 * i + 1] = (unsigned char)e5;
}
__global__ void fp8_from_f16(unsigned char *to)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short e4, e5;
    asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(e4) : "r"(i));
    asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(e5) : "r"(i));
    to[2 * i] = (unsigned char)e4, to[2 * i + 1] = (unsigned char)e5;
}
__global__ void fp8_to_f16(unsigned short *to)
{
    unsigned short i = (unsigned short)threadIdx.x;
    u32 h4, h5;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(h4) : "h"(i));
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(h5) : "h"(i));
    to[2 * i] = (unsigned short)h4, to[2 * i + 1] = (unsigned short)h5;
}
// tf32: what cvt.rna and cvt.rn make of 2^18 floats
__global__ void tf32_from_f32(u32 *to)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 lows[4] = { 0, 0x1000, 0x1001, 0xffff };
    float x = __uint_as_float((i >> 2) << 16 | lows[i & 3]);
    u32 near, even;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(near) : "f"(x));
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(even) : "f"(x));
    to[2 * i] = near, to[2 * i + 1] = even;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    char path[512];
    cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    printf("%s\n", prop.name);
    const int cases = PROBE_DISTS * PROBE_CASES;
    const size_t bytes = (size_t)cases * PROBE_MOST * 8;
    u64 *a, *b, *c, *d, *ha = (u64 *)calloc(1, bytes), *hb = (u64 *)calloc(1, bytes), *hc = (u64 *)calloc(1, bytes), *hd = (u64 *)malloc(bytes);
    void *scratch;
    OK(cudaMalloc(&a, bytes)); OK(cudaMalloc(&b, bytes)); OK(cudaMalloc(&c, bytes)); OK(cudaMalloc(&d, bytes));
    OK(cudaMalloc(&scratch, (size_t)cases * 32768));
    snprintf(path, sizeof path, "%s/numerics.bin", folder);
    FILE *file = fopen(path, "wb");
    for (int kind = 0; kind < PROBE_KINDS; kind++) {
        const probe_kind *p = &probe_kinds[kind];
        for (int i = 0; i < cases; i++)
            probe_matrices(kind, i / PROBE_CASES, i % PROBE_CASES, (uint64_t *)ha + (size_t)i * PROBE_MOST, (uint64_t *)hb + (size_t)i * PROBE_MOST,
                           (uint64_t *)hc + (size_t)i * PROBE_MOST);
        OK(cudaMemcpy(a, ha, bytes, cudaMemcpyHostToDevice));
        OK(cudaMemcpy(b, hb, bytes, cudaMemcpyHostToDevice));
        OK(cudaMemcpy(c, hc, bytes, cudaMemcpyHostToDevice));
        OK(cudaMemset(d, 0xee, bytes));
        probe<<<cases, 32>>>(kind, a, b, c, d, p->m, p->n, p->k, scratch);
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(hd, d, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < cases; i++)
            fwrite(hd + (size_t)i * PROBE_MOST, 8, (size_t)(p->m * p->n), file);
        printf("%s done\n", p->name);
    }
    fclose(file);
    OK(cudaMallocManaged(&out, 32 * 64 * sizeof(int))); OK(cudaMallocManaged(&count, sizeof(int)));
    snprintf(path, sizeof path, "%s/layouts.txt", folder);
    layouts = fopen(path, "w");
    LAYOUTS3(half, half, "f16");
    LAYOUTS3(__nv_bfloat16, __nv_bfloat16, "bf16");
    LAYOUTS3(signed char, signed char, "s8");
    LAYOUTS3(unsigned char, unsigned char, "u8");
    LAYOUTS(16, 16, 8, wmma::precision::tf32, float, "tf32");
    LAYOUTS(8, 8, 4, double, double, "f64");
    LAYOUT_C3(float, "f32"); LAYOUT_C3(half, "f16"); LAYOUT_C3(int, "s32");
    LAYOUT_C(16, 16, 8, float, "f32"); LAYOUT_C(8, 8, 4, double, "f64");
    fclose(layouts);
    unsigned char *fp8;
    const size_t total = (1 << 19) + (1 << 17) + 1024 + (1 << 21);
    OK(cudaMalloc(&fp8, total));
    fp8_from_f32<<<1024, 256>>>(fp8);
    fp8_from_f16<<<256, 256>>>(fp8 + (1 << 19));
    fp8_to_f16<<<1, 256>>>((unsigned short *)(fp8 + (1 << 19) + (1 << 17)));
    tf32_from_f32<<<1024, 256>>>((u32 *)(fp8 + (1 << 19) + (1 << 17) + 1024));
    OK(cudaDeviceSynchronize());
    unsigned char *host = (unsigned char *)malloc(total);
    OK(cudaMemcpy(host, fp8, total, cudaMemcpyDeviceToHost));
    snprintf(path, sizeof path, "%s/fp8.bin", folder);
    file = fopen(path, "wb");
    fwrite(host, 1, total, file);
    fclose(file);
    return 0;
}
