// The inputs for which an H100 has computed tests/data/truth/mma.csv: hashes of the instruction's number, a distribution of
// values, a case and an index. An element is its bits. tests/data/truth/tensor/programs/mma.cu includes this, too.
#ifndef WARPBOOK_TESTS_SIM_MATRIX_H
#define WARPBOOK_TESTS_SIM_MATRIX_H

#include <stdint.h>

enum probe_type { P_F16, P_BF16, P_TF32, P_F64, P_S8, P_U8, P_E4M3, P_E5M2, P_F32, P_S32, P_S4, P_U4, P_B1 };
struct probe_kind {
    const char *name;
    enum probe_type ab, cd;
    int m, n, k;
};
// The order is that of the results.
static const struct probe_kind probe_kinds[] = {
    { "mma.m16n8k8.f32.f16", P_F16, P_F32, 16, 8, 8 },
    { "mma.m16n8k16.f32.f16", P_F16, P_F32, 16, 8, 16 },
    { "mma.m16n8k8.f16.f16", P_F16, P_F16, 16, 8, 8 },
    { "mma.m16n8k16.f16.f16", P_F16, P_F16, 16, 8, 16 },
    { "mma.m16n8k8.f32.bf16", P_BF16, P_F32, 16, 8, 8 },
    { "mma.m16n8k16.f32.bf16", P_BF16, P_F32, 16, 8, 16 },
    { "mma.m16n8k4.f32.tf32", P_TF32, P_F32, 16, 8, 4 },
    { "mma.m16n8k8.f32.tf32", P_TF32, P_F32, 16, 8, 8 },
    { "mma.m8n8k4.f64", P_F64, P_F64, 8, 8, 4 },
    { "mma.m16n8k4.f64", P_F64, P_F64, 16, 8, 4 },
    { "mma.m16n8k8.f64", P_F64, P_F64, 16, 8, 8 },
    { "mma.m16n8k16.f64", P_F64, P_F64, 16, 8, 16 },
    { "mma.m8n8k16.s8", P_S8, P_S32, 8, 8, 16 },
    { "mma.m16n8k16.s8", P_S8, P_S32, 16, 8, 16 },
    { "mma.m16n8k32.s8", P_S8, P_S32, 16, 8, 32 },
    { "mma.m16n8k32.s8.satfinite", P_S8, P_S32, 16, 8, 32 },
    { "mma.m16n8k32.u8", P_U8, P_S32, 16, 8, 32 },
    { "mma.m16n8k32.f32.e4m3", P_E4M3, P_F32, 16, 8, 32 },
    { "mma.m16n8k32.f32.e5m2", P_E5M2, P_F32, 16, 8, 32 },
    { "mma.m16n8k32.f16.e4m3", P_E4M3, P_F16, 16, 8, 32 },
    { "mma.m16n8k64.s4", P_S4, P_S32, 16, 8, 64 },
    { "mma.m8n8k4.f32.f16", P_F16, P_F32, 8, 8, 4 },
    { "mma.m8n8k4.f16.f16", P_F16, P_F16, 8, 8, 4 },
    { "wmma.m16n16k16.f32.f16", P_F16, P_F32, 16, 16, 16 },
    { "wmma.m16n16k16.f16.f16", P_F16, P_F16, 16, 16, 16 },
    { "wmma.m32n8k16.f32.f16", P_F16, P_F32, 32, 8, 16 },
    { "wmma.m8n32k16.f32.f16", P_F16, P_F32, 8, 32, 16 },
    { "wmma.m16n16k16.f32.bf16", P_BF16, P_F32, 16, 16, 16 },
    { "wmma.m16n16k8.f32.tf32", P_TF32, P_F32, 16, 16, 8 },
    { "wmma.m8n8k4.f64", P_F64, P_F64, 8, 8, 4 },
    { "wmma.m16n16k16.s8", P_S8, P_S32, 16, 16, 16 },
};
enum { PROBE_KINDS = sizeof probe_kinds / sizeof *probe_kinds, PROBE_DISTS = 9, PROBE_CASES = 24 };
enum { PROBE_MOST = 32 * 64 };

static inline uint64_t probe_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
static inline int probe_exponent_bits(enum probe_type t)
{
    return t == P_F16 || t == P_E5M2 ? 5 : t == P_E4M3 ? 4 : t == P_F64 ? 11 : 8;
}
static inline int probe_fraction_bits(enum probe_type t)
{
    return t == P_F16                  ? 10
           : t == P_BF16               ? 7
           : t == P_TF32 || t == P_F32 ? 23
           : t == P_F64                ? 52
           : t == P_E4M3               ? 3
                                       : 2;
}
static inline uint64_t probe_float(enum probe_type t, uint64_t sign, int64_t exponent, uint64_t fraction)
{
    int e = probe_exponent_bits(t), f = probe_fraction_bits(t);
    int64_t top = ((int64_t)1 << e) - 2; // the largest finite exponent
    exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
    return sign << (e + f) | (uint64_t)exponent << f | (fraction & (((uint64_t)1 << f) - 1));
}
// An element: `c` says whether it belongs to the addend.
static inline uint64_t probe_value(enum probe_type t, int dist, uint64_t r, int c)
{
    if (t == P_S32)
        return dist == 3 || dist == 4 ? (uint32_t)r
               : dist == 8            ? (r & 1 ? 0x7fffff00u : 0x80000100u)
                                      : (uint32_t)((int32_t)(r & 0xffff) - 32768);
    if (t == P_S8 || t == P_U8)
        return dist == 8 ? (r & 1 ? 0x7f : 0x80) : r & 0xff;
    if (t == P_S4 || t == P_U4)
        return r & 15;
    if (t == P_B1)
        return r & 1;
    int e = probe_exponent_bits(t), f = probe_fraction_bits(t);
    int64_t bias = ((int64_t)1 << (e - 1)) - 1;
    uint64_t sign = r & 1, fraction = r >> 4 ^ r << 40, pick = probe_mix(r ^ 0x55);
    uint64_t all = e + f + 1 == 64 ? ~0ull : ((uint64_t)1 << (e + f + 1)) - 1;
    switch (dist) {
    case 0:
        return probe_float(t, sign, bias - 1 + (int64_t)(pick % 2) + c, fraction);
    case 1:
        return c && (r & 2) ? 0 : probe_float(t, 0, bias - 4 + (int64_t)(pick % 8), fraction);
    case 2:
        return probe_float(t, sign, bias - 8 + (int64_t)(pick % 17) - (c ? 4 : 0), fraction);
    case 3:
        return probe_float(t, sign, (int64_t)(pick % (((uint64_t)1 << e) - 1)), fraction);
    case 4:
        return (pick ^ r << 17) & all;
    case 5:
        return probe_float(t, sign, (int64_t)(pick % 3) * (c ? 5 : 1), pick % 7 == 6 ? 0 : fraction);
    case 6:
        if (pick % 4 != 0 && !(c && pick % 4 == 1))
            return sign << (e + f);
        return probe_float(t, sign,
                           bias - 12 + (int64_t)(pick / 4 % 25) + (c ? (int64_t)(pick / 128 % 9) - 4 : 0),
                           fraction & probe_mix(pick) & probe_mix(pick + 1));
    case 7:
        return probe_float(t, sign, bias + (int64_t)(pick % 9) - 4 - (c ? (int64_t)(pick / 16 % 28) : 0),
                           fraction);
    default: {
        static const int kinds = 12;
        uint64_t inf = (((uint64_t)1 << e) - 1) << f;
        uint64_t one = (uint64_t)bias << f, minus = sign << (e + f);
        switch (pick / 8 % (uint64_t)(pick % 8 < 5 ? 1 : kinds)) {
        case 0:
            return one | minus;
        case 1:
            return minus;
        case 2:
            return inf | minus;
        case 3:
            return inf | minus | (fraction & (((uint64_t)1 << f) - 1)) | 1;
        case 4:
            return (inf - 1) | minus;
        case 5:
            return 1 | minus;
        case 6:
            return ((uint64_t)1 << f) | minus;
        case 7:
            return ((uint64_t)1 << f) - 1;
        default:
            return probe_float(t, sign, bias + (int64_t)(pick / 128 % 5), 0);
        }
    }
    }
}
// a[m][k], b[k][n], c[m][n]
static inline void probe_matrices(int kind, int dist, int at, uint64_t *a, uint64_t *b, uint64_t *c)
{
    const struct probe_kind *p = &probe_kinds[kind];
    uint64_t base = probe_mix((uint64_t)kind * 1000003u + (uint64_t)dist * 10007u + (uint64_t)at);
    for (int i = 0; i < p->m * p->k; i++)
        a[i] = probe_value(p->ab, dist, probe_mix(base + (uint64_t)i), 0);
    for (int i = 0; i < p->k * p->n; i++)
        b[i] = probe_value(p->ab, dist, probe_mix(base + 100000u + (uint64_t)i), 0);
    for (int i = 0; i < p->m * p->n; i++)
        c[i] = probe_value(p->cd, dist, probe_mix(base + 200000u + (uint64_t)i), 1);
    if (dist != 7 || p->ab == P_S8 || p->ab == P_U8 || p->ab == P_S4)
        return;
    // Products cancel in pairs: neighbours in even cases, halves in odd ones; every eighth is left alone.
    uint64_t minus = (uint64_t)1 << (probe_exponent_bits(p->ab) + probe_fraction_bits(p->ab));
    for (int j = 0; j < p->k / 2; j++) {
        int x = at & 1 ? j : 2 * j, y = at & 1 ? j + p->k / 2 : 2 * j + 1;
        for (int i = 0; i < p->m; i++)
            if (probe_mix(base + 300000u + (uint64_t)(i * 64 + j)) % 8)
                a[i * p->k + y] = a[i * p->k + x] ^ minus;
        for (int i = 0; i < p->n; i++)
            b[y * p->n + i] = b[x * p->n + i];
    }
}
#endif
