// Textures and surfaces. CUDA reads them from arrays of its own, laid out as hardware likes: what a buffer holds is copied there
// before a launch, and what a surface got is copied back. Linear memory alone is read where it is.
#include "engine/gpu/driver.h"

#include <stdlib.h>

struct gpu_texture {
    struct gpu_image image;
    cu_array array;    // NULL: in place
    cu_texture object; // 0: not made yet
};

static int format_of(const struct gpu_image *image)
{
    const int wider = image->bits == 32 ? 2 : image->bits == 16 ? 1 : 0;
    return image->kind == GPU_TEXEL_FLOAT
               ? (wider == 2 ? FORMAT_FLOAT : FORMAT_HALF)
               : (image->kind == GPU_TEXEL_SIGNED ? FORMAT_SIGNED : FORMAT_UNSIGNED) + wider;
}

static size_t texel_bytes(const struct gpu_image *image)
{
    return (size_t)image->channels * image->bits / 8;
}

static bool make_array(struct gpu *gpu, struct gpu_texture *texture, struct error *error)
{
    const struct gpu_image *image = &texture->image;
    const struct driver_array description = {
        .width = image->width,
        .height = image->height,
        .depth = image->depth ? image->depth : image->layers,
        .format = format_of(image),
        .channels = image->channels,
        .flags = (image->layers ? ARRAY_LAYERED : 0u) | (image->surface ? ARRAY_SURFACE : 0u),
    };
    return GPU_CALL(gpu, cuArray3DCreate_v2, (&texture->array, &description),
                    "Allocating an array for a texture or surface", error);
}

static bool make_object(struct gpu *gpu, struct gpu_texture *texture, struct error *error)
{
    const struct gpu_image *image = &texture->image;
    struct driver_resource resource = { .kind = RESOURCE_ARRAY, .of.array = texture->array };
    if (image->in_place) {
        resource.kind = RESOURCE_LINEAR;
        resource.of.linear.at = image->at;
        resource.of.linear.format = format_of(image);
        resource.of.linear.channels = image->channels;
        resource.of.linear.bytes = image->width * texel_bytes(image);
    }
    if (image->surface)
        return GPU_CALL(gpu, cuSurfObjectCreate, (&texture->object, &resource), "Making a surface", error);
    const int edge = (int)image->edge;
    const struct driver_texture description = {
        .edge = { edge, edge, edge },
        .filter = image->linear,
        .flags = (image->unit ? 0u : TEXTURE_ELEMENTS) | (image->normalised ? TEXTURE_NORMALISED : 0u),
    };
    return GPU_CALL(gpu, cuTexObjectCreate, (&texture->object, &resource, &description, NULL),
                    "Making a texture", error);
}

bool gpu_texture_make(struct gpu *gpu, const struct gpu_image *image, struct gpu_texture **out,
                      struct error *error)
{
    *out = NULL;
    if (!gpu_usable(gpu, error))
        return false;
    struct gpu_texture *texture = mem_new(sizeof *texture);
    texture->image = *image;
    if ((image->in_place || make_array(gpu, texture, error)) && make_object(gpu, texture, error)) {
        *out = texture;
        return true;
    }
    gpu_texture_free(gpu, texture);
    return false;
}

void gpu_texture_free(struct gpu *gpu, struct gpu_texture *texture)
{
    if (!texture)
        return;
    const struct driver *driver = gpu->driver;
    if (texture->object && !gpu->lost)
        (void)(texture->image.surface ? driver->cuSurfObjectDestroy
                                      : driver->cuTexObjectDestroy)(texture->object);
    if (texture->array && !gpu->lost)
        (void)driver->cuArrayDestroy(texture->array);
    free(texture);
}

uint64_t gpu_texture_handle(const struct gpu_texture *texture)
{
    return texture->object;
}

bool gpu_texture_copy(struct gpu *gpu, const struct gpu_texture *texture, bool back, struct error *error)
{
    const struct gpu_image *image = &texture->image;
    if (!gpu_usable(gpu, error))
        return false;
    if (image->in_place)
        return true;
    const size_t height = image->height ? image->height : 1;
    const struct driver_copy_side buffer = { .kind = MEMORY_DEVICE,
                                             .device = image->at,
                                             .pitch = image->pitch,
                                             .height = height },
                                  array = { .kind = MEMORY_ARRAY, .array = texture->array };
    const struct driver_copy whole = { .from = back ? array : buffer,
                                       .to = back ? buffer : array,
                                       .width_bytes = image->width * texel_bytes(image),
                                       .height = height,
                                       .depth = image->depth    ? image->depth
                                                : image->layers ? image->layers
                                                                : 1 };
    return GPU_CALL(gpu, cuMemcpy3DAsync_v2, (&whole, NULL),
                    back ? "Copying a surface to its buffer" : "Copying a buffer to its texture or surface",
                    error);
}
