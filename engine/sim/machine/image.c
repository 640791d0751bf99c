// A texture fetch: coordinates become texels and weights, texels become values.
//
// Coordinates are counted in texels with 8 bits after the point, as in hardware; a linear filter takes its weights from
// these bits. An address mode maps what lies outside back to texels, or to the colour of the border.
#include "engine/sim/machine/image.h"

#include <math.h>
#include <stdlib.h>

// ---- the table of handles ------------------------------------------------------------------------------------------

uint64_t sim_image_add(struct sim_memory *memory, const struct sim_image *image)
{
    if (memory->image_count == memory->image_room) {
        size_t room = memory->image_room ? 2 * memory->image_room : 16;
        struct image *more = realloc(memory->images, room * sizeof *more);
        if (!more)
            return 0;
        memory->images = more;
        memory->image_room = room;
    }
    memory->images[memory->image_count++] = (struct image){ .is = *image };
    return memory->image_count;
}

void sim_image_remove(struct sim_memory *memory, uint64_t handle)
{
    if (handle - 1 < memory->image_count)
        memory->images[handle - 1].removed = true;
}

const struct image *image_find(const struct sim_memory *memory, uint64_t handle)
{
    return handle - 1 < memory->image_count ? &memory->images[handle - 1] : NULL;
}

unsigned image_texel_bytes(const struct sim_image *image)
{
    return image->channels * image->bits / 8;
}

static uint32_t at_least_1(uint32_t count)
{
    return count ? count : 1;
}

uint64_t image_bytes(const struct sim_image *image)
{
    const uint32_t slices = at_least_1(image->depth > image->layers ? image->depth : image->layers);
    return (slices - 1) * image->slice + (at_least_1(image->height) - 1) * image->pitch +
           (uint64_t)image->width * image_texel_bytes(image);
}

// ---- one axis ------------------------------------------------------------------------------------------------------

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };
struct axis { // the texels on both sides of a coordinate; index -1: the border
    int32_t index[2];
    int weight; // of the second one, in 1/256
};

static int32_t index_of(int64_t at, uint32_t size, enum sim_edge edge)
{
    const int64_t n = size;
    switch (edge) {
    case SIM_EDGE_WRAP:
        return (int32_t)(((at % n) + n) % n);
    case SIM_EDGE_MIRROR:
        at = ((at % (2 * n)) + 2 * n) % (2 * n);
        return (int32_t)(at < n ? at : 2 * n - 1 - at);
    case SIM_EDGE_BORDER:
        return at < 0 || at >= n ? -1 : (int32_t)at;
    default:
        return (int32_t)(at < 0 ? 0 : at >= n ? n - 1 : at);
    }
}

// A coordinate in texels. One between 0 and 1 keeps 21 bits after its point.
static double in_texels(float at, uint32_t size, enum sim_edge edge, bool normalised)
{
    enum { KEPT_BITS = 21 };
    if (isnan(at) || fpclassify(at) == FP_SUBNORMAL)
        return 0;
    if (!normalised)
        return at;
    double part = at;
    if (edge == SIM_EDGE_WRAP || edge == SIM_EDGE_MIRROR)
        part = isinf(at) ? 0 : part - 2 * floor(part / 2); // the same place for both
    return ldexp(floor(ldexp(part, KEPT_BITS)), -KEPT_BITS) * size;
}

static void find_axis(float coordinate, uint32_t size, enum sim_edge edge, bool normalised, bool linear,
                      struct axis *out)
{
    const double most = 1 << 30;
    double at = in_texels(coordinate, size, edge, normalised);
    at = at > most ? most : at < -most ? -most : at;
    if (linear) {
        const int64_t fixed = (int64_t)floor((at - 0.5) * WEIGHT_ONE + 0.5);
        const int64_t first = fixed >> WEIGHT_BITS;
        out->index[0] = index_of(first, size, edge);
        out->index[1] = index_of(first + 1, size, edge);
        out->weight = (int)(fixed & (WEIGHT_ONE - 1));
    } else {
        out->index[0] = out->index[1] = index_of((int64_t)floor(at), size, edge);
        out->weight = 0;
    }
}

// ---- cubes -----------------------------------------------------------------------------------------------------------

// The face that a direction meets, and where.
static uint32_t find_face(const float direction[3], float at[2])
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float s, t, most;
    uint32_t face;
    if (az >= ax && az >= ay) {
        face = z >= 0 ? 4 : 5;
        most = az;
        s = z >= 0 ? x : -x;
        t = -y;
    } else if (ay >= ax) {
        face = y >= 0 ? 2 : 3;
        most = ay;
        s = x;
        t = y >= 0 ? z : -z;
    } else {
        face = x >= 0 ? 0 : 1;
        most = ax;
        s = x >= 0 ? -z : z;
        t = -y;
    }
    most = most > 0 ? most : 1; // no direction leads to the middle of a face
    at[0] = (s / most + 1) / 2;
    at[1] = (t / most + 1) / 2;
    return face;
}

// ---- all axes --------------------------------------------------------------------------------------------------------

static int product(int a, int b)
{
    return (a * b + WEIGHT_ONE / 2) >> WEIGHT_BITS;
}

// The weights of the texels around a place, bit d of whose number says that they are the second ones on axis d. They are
// rounded to 1/256 so that those on each side of an axis still add up to that side's weight.
static void find_weights(const struct axis axes[3], unsigned dimensions, int out[IMAGE_TAPS])
{
    const int x = axes[0].weight, y = axes[1].weight, z = axes[2].weight;
    const int xy = product(x, y), yz = y - product(y, WEIGHT_ONE - z), xz = product(x, z);
    const int first = WEIGHT_ONE - x - y + xy;
    memset(out, 0, IMAGE_TAPS * sizeof *out);
    if (dimensions < 3) {
        out[0] = first, out[1] = x - xy, out[2] = y - xy, out[3] = xy;
        return;
    }
    const int none = product(WEIGHT_ONE - x - z + xz, WEIGHT_ONE - y);
    const int all = WEIGHT_ONE - x - y - z + xy + yz + xz - none;
    out[0] = none, out[1] = x - xy - xz + all, out[2] = y - xy - yz + all, out[3] = xy - all;
    out[4] = z - yz - xz + all, out[5] = xz - all, out[6] = yz - all, out[7] = all;
}

static void add_tap(const struct sim_image *image, struct image_taps *out, const int32_t index[3],
                    uint32_t slice, int weight)
{
    const unsigned k = out->count++;
    out->border[k] = index[0] < 0 || index[1] < 0 || index[2] < 0;
    out->weight[k] = weight;
    out->offset[k] = out->border[k]
                         ? 0
                         : (uint64_t)index[0] * image_texel_bytes(image) + (uint64_t)index[1] * image->pitch +
                               ((uint64_t)index[2] + slice) * image->slice;
}

// Layers have no sign.
static uint32_t clamped_layer(uint32_t layer, uint32_t layers)
{
    return layer < layers ? layer : layers - 1;
}

static void find_whole(const struct sim_image *image, int32_t index, struct image_taps *out)
{
    const int32_t at[3] = { index < 0 || (uint32_t)index >= image->width ? -1 : index, 0, 0 };
    out->count = 0;
    add_tap(image, out, at, 0, WEIGHT_ONE);
}

void image_find_taps(const struct sim_image *image, const struct image_place *place, bool gather,
                     struct image_taps *out)
{
    static const unsigned gathered[] = { 2, 3, 1, 0 };
    const uint32_t sizes[] = { image->width, at_least_1(image->height), at_least_1(image->depth) };
    const bool linear = image->linear || gather, cube = place->shape == IMAGE_CUBE;
    // A line is the first row of a picture, and half of what a filter takes lies before it.
    const bool beside =
        place->shape == IMAGE_1D && !image->layers && image->linear && image->edge[1] == SIM_EDGE_BORDER;
    const unsigned dimensions = cube || beside ? 2 : (unsigned)place->shape + 1;
    struct axis axes[3] = { { .index = { 0, 0 } }, { .index = { 0, 0 } }, { .index = { 0, 0 } } };
    float at[3] = { place->at[0], place->at[1], place->at[2] };
    uint32_t slice = 0;
    if (place->whole) {
        find_whole(image, place->index, out);
        return;
    }
    if (image->layers)
        slice = clamped_layer((uint32_t)place->layer, image->cube ? image->layers / 6 : image->layers);
    if (cube)
        slice = slice * 6 + find_face(place->at, at);
    for (unsigned d = 0; d < dimensions && d < 3; d++)
        find_axis(at[d], sizes[d], image->edge[d], image->normalised || cube, linear, &axes[d]);
    out->count = 0;
    const unsigned taps = linear ? 1u << dimensions : 1;
    int weights[IMAGE_TAPS];
    find_weights(axes, dimensions, weights);
    for (unsigned i = 0; i < taps; i++) {
        const unsigned k = gather ? gathered[i] : i;
        int32_t index[3];
        for (unsigned d = 0; d < 3; d++)
            index[d] = axes[d].index[k >> d & 1];
        add_tap(image, out, index, slice, weights[k]);
    }
}

// ---- texels ----------------------------------------------------------------------------------------------------------

static float float_of_half(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, rest = bits & 0x3ff;
    if (exponent == 31)
        return f32_of_bits(sign | 0x7f800000 | rest << 13);
    if (exponent)
        return f32_of_bits(sign | (exponent + 112) << 23 | rest << 13);
    const float small = (float)rest * 0x1p-24f;
    return sign ? -small : small;
}

// The colour of the border as a texel has it; halves are cut off.
static uint32_t border_bits(const struct sim_image *image, unsigned channel)
{
    const float colour = image->border[channel];
    const uint32_t bits = bits_of_f32(colour), minus = image->kind == SIM_TEXEL_SIGNED;
    if (image->unit) {
        const float least = minus ? -1 : 0, inside = colour > 1 ? 1 : colour > least ? colour : least;
        return (uint32_t)lrintf(inside * (float)((1u << (image->bits - minus)) - 1));
    }
    if (image->kind != SIM_TEXEL_FLOAT || image->bits == 32)
        return bits;
    const int exponent = (int)(bits >> 23 & 255) - 112;
    if (exponent > 30)
        return (bits >> 16 & 0x8000) | 0x7bff;
    return exponent > 0 ? (bits >> 16 & 0x8000) | (uint32_t)exponent << 10 | (bits >> 13 & 0x3ff)
                        : bits >> 16 & 0x8000;
}

// The bits of a channel, with the sign where it has one. `texel`: NULL: the border.
static uint32_t channel_bits(const struct sim_image *image, const unsigned char *texel, unsigned channel)
{
    const uint32_t border = texel ? 0 : border_bits(image, channel);
    uint32_t bits = 0;
    memcpy(&bits, texel ? texel + channel * image->bits / 8 : (const unsigned char *)&border,
           image->bits / 8);
    if (image->kind == SIM_TEXEL_SIGNED && image->bits < 32)
        bits = (uint32_t)((int32_t)(bits << (32 - image->bits)) >> (32 - image->bits));
    return bits;
}

static bool gives_floats(const struct sim_image *image)
{
    return image->unit || image->kind == SIM_TEXEL_FLOAT;
}

static float channel_float(const struct sim_image *image, const unsigned char *texel, unsigned channel)
{
    const uint32_t bits = channel_bits(image, texel, channel);
    if (image->kind == SIM_TEXEL_FLOAT)
        return image->bits == 16 ? float_of_half((uint16_t)bits) : f32_of_bits(bits);
    if (image->kind == SIM_TEXEL_UNSIGNED)
        return (float)bits / (float)((1u << image->bits) - 1);
    const float unit = (float)(int32_t)bits / (float)((1u << (image->bits - 1)) - 1);
    return unit < -1 ? -1 : unit;
}

static const unsigned char *tap_texel(const unsigned char *texels, const struct image_taps *taps, unsigned k)
{
    return taps->border[k] ? NULL : texels + taps->offset[k];
}

static uint32_t tap_bits(const struct sim_image *image, const unsigned char *texels,
                         const struct image_taps *taps, unsigned k, unsigned channel)
{
    const unsigned char *texel = tap_texel(texels, taps, k);
    return channel >= image->channels ? 0
           : gives_floats(image)      ? bits_of_f32(channel_float(image, texel, channel))
                                      : channel_bits(image, texel, channel);
}

// ---- filters ---------------------------------------------------------------------------------------------------------

// Rounds to so many bits, ties away from zero.
static int64_t rounded(int64_t sum, int drop)
{
    const int64_t size = sum < 0 ? -sum : sum, half = drop > 0 ? (int64_t)1 << (drop - 1) : 0;
    const int64_t kept = drop > 0 ? ((size + half) >> drop) << drop : size;
    return sum < 0 ? -kept : kept;
}

// Texels are aligned to the largest of them and cut off four bits after the last bit of that, weighed without a loss, and
// added up; the sum is rounded to the format of the texels.
static float blend_floats(const struct sim_image *image, const float values[IMAGE_TAPS],
                          const struct image_taps *taps)
{
    enum { MORE = 4, HALF_LEAST = -24, FLOAT_LEAST = -149, SUM_BITS = 62 };
    const int precision = image->bits == 16 ? 11 : 24;
    int top = FLOAT_LEAST, exponent;
    double plain = 0;
    bool minus = true;
    for (unsigned k = 0; k < taps->count; k++) {
        plain += taps->weight[k] || isnan(values[k]) ? (double)values[k] * taps->weight[k] : 0;
        minus = minus && signbit(values[k]);
        (void)frexpf(values[k], &exponent);
        top = taps->weight[k] && values[k] != 0 && exponent > top ? exponent : top;
    }
    if (!isfinite(plain))
        return isnan(plain) ? f32_of_bits(0x7fffffff) : (float)plain;
    const int unit = top - precision - MORE, last = unit - WEIGHT_BITS;
    int64_t sum = 0;
    for (unsigned k = 0; k < taps->count; k++)
        if (taps->weight[k])
            sum += (int64_t)ldexp(values[k], -unit) * taps->weight[k];
    if (!sum)
        return minus ? -0.0f : 0;
    int drop = 64 - __builtin_clzll((unsigned long long)(sum < 0 ? -sum : sum)) - precision;
    if (image->bits == 16 && last + drop < HALF_LEAST)
        drop = HALF_LEAST - last < SUM_BITS ? HALF_LEAST - last : SUM_BITS;
    const float result = (float)ldexp((double)rounded(sum, drop), last);
    return fpclassify(result) == FP_SUBNORMAL ? copysignf(0, result) : result;
}

// A whole number as 16 bits of its range.
static int32_t wide_bits(const struct sim_image *image, uint32_t bits)
{
    const int32_t value = (int32_t)bits;
    if (image->bits == 16)
        return value;
    if (image->kind == SIM_TEXEL_UNSIGNED)
        return value * 257;
    return value * 258 + (value > 64) - (value < -64);
}

// Whole numbers are filtered as such, with 16 bits.
static float blend_units(const struct sim_image *image, const unsigned char *texels,
                         const struct image_taps *taps, unsigned channel)
{
    const bool minus = image->kind == SIM_TEXEL_SIGNED;
    const int32_t most = minus ? INT16_MAX : UINT16_MAX;
    int32_t sum = WEIGHT_ONE / 2;
    for (unsigned k = 0; k < taps->count; k++) {
        const int32_t value = wide_bits(image, channel_bits(image, tap_texel(texels, taps, k), channel));
        sum += value * taps->weight[k];
    }
    const float unit = (float)(sum >> WEIGHT_BITS) / (float)most;
    return unit < -1 ? -1 : unit;
}

static float blend(const struct sim_image *image, const unsigned char *texels, const struct image_taps *taps,
                   unsigned channel)
{
    float values[IMAGE_TAPS] = { 0 };
    if (image->kind != SIM_TEXEL_FLOAT)
        return blend_units(image, texels, taps, channel);
    for (unsigned k = 0; k < taps->count; k++)
        values[k] = channel_float(image, tap_texel(texels, taps, k), channel);
    return blend_floats(image, values, taps);
}

void image_fetch(const struct sim_image *image, const unsigned char *texels, const struct image_taps *taps,
                 uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = taps->count == 1 || c >= image->channels ? tap_bits(image, texels, taps, 0, c)
                                                          : bits_of_f32(blend(image, texels, taps, c));
}

void image_gather(const struct sim_image *image, const unsigned char *texels, const struct image_taps *taps,
                  unsigned channel, uint32_t out[4])
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = tap_bits(image, texels, taps, k, channel);
}
