// Texture and surface objects: what the program says of an array, or of memory, becomes an image of the simulator, whose
// handle is the object.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>

struct exec_object {
    struct exec_object *next;
    uint64_t handle;
    bool surface, destroyed;
    struct cuda_resource resource;
    struct cuda_texture how;
    bool has_view;
    struct cuda_view view;
    struct sim_image image;
};
static struct exec_object *objects, **objects_end = &objects;

void texture_each(void (*visit)(const struct sim_image *, bool destroyed, void *), void *context)
{
    for (const struct exec_object *at = objects; at; at = at->next)
        visit(&at->image, at->destroyed, context);
}

static struct exec_object *object_of(uint64_t handle, bool surface)
{
    struct exec_object *at = objects;
    while (at && (at->handle != handle || at->surface != surface))
        at = at->next;
    return at;
}

// ---- images --------------------------------------------------------------------------------------------------------

static void set_format(struct sim_image *out, const struct cuda_channel *format)
{
    static const enum sim_texel kinds[] = { [CHANNEL_SIGNED] = SIM_TEXEL_SIGNED,
                                            [CHANNEL_UNSIGNED] = SIM_TEXEL_UNSIGNED,
                                            [CHANNEL_FLOAT] = SIM_TEXEL_FLOAT };
    out->channels = array_channels(format);
    out->bits = (unsigned)format->x;
    out->kind = out->channels ? kinds[format->kind] : SIM_TEXEL_UNSIGNED;
}

static cuda_error image_of_array(const struct exec_array *array, struct sim_image *out)
{
    const struct cuda_extent *e = &array->extent;
    const bool layers = array->flags & (ARRAY_LAYERED | ARRAY_CUBE);
    set_format(out, &array->format);
    out->at = (sim_address)(uintptr_t)array->texels.pointer;
    out->pitch = array->texels.pitch;
    out->slice = array->texels.pitch * array->texels.height;
    out->width = (uint32_t)e->width;
    out->height = (uint32_t)e->height;
    out->depth = layers ? 0 : (uint32_t)e->depth;
    out->layers = layers ? (uint32_t)e->depth : 0;
    out->cube = array->flags & ARRAY_CUBE;
    return CUDA_OK;
}

// Memory of the device, whole: kernels reach it through the texture until it is freed.
static bool is_memory(const void *pointer, size_t bytes)
{
    const struct exec_block *block = memory_block(pointer, false);
    return block && bytes <= block->bytes - (size_t)((uintptr_t)pointer - block->address);
}

static cuda_error image_of_memory(const struct cuda_resource *resource, struct sim_image *out)
{
    const bool rows = resource->type == RESOURCE_PITCH;
    const struct cuda_channel *format = rows ? &resource->of.pitch.format : &resource->of.linear.format;
    const void *pointer = rows ? resource->of.pitch.pointer : resource->of.linear.pointer;
    const unsigned texel = array_texel(format);
    if (!texel)
        return CUDA_INVALID_CHANNEL;
    const size_t width = rows ? resource->of.pitch.width : resource->of.linear.bytes / texel,
                 height = rows ? resource->of.pitch.height : 1,
                 pitch = rows ? resource->of.pitch.pitch : resource->of.linear.bytes;
    const char *wrong = NULL;
    if (rows && pitch % TEXTURE_PITCH_ALIGNMENT)
        wrong = "its pitch is no multiple of 32 bytes; cudaMallocPitch gives one that is";
    else if ((uintptr_t)pointer % TEXTURE_ALIGNMENT)
        wrong = "its memory does not start at a multiple of 512 bytes, as that of cudaMalloc does";
    else if (!width || !height || width > (rows ? TEXELS_1D : LINEAR_TEXELS_MOST) || height > LINEAR_HIGH)
        wrong = "it has no texels, or more than a texture can have";
    else if (rows && (pitch < width * texel || pitch > LINEAR_PITCH))
        wrong = "its pitch is smaller than a row, or larger than 2097120 bytes";
    else if (!is_memory(pointer, rows ? (height - 1) * pitch + width * texel : width * texel))
        wrong = "its memory is not on the device, or is smaller than the texture";
    if (wrong) {
        report_host(REPORT_ERROR, "invalid texture", NULL, "%s makes no texture: %s.", exec_function(),
                    wrong);
        return CUDA_INVALID_VALUE;
    }
    set_format(out, format);
    out->at = (sim_address)(uintptr_t)pointer;
    out->pitch = pitch;
    out->width = (uint32_t)width;
    out->height = rows ? (uint32_t)height : 0;
    return CUDA_OK;
}

// `count` levels of a mipmap from `first` on; 0: all that follow.
static cuda_error image_of_levels(const struct cuda_resource *resource, unsigned first, unsigned count,
                                  struct sim_image *out)
{
    const struct exec_mipmap *mipmap = array_mipmap(resource->of.array);
    if (!mipmap)
        return CUDA_INVALID_HANDLE;
    out->levels = count && count < mipmap->count - first ? count : mipmap->count - first;
    return image_of_array(&mipmap->levels[first], out);
}

static cuda_error image_of(const struct cuda_resource *resource, struct sim_image *out)
{
    if (resource->type == RESOURCE_ARRAY) {
        const struct exec_array *array = array_of(resource->of.array);
        return array ? image_of_array(array, out) : CUDA_INVALID_HANDLE;
    }
    if (resource->type == RESOURCE_LINEAR || resource->type == RESOURCE_PITCH)
        return image_of_memory(resource, out);
    return resource->type == RESOURCE_MIPMAPPED ? image_of_levels(resource, 0, 0, out) : CUDA_INVALID_VALUE;
}

// ---- views ---------------------------------------------------------------------------------------------------------

static struct cuda_channel format_of_view(int format)
{
    static const int kinds[][2] = { { CHANNEL_UNSIGNED, 8 },  { CHANNEL_SIGNED, 8 },
                                    { CHANNEL_UNSIGNED, 16 }, { CHANNEL_SIGNED, 16 },
                                    { CHANNEL_UNSIGNED, 32 }, { CHANNEL_SIGNED, 32 },
                                    { CHANNEL_FLOAT, 16 },    { CHANNEL_FLOAT, 32 } };
    const int *kind = kinds[(format - 1) / 3], channels = 1 << (format - 1) % 3;
    return (struct cuda_channel){ kind[1], channels > 1 ? kind[1] : 0, channels > 2 ? kind[1] : 0,
                                  channels > 2 ? kind[1] : 0, kind[0] };
}

// The resource as a view of it says: texels of the same size read as another format, some of its levels, some of its layers.
static cuda_error image_of_view(const struct cuda_resource *resource, const struct cuda_view *view,
                                struct sim_image *out)
{
    const bool mipmap = resource->type == RESOURCE_MIPMAPPED;
    if (resource->type != RESOURCE_ARRAY && !mipmap) {
        report_host(
            REPORT_ERROR, "invalid texture", NULL,
            "%s makes no texture: only arrays and mipmapped arrays have views. Pass a null pointer for "
            "the view.",
            exec_function());
        return CUDA_INVALID_VALUE;
    }
    if (view->format >= VIEW_COMPRESSED) {
        report_missing("a view of an array as a compressed format",
                       "Decompress the texels into an array of uchar4.");
        return CUDA_NOT_SUPPORTED;
    }
    cuda_error code = image_of(resource, out);
    if (code)
        return code;
    const struct sim_image whole = *out;
    const struct cuda_channel format =
        view->format > 0 ? format_of_view(view->format) : (struct cuda_channel){ 0 };
    const uint32_t layers = whole.layers ? whole.layers : 1;
    const uint64_t texel = whole.channels * whole.bits;
    const char *wrong = NULL;
    if (!view->format)
        wrong = "it has no format";
    else if (view->format < 0 || array_texel(&format) * 8 != texel)
        wrong = "the texels of its format have another size than those of the array";
    else if (view->width != whole.width || view->height != whole.height ||
             (view->depth != whole.depth && (view->depth != whole.layers || whole.depth)))
        wrong = "its width, height and depth are not those of the array";
    else if (view->level[0] > view->level[1] || view->level[1] >= (mipmap ? whole.levels : 1))
        wrong = "the array does not have these levels";
    else if (view->layer[0] > view->layer[1] || view->layer[1] >= layers)
        wrong = "the array does not have these layers";
    else if (whole.cube && (view->layer[0] % 6 || (view->layer[1] + 1) % 6))
        wrong = "a cube has six layers";
    if (wrong) {
        report_host(REPORT_ERROR, "invalid texture", NULL, "%s makes no texture of this view: %s.",
                    exec_function(), wrong);
        return CUDA_INVALID_VALUE;
    }
    const uint32_t shown = view->layer[1] - view->layer[0] + 1;
    if (shown != layers && view->level[0] != view->level[1]) {
        report_missing("a view of some layers of several levels",
                       "Let it have all layers, or a single level.");
        return CUDA_NOT_SUPPORTED;
    }
    if (mipmap)
        code = image_of_levels(resource, view->level[0], view->level[1] - view->level[0] + 1, out);
    set_format(out, &format);
    out->at += view->layer[0] * out->slice;
    out->layers = whole.layers ? shown : 0;
    return code;
}

// What a GPU does and nothing here does, where it could change what a fetch returns.
static void name_ignored(const struct sim_image *image, const struct cuda_texture *how)
{
    if (how->anisotropy > 1 && how->filter && image->levels > 1)
        report_host(
            REPORT_WARNING, "not there", NULL,
            "%s: the field maxAnisotropy is %u, and there is no anisotropic filter here. Fetches with "
            "gradients (tex2DGrad) return what they would with 1; set it to 1 to compare them with a GPU's.",
            exec_function(), how->anisotropy);
}

// How a texture filters, addresses and reads.
static cuda_error image_how(const struct cuda_resource *resource, const struct cuda_texture *how,
                            struct sim_image *out)
{
    static const enum sim_edge edges[] = { SIM_EDGE_WRAP, SIM_EDGE_CLAMP, SIM_EDGE_MIRROR, SIM_EDGE_BORDER };
    const bool whole = out->kind != SIM_TEXEL_FLOAT;
    const char *wrong = NULL;
    if (how->filter > 1 || (how->seamless && exec_major > 11 && !out->cube))
        return CUDA_INVALID_VALUE;
    if (how->filter && whole && !how->unit)
        wrong = "a linear filter needs floats: read whole numbers by cudaReadModeNormalizedFloat";
    else if (how->unit && (!whole || out->bits == 32))
        wrong = "cudaReadModeNormalizedFloat is for whole numbers of 8 and 16 bits";
    if (wrong)
        report_host(REPORT_ERROR, "invalid texture", NULL, "%s makes no texture: %s.", exec_function(),
                    wrong);
    for (int d = 0; d < 3; d++) {
        if ((unsigned)how->address[d] >= sizeof edges / sizeof *edges)
            return CUDA_INVALID_VALUE;
        out->edge[d] = edges[how->address[d]];
        if (!how->normalised && (out->edge[d] == SIM_EDGE_WRAP || out->edge[d] == SIM_EDGE_MIRROR))
            out->edge[d] = SIM_EDGE_CLAMP;
    }
    out->linear = how->filter && resource->type != RESOURCE_LINEAR;
    out->seamless = exec_major > 11 && how->seamless;
    out->normalised = how->normalised != 0;
    out->unit = how->unit != 0;
    out->srgb = how->srgb && how->unit && out->kind == SIM_TEXEL_UNSIGNED && out->bits == 8;
    out->level_linear = how->mipmap_filter != 0;
    out->level_bias = how->mipmap_bias;
    out->level_least = how->mipmap_least;
    out->level_most = how->mipmap_most;
    memcpy(out->border, how->border, sizeof out->border);
    if (!wrong)
        name_ignored(out, how);
    return !wrong ? CUDA_OK : how->filter && !how->unit ? CUDA_INVALID_FILTER : CUDA_INVALID_NORM;
}

// Programs for CUDA 11 have no room for what came later.
static size_t how_bytes(void)
{
    return exec_major > 11 ? sizeof(struct cuda_texture) : offsetof(struct cuda_texture, seamless);
}

// ---- objects -------------------------------------------------------------------------------------------------------

static cuda_error make(uint64_t *out, const struct cuda_resource *resource, const struct cuda_texture *how,
                       const struct cuda_view *view)
{
    struct sim_image image = { .surface = !how };
    if (exec_ready())
        return exec.sticky;
    if (!out || !resource)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = 0; // where it fails
    cuda_error code = view ? image_of_view(resource, view, &image) : image_of(resource, &image);
    if (!code && how)
        code = image_how(resource, how, &image);
    if (code)
        return exec_answer(code);
    struct exec_object *object = calloc(1, sizeof *object);
    const uint64_t handle = object ? sim_image_add(exec.memory, &image) : 0;
    if (!handle) {
        free(object);
        return exec_answer(CUDA_NO_MEMORY);
    }
    *object =
        (struct exec_object){ .handle = handle, .surface = !how, .resource = *resource, .image = image };
    if (how)
        memcpy(&object->how, how, how_bytes());
    object->has_view = view;
    if (view)
        object->view = *view;
    *objects_end = object;
    objects_end = &object->next;
    *out = handle;
    return CUDA_OK;
}

static cuda_error destroy(uint64_t handle, bool surface)
{
    struct exec_object *object = object_of(handle, surface);
    if (!object || object->destroyed) {
        report_host(REPORT_ERROR, "invalid free", NULL,
                    object ? "%s destroys %llu, which was destroyed before."
                           : "%s gets %llu, which is no such object.",
                    exec_function(), (unsigned long long)handle);
        return CUDA_OK; // as on a GPU
    }
    object->destroyed = true;
    sim_image_remove(exec.memory, handle);
    return CUDA_OK;
}

API(cudaCreateTextureObject, uint64_t *out, const struct cuda_resource *resource,
    const struct cuda_texture *how, const struct cuda_view *view)
{
    ENTER();
    return how ? make(out, resource, how, view) : exec_answer(CUDA_INVALID_HANDLE);
}
API_ALSO(cudaCreateTextureObject_v2, cudaCreateTextureObject);

API(cudaDestroyTextureObject, uint64_t handle)
{
    ENTER();
    return handle ? destroy(handle, false) : exec_ready();
}

API(cudaCreateSurfaceObject, uint64_t *out, const struct cuda_resource *resource)
{
    ENTER();
    const struct exec_array *array =
        resource && resource->type == RESOURCE_ARRAY ? array_of(resource->of.array) : NULL;
    if (!array) {
        report_host(REPORT_ERROR, "invalid surface", NULL, "%s makes no surface: a surface needs an array.",
                    exec_function());
        return exec_answer(resource && resource->type == RESOURCE_ARRAY ? CUDA_INVALID_HANDLE
                                                                        : CUDA_INVALID_VALUE);
    }
    if (!(array->flags & ARRAY_SURFACE)) // which an H200 with driver 580 does not mind
        report_host(REPORT_WARNING, "invalid surface", NULL,
                    "%s gets an array that was made without the flag cudaArraySurfaceLoadStore.",
                    exec_function());
    return make(out, resource, NULL, NULL);
}

API(cudaDestroySurfaceObject, uint64_t handle)
{
    ENTER();
    return handle ? destroy(handle, true) : exec_ready();
}

// ---- questions -----------------------------------------------------------------------------------------------------

static cuda_error tell_resource(struct cuda_resource *out, uint64_t handle, bool surface)
{
    const struct exec_object *object = object_of(handle, surface);
    if (!out || !object || object->destroyed)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = object->resource;
    return CUDA_OK;
}

API(cudaGetTextureObjectResourceDesc, struct cuda_resource *out, uint64_t handle)
{
    ENTER();
    return tell_resource(out, handle, false);
}

API(cudaGetSurfaceObjectResourceDesc, struct cuda_resource *out, uint64_t handle)
{
    ENTER();
    return tell_resource(out, handle, true);
}

API(cudaGetTextureObjectTextureDesc, struct cuda_texture *out, uint64_t handle)
{
    ENTER();
    const struct exec_object *object = object_of(handle, false);
    if (!out || !object || object->destroyed)
        return exec_answer(CUDA_INVALID_VALUE);
    memcpy(out, &object->how, how_bytes());
    return CUDA_OK;
}
API_ALSO(cudaGetTextureObjectTextureDesc_v2, cudaGetTextureObjectTextureDesc);

API(cudaGetTextureObjectResourceViewDesc, struct cuda_view *out, uint64_t handle)
{
    ENTER();
    const struct exec_object *object = object_of(handle, false);
    if (!out || !object || object->destroyed || !object->has_view)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = object->view;
    return CUDA_OK;
}

API(cudaDeviceGetTexture1DLinearMaxWidth, size_t *out, const struct cuda_channel *format, int device)
{
    ENTER();
    const unsigned texel = format ? array_texel(format) : 0;
    if (!out || !texel || device)
        return exec_answer(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    *out = texel > 4 ? ((size_t)1 << 32) / texel : (size_t)LINEAR_TEXELS_MOST;
    return CUDA_OK;
}
