// The fetches that were recorded on a GPU: which texels, which texture, which coordinates. Shared by the program that was
// run there (textures.cu) and the test that compares the simulator with it.
#ifndef WARPBOOK_TEST_TEXTURE_CASES_H
#define WARPBOOK_TEST_TEXTURE_CASES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 512 }; // fetches of a case
enum fetch_shape {
    SHAPE_1D, SHAPE_2D, SHAPE_3D, SHAPE_1D_LAYERED, SHAPE_2D_LAYERED, SHAPE_CUBE, SHAPE_CUBE_LAYERED,
    SHAPE_PITCH, SHAPE_LINEAR, SHAPE_GATHER, SHAPE_LEVEL, SHAPE_GRADIENT, SHAPES
};
enum texel {
    TEXEL_U8, TEXEL_S8, TEXEL_U16, TEXEL_S16, TEXEL_U32, TEXEL_S32, TEXEL_F16, TEXEL_F32,
    TEXEL_WIDE,    // f32 of far exponents and both signs
    TEXEL_SPECIAL, // f32, infinities, NaN and subnormal numbers among them
    TEXEL_ONE,     // f32, 0 but for one in four texels: weights show
    TEXELS
};
struct fetch_case {
    enum fetch_shape shape;
    enum texel texel;
    int channels, address, linear, normalised, unit; // unit: texels as numbers from -1 or 0 to 1
    int border;                                      // a colour other than 0
    int component;                                   // of a gather
};

static inline const char *shape_name(enum fetch_shape s)
{
    static const char *const names[] = { "1d", "2d", "3d", "1d-layered", "2d-layered", "cube", "cube-layered",
                                         "pitch", "linear", "gather", "level", "gradient" };
    return names[s];
}
static inline const char *texel_name(enum texel t)
{
    static const char *const names[] = { "u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32", "wide", "special", "one" };
    return names[t];
}
static inline void case_name(const struct fetch_case *c, char out[96])
{
    static const char *const modes[] = { "wrap", "clamp", "mirror", "border" };
    char component[16] = "";
    if (c->shape == SHAPE_GATHER)
        snprintf(component, sizeof component, " component %d", c->component);
    snprintf(out, 96, "%s %sx%d%s %s %s%s%s%s", shape_name(c->shape), texel_name(c->texel), c->channels,
             c->unit ? " unit" : "", c->linear ? "linear" : "point",
             modes[c->address], c->normalised ? " normalised" : "", c->border ? " coloured" : "", component);
}

// ---- texels -------------------------------------------------------------------------------------------------------------

static inline int texel_bytes(enum texel t)
{
    static const int bytes[] = { 1, 1, 2, 2, 4, 4, 2, 4, 4, 4, 4 };
    return bytes[t];
}
static inline int texel_is_float(enum texel t)
{
    return t >= TEXEL_F16;
}
static inline int texel_is_signed(enum texel t)
{
    return t == TEXEL_S8 || t == TEXEL_S16 || t == TEXEL_S32;
}
static inline void case_size(const struct fetch_case *c, int size[3]) // 0: the dimension is not there
{
    static const int sizes[][3] = { { 17, 0, 0 }, { 16, 13, 0 }, { 7, 6, 5 }, { 17, 0, 4 }, { 12, 7, 3 }, { 8, 8, 6 },
                                    { 4, 4, 12 }, { 19, 11, 0 }, { 100, 0, 0 }, { 16, 13, 0 }, { 16, 13, 0 }, { 16, 13, 0 } };
    memcpy(size, sizes[c->shape], 3 * sizeof(int));
}
static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}
static inline uint32_t random_texel(enum texel t, uint32_t *state)
{
    static const uint32_t specials[] = { 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x807fffff, 0x80000000, 0x7f7fffff, 0x7fa12345 };
    uint32_t bits = next_random(state);
    float f;
    if (t == TEXEL_F16)
        return (bits & 0x8000) | (bits % 31 << 10) | (bits >> 16 & 0x3ff);
    if (t == TEXEL_F32 || (t == TEXEL_SPECIAL && bits & 3)) {
        f = (float)(bits >> 8) / 16777216;
        memcpy(&bits, &f, 4);
        return bits;
    }
    if (t == TEXEL_SPECIAL)
        return specials[bits >> 2 & 7];
    if (t == TEXEL_WIDE)
        return (bits & 0x807fffff) | (127 - 12 + (bits >> 23) % 25) << 23;
    if (t == TEXEL_ONE)
        return bits & 0x30000 ? 0 : 0x3f800000;
    return bits;
}
static inline void fill_texels(const struct fetch_case *c, size_t count, unsigned char *out)
{
    uint32_t state = 12345u + 77u * c->texel + c->channels;
    for (size_t i = 0; i < count * c->channels; i++) {
        const uint32_t bits = random_texel(c->texel, &state);
        memcpy(out, &bits, texel_bytes(c->texel));
        out += texel_bytes(c->texel);
    }
}

// ---- coordinates --------------------------------------------------------------------------------------------------------

static inline float coordinate_at(int i, int n)
{
    static const float specials[] = { 0, -0.0f, 1e-40f, -1e-40f, 1e10f, -1e10f, 16777216.0f, -16777215.0f, 3e38f, 1e-10f };
    uint32_t state = (uint32_t)i * 2654435761u + 99;
    if (i < 64)
        return -1.5f * n + i * (4.0f * n / 64);
    if (i < 128)
        {
        const int step = (i - 64) / 3;
        const float edge = 0.5f * (float)step - 2;
        return nextafterf(edge, (i - 64) % 3 == 0 ? -1e9f : (i - 64) % 3 == 1 ? 1e9f : edge);
    }
    if (i < 256)
        return 1.5f + (i - 128 - 32) / 1024.0f + (i & 1) * 0x1p-20f;
    if (i < 500)
        return (float)next_random(&state) / 4294967296.0f * (i & 1 ? n : 3 * n) - (i & 1 ? 0 : n);
    if (i < 510)
        return specials[i - 500];
    return i == 510 ? INFINITY : NAN;
}
// By dimension; a cube has directions instead.
static inline float coordinate(const struct fetch_case *c, int dimension, int i)
{
    static const int stride[] = { 1, 197, 311 }, offset[] = { 0, 31, 77 };
    int size[3];
    case_size(c, size);
    const int place = (i * stride[dimension] + offset[dimension]) % POINTS;
    if (c->shape == SHAPE_CUBE || c->shape == SHAPE_CUBE_LAYERED) {
        uint32_t state = (uint32_t)place * 2654435761u + 7;
        if (i < 64)
            return (float)(i >> 2 * dimension & 3) - 1;
        return (float)next_random(&state) / 2147483648.0f - 1;
    }
    const int n = size[dimension] ? size[dimension] : 1;
    const float at = coordinate_at(place, n);
    return c->normalised ? at / n : at;
}
static inline int layer_at(int i)
{
    return i % 9 - 2;
}
static inline int index_at(int i) // of an element of linear memory
{
    return i < 256 ? i - 64 : i < 300 ? 1 << (i - 256) % 31 : -i * 1000003;
}

// ---- the cases ----------------------------------------------------------------------------------------------------------

// The case of a number; 0: there are no more.
static inline int case_at(int number, struct fetch_case *out)
{
    static const int channels[] = { 1, 2, 4 };
    int n = 0;
#define CASE(...)                                                                                              \
    do {                                                                                                       \
        const struct fetch_case c = { __VA_ARGS__ };                                                           \
        if (n++ == number) {                                                                                   \
            *out = c;                                                                                          \
            return 1;                                                                                          \
        }                                                                                                      \
    } while (0)
    for (int t = 0; t < TEXELS; t++) // every format
        for (int k = 0; k < 3; k++)
            for (int unit = 0; unit < 2; unit++)
                for (int linear = 0; linear < 2; linear++) {
                    const int whole = !texel_is_float((enum texel)t);
                    if ((unit && t > TEXEL_S16) || (linear && whole && !unit))
                        continue;
                    CASE(SHAPE_2D, (enum texel)t, channels[k], 1, linear, 0, unit, 0, 0);
                }
    for (int s = 0; s < SHAPES; s++) // every way to address
        for (int mode = 0; mode < 4; mode++)
            for (int normalised = 0; normalised < 2; normalised++)
                for (int linear = 0; linear < 2; linear++)
                    for (int t = 0; t < 3; t++) {
                        static const enum texel texels[] = { TEXEL_F32, TEXEL_U8, TEXEL_WIDE };
                        if (s == SHAPE_LINEAR || s == SHAPE_GATHER || ((s == SHAPE_CUBE || s == SHAPE_CUBE_LAYERED) && !normalised))
                            continue;
                        CASE((enum fetch_shape)s, texels[t], t == 1 ? 4 : 1, mode, linear, normalised, t == 1, 0, 0);
                    }
    for (int s = 0; s < 3; s++) { // weights
        CASE((enum fetch_shape)s, TEXEL_ONE, 1, 1, 1, 0, 0, 0, 0);
        CASE((enum fetch_shape)s, TEXEL_ONE, 1, 1, 1, 1, 0, 0, 0);
        CASE((enum fetch_shape)s, TEXEL_F16, 4, 1, 1, 0, 0, 0, 0);
        CASE((enum fetch_shape)s, TEXEL_U16, 1, 1, 1, 0, 1, 0, 0);
        CASE((enum fetch_shape)s, TEXEL_S16, 1, 1, 1, 0, 1, 0, 0);
    }
    for (int t = 0; t < TEXELS; t++) // borders
        for (int k = 0; k < 3; k++)
            CASE(SHAPE_2D, (enum texel)t, channels[k], 3, texel_is_float((enum texel)t), 0, 0, 1, 0);
    for (int t = 0; t <= TEXEL_S16; t++)
        CASE(SHAPE_2D, (enum texel)t, 4, 3, 1, 1, 1, 1, 0);
    for (int t = 0; t < TEXEL_WIDE; t++) // linear memory
        for (int k = 0; k < 3; k++)
            for (int unit = 0; unit < (t <= TEXEL_S16 ? 2 : 1); unit++)
                CASE(SHAPE_LINEAR, (enum texel)t, channels[k], 1, 0, 0, unit, 0, 0);
    for (int component = 0; component < 4; component++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalised = 0; normalised < 2; normalised++)
                CASE(SHAPE_GATHER, TEXEL_F32, 4, mode, 0, normalised, 0, 0, component);
    CASE(SHAPE_GATHER, TEXEL_U8, 4, 1, 0, 0, 0, 0, 1);
    CASE(SHAPE_GATHER, TEXEL_S16, 2, 1, 0, 0, 0, 0, 1);
    CASE(SHAPE_GATHER, TEXEL_U8, 4, 1, 1, 0, 1, 0, 2);
    return 0;
#undef CASE
}

static inline uint64_t hash_bits(const uint32_t *bits, size_t count)
{
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bits[i]) * 1099511628211ull;
    return hash;
}

#endif
