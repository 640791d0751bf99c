// The stand-in driver's textures and surfaces: arrays are blocks of its memory, and the simulator fetches from them. Included by
// cuda.c alone.
#ifndef WARPBOOK_TESTS_IMAGE_H
#define WARPBOOK_TESTS_IMAGE_H

#include "tests/fake/state.h"

static bool texel_read(int format, unsigned channels, struct sim_image *out)
{
    const bool floats = format >= FORMAT_HALF, is_signed = !floats && format >= FORMAT_SIGNED;
    const int wider =
        floats ? 1 + (format == FORMAT_FLOAT) : format - (is_signed ? FORMAT_SIGNED : FORMAT_UNSIGNED);
    out->kind = floats ? SIM_TEXEL_FLOAT : is_signed ? SIM_TEXEL_SIGNED : SIM_TEXEL_UNSIGNED;
    out->channels = channels;
    out->bits = 8u << wider;
    return wider >= 0 && wider <= 2 && (channels == 1 || channels == 2 || channels == 4);
}

static int array_add(cu_array *out, const struct driver_array *as)
{
    struct sim_image texel = { 0 };
    if (!texel_read(as->format, as->channels, &texel) || as->width == 0)
        return INVALID_VALUE;
    struct CUarray_st *array = calloc(1, sizeof *array);
    if (array == NULL)
        return OUT_OF_MEMORY;
    array->as = *as;
    array->texel = texel.channels * texel.bits / 8;
    const size_t rows = as->height ? as->height : 1, slices = as->depth ? as->depth : 1;
    int code = block_add(as->width * array->texel * rows * slices, true, &array->block);
    if (code != 0) {
        free(array);
        return code;
    }
    memset(array->block->bytes, 0xa5, array->block->size); // nothing was copied to it yet
    array->next = fake.arrays;
    fake.arrays = array;
    *out = array;
    return 0;
}

// The row of a copy's side; NULL: it is not all there.
static unsigned char *row_at(const struct driver_copy_side *side, size_t y, size_t z, size_t bytes)
{
    const size_t row = z * (side->height ? side->height : 1) + y;
    if (side->kind == MEMORY_DEVICE)
        return bytes <= side->pitch ? device_bytes(side->device + row * side->pitch, bytes) : NULL;
    if (side->kind != MEMORY_ARRAY || array_at(side->array) == NULL)
        return NULL;
    const struct CUarray_st *array = side->array;
    const size_t pitch = array->as.width * array->texel, height = array->as.height ? array->as.height : 1;
    return bytes <= pitch ? device_bytes(array->block->address + (z * height + y) * pitch, bytes) : NULL;
}

static int image_copy(const struct driver_copy *copy)
{
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            const unsigned char *from = row_at(&copy->from, y, z, copy->width_bytes);
            unsigned char *to = row_at(&copy->to, y, z, copy->width_bytes);
            if (from == NULL || to == NULL)
                return INVALID_VALUE;
            memcpy(to, from, copy->width_bytes);
        }
    return 0;
}

static int image_of(const struct driver_resource *resource, struct sim_image *out)
{
    if (resource->kind == RESOURCE_LINEAR) {
        if (!texel_read(resource->of.linear.format, resource->of.linear.channels, out))
            return INVALID_VALUE;
        out->at = resource->of.linear.at;
        out->width = (uint32_t)(resource->of.linear.bytes / (out->channels * out->bits / 8));
        return 0;
    }
    if (resource->kind != RESOURCE_ARRAY || array_at(resource->of.array) == NULL)
        return INVALID_VALUE;
    const struct CUarray_st *array = resource->of.array;
    const bool layered = array->as.flags & ARRAY_LAYERED;
    (void)texel_read(array->as.format, array->as.channels, out);
    out->at = array->block->address;
    out->width = (uint32_t)array->as.width;
    out->height = (uint32_t)array->as.height;
    out->depth = layered ? 0 : (uint32_t)array->as.depth;
    out->layers = layered ? (uint32_t)array->as.depth : 0;
    out->pitch = out->width * array->texel;
    out->slice = out->pitch * (out->height ? out->height : 1);
    return 0;
}

static int image_add(const struct sim_image *image, cu_texture *out)
{
    *out = sim_image_add(fake.memory, image);
    fake.live += *out != 0;
    return *out != 0 ? 0 : OUT_OF_MEMORY;
}

static int image_remove(cu_texture handle)
{
    if (fake.memory != NULL)
        sim_image_remove(fake.memory, handle);
    fake.live--;
    return 0;
}

static int texture_add(const struct driver_resource *resource, const struct driver_texture *as,
                       cu_texture *out)
{
    static const enum sim_edge edges[] = { SIM_EDGE_WRAP, SIM_EDGE_CLAMP, SIM_EDGE_MIRROR, SIM_EDGE_BORDER };
    struct sim_image image = { .linear = as->filter,
                               .normalised = as->flags & TEXTURE_NORMALISED,
                               .unit = !(as->flags & TEXTURE_ELEMENTS) };
    int code = image_of(resource, &image);
    for (int d = 0; d < 3; d++)
        image.edge[d] = edges[as->edge[d] & 3];
    image.unit = image.unit && image.kind != SIM_TEXEL_FLOAT;
    return code != 0 ? code : image_add(&image, out);
}

static int surface_add(const struct driver_resource *resource, cu_texture *out)
{
    struct sim_image image = { .surface = true };
    int code = image_of(resource, &image);
    if (code == 0 && (resource->kind != RESOURCE_ARRAY || !(resource->of.array->as.flags & ARRAY_SURFACE)))
        code = INVALID_VALUE;
    return code != 0 ? code : image_add(&image, out);
}

#endif
