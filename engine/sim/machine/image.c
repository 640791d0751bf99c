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

static uint32_t halved(uint32_t count, uint32_t level)
{
    return count ? at_least_1(count >> level) : 0;
}

// A level as an image of its own. `from`: where it begins, in bytes from the first texel of the mipmap.
static struct sim_image level_of(const struct sim_image *image, uint32_t level, uint64_t *from)
{
    struct sim_image out = *image;
    *from = 0;
    for (uint32_t l = 0; l < level; l++) {
        out.width = halved(image->width, l + 1);
        out.height = halved(image->height, l + 1);
        out.depth = halved(image->depth, l + 1);
        *from += out.slice * at_least_1(out.layers ? out.layers : halved(image->depth, l));
        out.pitch = (uint64_t)out.width * image_texel_bytes(image);
        out.slice = out.pitch * at_least_1(out.height);
    }
    out.levels = 0;
    return out;
}

uint64_t image_bytes(const struct sim_image *image)
{
    if (image->levels > 1) {
        uint64_t from;
        const struct sim_image last = level_of(image, image->levels - 1, &from);
        return from + image_bytes(&last);
    }
    const uint32_t slices = at_least_1(image->depth > image->layers ? image->depth : image->layers);
    return (slices - 1) * image->slice + (at_least_1(image->height) - 1) * image->pitch +
           (uint64_t)image->width * image_texel_bytes(image);
}

// ---- one axis ------------------------------------------------------------------------------------------------------

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };
struct axis { // the texels on both sides of a coordinate; index -1: the border
    int32_t index[2];
    int32_t first; // where it lies without an edge
    int weight;    // of the second one, in 1/256
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
        out->first = (int32_t)first;
        out->index[0] = index_of(first, size, edge);
        out->index[1] = index_of(first + 1, size, edge);
        out->weight = (int)(fixed & (WEIGHT_ONE - 1));
    } else {
        out->index[0] = out->index[1] = index_of((int64_t)floor(at), size, edge);
        out->weight = 0;
    }
}

// ---- all axes --------------------------------------------------------------------------------------------------------

static int product(int a, int b)
{
    return (a * b + WEIGHT_ONE / 2) >> WEIGHT_BITS;
}

// The weights of the texels around a place, bit d of whose number says that they are the second ones on axis d. The level's
// share is divided between the sides of x, then each side's between those of y; a half goes to the second ones, or to the
// first ones where x is on its first side.
static void find_weights(const struct axis axes[3], unsigned dimensions, int share, int out[LEVEL_TAPS])
{
    const int x = product(axes[0].weight, share), y = axes[1].weight;
    memset(out, 0, LEVEL_TAPS * sizeof *out);
    out[2] = ((share - x) * y + WEIGHT_ONE / 2 - 1) >> WEIGHT_BITS, out[3] = product(x, y);
    out[0] = share - x - out[2], out[1] = x - out[3];
    for (unsigned k = 0; dimensions == 3 && k < 4; k++) {
        out[4 + k] = product(out[k], axes[2].weight);
        out[k] -= out[4 + k];
    }
}

// Those in three dimensions, where there is one level.
static void find_weights_of_box(const struct axis axes[3], int out[LEVEL_TAPS])
{
    const int x = axes[0].weight, y = axes[1].weight, z = axes[2].weight;
    const int xy = product(x, y), yz = y - product(y, WEIGHT_ONE - z), xz = product(x, z);
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
    add_tap(image, out, at, 0, WEIGHT_ONE);
}

// Those of a linear filter over the edges of a cube's faces. At its corners three faces meet: what the fourth texel would
// weigh is divided among the others, and what does not divide by three is that of the face itself (as an H100 does it).
static void add_over_edges(const struct sim_image *image, struct image_taps *out, const struct axis axes[2],
                           uint32_t slice, int weights[4])
{
    bool outside[2][2];
    for (int d = 0; d < 2; d++)
        for (int side = 0; side < 2; side++) {
            const int32_t at = axes[d].first + side;
            outside[d][side] = at < 0 || at >= (int32_t)image->width;
        }
    for (unsigned k = 0; k < 4; k++)
        if (outside[0][k & 1] && outside[1][k >> 1]) {
            const int third = (weights[k] + 1) / 3;
            weights[k ^ 1] += third;
            weights[k ^ 2] += third;
            weights[k ^ 3] += weights[k] - 2 * third;
        }
    for (unsigned k = 0; k < 4; k++) {
        int32_t index[3] = { axes[0].first + (int)(k & 1), axes[1].first + (int)(k >> 1), 0 };
        uint32_t face = slice % 6;
        if (outside[0][k & 1] && outside[1][k >> 1])
            continue;
        if (outside[0][k & 1] || outside[1][k >> 1])
            cube_over_edge(image->width, &face, index);
        add_tap(image, out, index, slice - slice % 6 + face, weights[k]);
    }
}

// Adds those of one level, whose weights are `share` together.
static void find_taps(const struct sim_image *image, const struct image_place *place, bool gather, int share,
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
        slice = slice * 6 + cube_face(place->at, at);
    for (unsigned d = 0; d < dimensions && d < 3; d++)
        find_axis(at[d], sizes[d], image->edge[d], image->normalised || cube, linear, &axes[d]);
    const unsigned taps = linear ? 1u << dimensions : 1;
    int weights[LEVEL_TAPS];
    if (dimensions == 3 && share == WEIGHT_ONE)
        find_weights_of_box(axes, weights);
    else
        find_weights(axes, dimensions, share, weights);
    if (cube && image->seamless && image->linear && !gather) {
        add_over_edges(image, out, axes, slice, weights);
        return;
    }
    for (unsigned i = 0; i < taps; i++) {
        const unsigned k = gather ? gathered[i] : i;
        int32_t index[3];
        for (unsigned d = 0; d < 3; d++)
            index[d] = axes[d].index[k >> d & 1];
        add_tap(image, out, index, slice, weights[k]);
    }
}

// ---- levels ----------------------------------------------------------------------------------------------------------

// About the length of a vector of texels.
static float length_of(const float texels[3])
{
    float large = fabsf(texels[0]), middle = fabsf(texels[1]), small = fabsf(texels[2]), swap;
    if (middle < small)
        swap = middle, middle = small, small = swap;
    if (large < middle)
        swap = large, large = middle, middle = swap;
    if (middle < small)
        swap = middle, middle = small, small = swap;
    return large + middle * (11 / 32.0f) + small / 4;
}

// How many texels of the first level lie between two fetches, as a power of two: along both slopes and the diagonals between
// them. A GPU's logarithm differs by 2/256 at most, as far as was measured.
static float level_of_slopes(const struct sim_image *image, const struct image_place *place)
{
    const float sizes[] = { (float)image->width, (float)at_least_1(image->height),
                            (float)at_least_1(image->depth) };
    float along[2][3] = { { 0 } }, across[2][3];
    for (unsigned d = 0; d < 3; d++) {
        for (int side = 0; side < 2; side++)
            along[side][d] = place->slope[side][d] * sizes[d];
        across[0][d] = along[0][d] + along[1][d];
        across[1][d] = along[0][d] - along[1][d];
    }
    float most = fmaxf(length_of(along[0]), length_of(along[1]));
    for (int side = 0; side < 2; side++)
        most = fmaxf(most, length_of(across[side]) * (11 / 16.0f));
    return log2f(most);
}

// The level of a place, in 1/256 of one.
static int find_level(const struct sim_image *image, const struct image_place *place)
{
    const float most_bias = 15, last = (float)(image->levels - 1);
    float bias = fminf(fmaxf(image->level_bias, -most_bias), most_bias), level = 0;
    if (place->how == LEVEL_GIVEN)
        level = place->level;
    if (place->how == LEVEL_BY_SLOPES)
        level = level_of_slopes(image, place);
    if (place->how != LEVEL_FIRST) // which no bias moves
        level += truncf(bias * WEIGHT_ONE) / WEIGHT_ONE;
    level = isnan(level) ? 0 : level;
    level = fmaxf(fminf(level, image->level_most), image->level_least);
    level = fmaxf(fminf(level, last), 0);
    return (int)(image->level_linear ? floorf(level * WEIGHT_ONE) : floorf(level + 0.5f) * WEIGHT_ONE);
}

void image_find_taps(const struct sim_image *image, const struct image_place *place, bool gather,
                     struct image_taps *out)
{
    const int level = image->levels > 1 ? find_level(image, place) : 0, next = level % WEIGHT_ONE;
    out->count = 0;
    for (int second = 0; second <= (next != 0); second++) {
        uint64_t from;
        const unsigned before = out->count;
        const struct sim_image one = level_of(image, (uint32_t)(level / WEIGHT_ONE + second), &from);
        find_taps(&one, place, gather, second ? next : WEIGHT_ONE - next, out);
        for (unsigned k = before; k < out->count; k++)
            out->offset[k] += out->border[k] ? 0 : from;
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
    if (image->srgb && channel < 3) {
        const float inside = fmaxf(fminf(colour, 1), 0);
        return (uint32_t)lrintf(
            255 * (inside <= 0.0031308f ? 12.92f * inside : 1.055f * powf(inside, 1 / 2.4f) - 0.055f));
    }
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

// What 8 bits of sRGB mean: the upper halves of floats, as an H200 gave them.
static const uint16_t straight[256] = {
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c, 0x3b70,
    0x3b84, 0x3b90, 0x3b9c, 0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c, 0x3c16, 0x3c1f,
    0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60, 0x3c6c, 0x3c7a, 0x3c83, 0x3c8a, 0x3c91, 0x3c98, 0x3c9f,
    0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9, 0x3cf2, 0x3cfc, 0x3d03, 0x3d08,
    0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33, 0x3d39, 0x3d3f, 0x3d45, 0x3d4c, 0x3d52,
    0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81, 0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98,
    0x3d9c, 0x3da0, 0x3da4, 0x3da9, 0x3dad, 0x3db1, 0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1,
    0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea, 0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b,
    0x3e0e, 0x3e11, 0x3e14, 0x3e17, 0x3e1a, 0x3e1d, 0x3e20, 0x3e23, 0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33,
    0x3e36, 0x3e3a, 0x3e3d, 0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59, 0x3e5d, 0x3e61,
    0x3e65, 0x3e68, 0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a,
    0x3e8d, 0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8,
    0x3eaa, 0x3ead, 0x3eaf, 0x3eb2, 0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6, 0x3ec8,
    0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb, 0x3ede, 0x3ee1, 0x3ee4, 0x3ee7, 0x3eea, 0x3eed,
    0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05, 0x3f07, 0x3f09, 0x3f0a,
    0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19, 0x3f1b, 0x3f1c, 0x3f1e, 0x3f20,
    0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e, 0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37,
    0x3f39, 0x3f3b, 0x3f3d, 0x3f3f, 0x3f41, 0x3f43, 0x3f45, 0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51,
    0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d, 0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c,
    0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76, 0x3f7a, 0x3f7c, 0x3f7e, 0x3f80
};

static float channel_float(const struct sim_image *image, const unsigned char *texel, unsigned channel)
{
    const uint32_t bits = channel_bits(image, texel, channel);
    if (image->kind == SIM_TEXEL_FLOAT)
        return image->bits == 16 ? float_of_half((uint16_t)bits) : f32_of_bits(bits);
    if (image->srgb && channel < 3)
        return f32_of_bits((uint32_t)straight[bits & 255] << 16);
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

// Texels are aligned to the largest of them and cut off four bits after the last bit of that, those of sRGB after its eighth
// bit, weighed without a loss, and added up; the sum is rounded to the format of the texels, that of sRGB to a half.
static float blend_floats(const struct sim_image *image, const float values[IMAGE_TAPS],
                          const struct image_taps *taps)
{
    enum { MORE = 4, SRGB_BITS = 8, HALF_LEAST = -24, FLOAT_LEAST = -149, SUM_BITS = 62 };
    const bool half = image->bits == 16 || image->srgb;
    const int precision = half ? 11 : 24;
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
    const int unit = top - (image->srgb ? SRGB_BITS : precision + MORE), last = unit - WEIGHT_BITS;
    int64_t sum = 0;
    for (unsigned k = 0; k < taps->count; k++)
        if (taps->weight[k])
            sum += (int64_t)ldexp(values[k], -unit) * taps->weight[k];
    if (!sum)
        return minus ? -0.0f : 0;
    int drop = 64 - __builtin_clzll((unsigned long long)(sum < 0 ? -sum : sum)) - precision;
    if (half && last + drop < HALF_LEAST)
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
    if (image->kind != SIM_TEXEL_FLOAT && !(image->srgb && channel < 3))
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
