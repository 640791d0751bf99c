// A texture or surface line of a kernel file with its buffer becomes an image of the simulator, within CUDA's limits.
#include "engine/run/simulation.h"
#include "engine/sim/texels.h"

#include <string.h>

// What a channel of a texel can be; false: no texture has such elements.
static bool set_channels(struct sim_image *out, struct type type)
{
    static const struct {
        enum scalar scalar;
        enum sim_texel kind;
    } channels[] = { { SCALAR_CHAR, SIM_TEXEL_SIGNED },  { SCALAR_UCHAR, SIM_TEXEL_UNSIGNED },
                     { SCALAR_SHORT, SIM_TEXEL_SIGNED }, { SCALAR_USHORT, SIM_TEXEL_UNSIGNED },
                     { SCALAR_INT, SIM_TEXEL_SIGNED },   { SCALAR_UINT, SIM_TEXEL_UNSIGNED },
                     { SCALAR_HALF, SIM_TEXEL_FLOAT },   { SCALAR_FLOAT, SIM_TEXEL_FLOAT } };
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        if (channels[i].scalar != type.scalar)
            continue;
        out->kind = channels[i].kind;
        out->channels = (unsigned)type.lanes;
        out->bits = 8 * (unsigned)scalar_size(type.scalar);
        return type.lanes != 3;
    }
    return false;
}

// Absent sizes stay as they are. The limits are those of CUDA's arrays; of linear memory, its 2^30 texels.
static bool take_sizes(const struct variant *variant, const struct texture *texture,
                       const struct expr_scope *scope, int64_t sizes[TEXTURE_SIZES], struct error *error)
{
    const bool flat = !texture->sizes[TEXTURE_DEPTH], surface = texture->surface,
               row = !texture->sizes[TEXTURE_HEIGHT];
    const int64_t most[TEXTURE_SIZES] = { [TEXTURE_WIDTH] = !flat            ? TEXELS_3D
                                                            : surface && row ? TEXELS_EDGE
                                                                             : TEXELS_1D,
                                          [TEXTURE_HEIGHT] = flat ? TEXELS_2D_HIGH : TEXELS_3D,
                                          [TEXTURE_DEPTH] = TEXELS_3D,
                                          [TEXTURE_LAYERS] = TEXEL_LAYERS,
                                          [TEXTURE_PITCH] = LINEAR_PITCH };
    for (int s = 0; s < TEXTURE_SIZES; s++) {
        struct expr_value value = { 0 };
        if (!texture->sizes[s])
            continue;
        if (!expr_eval(texture->sizes[s], scope, &value, error))
            return false;
        sizes[s] = value_as_int(value);
        if (value.real || sizes[s] < 1 || sizes[s] > most[s])
            return error_at(error, &variant->source, texture->at,
                            "the %s of %s should be a whole number from 1 to %lld, and is %g",
                            texture_size_names[s], texture->name, (long long)most[s], value_as_real(value));
    }
    return true;
}

// The bytes from the first texel to the end of the last one.
static uint64_t extent(const struct sim_image *image, uint64_t texel)
{
    const uint64_t rows = image->height ? image->height : 1, slices = image->depth    ? image->depth
                                                                      : image->layers ? image->layers
                                                                                      : 1;
    return (slices - 1) * image->slice + (rows - 1) * image->pitch + image->width * texel;
}

static bool set_sizes(const struct variant *variant, const struct texture *texture,
                      const struct sim_setup_buffer *buffer, const struct expr_scope *scope,
                      struct sim_image *out, struct error *error)
{
    const uint64_t texel = type_size(buffer->type), linear_most = LINEAR_TEXELS_MOST;
    int64_t sizes[TEXTURE_SIZES] = { 0 };
    if (!take_sizes(variant, texture, scope, sizes, error))
        return false;
    if (!texture->sizes[TEXTURE_WIDTH]) {
        const uint64_t texels = buffer->size / texel, most = texture->surface ? TEXELS_EDGE : linear_most;
        if (texels > most)
            return error_at(error, &variant->source, texture->at,
                            "%s would have %llu texels in one row, and can have %llu; give it a width= and a "
                            "height=",
                            texture->name, (unsigned long long)texels, (unsigned long long)most);
        sizes[TEXTURE_WIDTH] = (int64_t)texels;
    }
    out->width = (uint32_t)sizes[TEXTURE_WIDTH];
    out->height = (uint32_t)sizes[TEXTURE_HEIGHT];
    out->depth = (uint32_t)sizes[TEXTURE_DEPTH];
    out->layers = (uint32_t)sizes[TEXTURE_LAYERS];
    out->pitch = sizes[TEXTURE_PITCH] ? (uint64_t)sizes[TEXTURE_PITCH] : out->width * texel;
    out->slice = out->pitch * (out->height ? out->height : 1);
    if (sizes[TEXTURE_PITCH] && (out->pitch % 32 || out->pitch < out->width * texel))
        return error_at(error, &variant->source, texture->at,
                        "the pitch of %s is in bytes, a multiple of 32, and at least %llu, a row's",
                        texture->name, (unsigned long long)(out->width * texel));
    return extent(out, texel) <= buffer->size ||
           error_at(error, &variant->source, texture->at,
                    "%s takes %llu bytes, and the buffer %s has %zu; make it larger, or the sizes smaller",
                    texture->name, (unsigned long long)extent(out, texel), buffer->name, buffer->size);
}

// A texture's filter and read mode must suit its elements.
static bool suits_elements(const struct variant *variant, const struct texture *texture,
                           const struct sim_image *image, struct error *error)
{
    const bool whole = image->kind != SIM_TEXEL_FLOAT;
    const char *wrong = NULL;
    if (texture->linear && whole && !texture->unit)
        wrong = "filter=linear needs floats; read=normalized makes them of whole numbers of 8 and 16 bits";
    else if (texture->unit && (!whole || image->bits == 32))
        wrong = "read=normalized is for whole numbers of 8 and 16 bits; leave it out";
    return !wrong || error_at(error, &variant->source, texture->at, "%s", wrong);
}

bool texture_image(const struct variant *variant, const struct texture *texture,
                   const struct sim_setup_buffer *buffer, const struct expr_scope *scope,
                   struct sim_image *out, struct error *error)
{
    static const enum sim_edge edges[] = { [TEXTURE_CLAMP] = SIM_EDGE_CLAMP,
                                           [TEXTURE_WRAP] = SIM_EDGE_WRAP,
                                           [TEXTURE_MIRROR] = SIM_EDGE_MIRROR,
                                           [TEXTURE_BORDER] = SIM_EDGE_BORDER };
    *out = (struct sim_image){ .surface = texture->surface,
                               .linear = texture->linear,
                               .normalised = texture->normalized,
                               .unit = texture->unit,
                               .at = buffer->address };
    for (int d = 0; d < 3; d++)
        out->edge[d] = edges[texture->address];
    if (!set_channels(out, buffer->type))
        return error_at(error, &variant->source, texture->buffer_at,
                        "the elements of %s are no texels: those are char, unsigned char, short, unsigned "
                        "short, int, unsigned, half or float, or 2 or 4 of them",
                        buffer->name);
    return suits_elements(variant, texture, out, error) &&
           set_sizes(variant, texture, buffer, scope, out, error);
}
