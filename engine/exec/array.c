// CUDA arrays: texels that only textures, surfaces and copies reach. Here they lie row after row, without gaps, in memory of
// the device that has no pointer of its own.
#include "engine/exec/exec.h"

#include <stdlib.h>

static struct exec_array *arrays; // also those that were freed
static struct exec_mipmap *mipmaps;

static size_t at_least_1(size_t count)
{
    return count ? count : 1;
}

static struct exec_array *array_find(const void *handle)
{
    struct exec_array *at = arrays;
    while (at && at != handle)
        at = at->next;
    return at;
}

// Whether memory of an array is there; a handle that is of none, or of one that was freed, is reported.
static bool is_there(const struct exec_array *array, const void *handle, const char *kind)
{
    const struct exec_block *block = array ? memory_block(array->texels.pointer, true) : NULL;
    if (!array)
        report_host(REPORT_ERROR, "invalid array", NULL, "%s gets %p, which is no %s array.", exec_function(),
                    handle, kind);
    else if (block && block->freed)
        report_host(REPORT_ERROR, "use after free", NULL,
                    "%s uses the array %s, which was freed by %s (made by %s).", exec_function(), block->name,
                    block->gone, block->made);
    return block && !block->freed;
}

struct exec_array *array_of(const void *handle)
{
    struct exec_array *array = array_find(handle);
    return is_there(array, handle, "CUDA") ? array : NULL;
}

static struct exec_mipmap *mipmap_find(const void *handle)
{
    struct exec_mipmap *at = mipmaps;
    while (at && at != handle)
        at = at->next;
    return at;
}

struct exec_mipmap *array_mipmap(const void *handle)
{
    struct exec_mipmap *mipmap = mipmap_find(handle);
    return is_there(mipmap ? mipmap->levels : NULL, handle, "mipmapped") ? mipmap : NULL;
}

// ---- making --------------------------------------------------------------------------------------------------------

// Bits of a channel; 0: no texel has this format.
static unsigned channel_bits(const struct cuda_channel *format, unsigned *channels)
{
    const int bits[] = { format->x, format->y, format->z, format->w };
    *channels = 0;
    while (*channels < 4 && bits[*channels])
        ++*channels;
    for (unsigned c = 0; c < 4; c++)
        if (bits[c] != (c < *channels ? format->x : 0))
            return 0;
    const bool real = format->kind == CHANNEL_FLOAT;
    const bool known = format->x == 32 || format->x == 16 || (format->x == 8 && !real);
    return known && *channels && *channels != 3 && format->kind >= 0 && format->kind <= CHANNEL_FLOAT
               ? (unsigned)format->x
               : 0;
}

unsigned array_texel(const struct cuda_channel *format)
{
    unsigned channels, bits = channel_bits(format, &channels);
    return bits / 8 * channels;
}

unsigned array_channels(const struct cuda_channel *format)
{
    unsigned channels;
    return channel_bits(format, &channels) ? channels : 0;
}

// Whether an array of an H100 can have these dimensions.
static bool is_possible(const struct cuda_extent *e, unsigned flags)
{
    const bool layered = flags & ARRAY_LAYERED, cube = flags & ARRAY_CUBE, gather = flags & ARRAY_GATHER;
    const unsigned known = ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBE | ARRAY_GATHER;
    if (flags & ~known || !e->width || (gather && (!e->height || e->depth)))
        return false;
    if (cube)
        return e->width == e->height && e->width <= TEXELS_EDGE &&
               (layered ? e->depth && e->depth % 6 == 0 && e->depth <= CUBE_LAYERS : e->depth == 6);
    if (layered)
        return e->depth && e->depth <= TEXEL_LAYERS && e->width <= TEXELS_EDGE && e->height <= TEXELS_EDGE;
    if (e->depth) {
        const size_t most = e->depth <= TEXELS_3D ? TEXELS_3D : TEXELS_3D_OTHER;
        return e->height && e->width <= most && e->height <= most && e->depth <= TEXELS_EDGE;
    }
    return e->height ? e->width <= (gather ? TEXELS_EDGE : TEXELS_1D) &&
                           e->height <= (gather ? TEXELS_EDGE : TEXELS_2D_HIGH)
                     : e->width <= TEXELS_1D;
}

// An array as its format and extent say, without memory; false: `code` says why it cannot be.
static bool describe(struct exec_array *out, const struct cuda_channel *format,
                     const struct cuda_extent *extent, unsigned flags, cuda_error *code)
{
    const unsigned texel = format ? array_texel(format) : 0;
    *code = !format || (texel && !is_possible(extent, flags)) ? CUDA_INVALID_VALUE
            : !texel                                          ? CUDA_INVALID_CHANNEL
                                                              : CUDA_OK;
    if (*code)
        return false;
    const size_t pitch = extent->width * texel, rows = at_least_1(extent->height) * at_least_1(extent->depth);
    *out = (struct exec_array){ .format = *format,
                                .extent = *extent,
                                .flags = flags,
                                .texel = texel,
                                .texels = { NULL, pitch, pitch, at_least_1(extent->height) } };
    if (rows > SIM_BUFFER_LIMIT / pitch)
        *code = CUDA_NO_MEMORY;
    return !*code;
}

static size_t bytes_of(const struct exec_array *array)
{
    return array->texels.pitch * array->texels.height * at_least_1(array->extent.depth);
}

API(cudaMalloc3DArray, void **out, const struct cuda_channel *format, struct cuda_extent extent,
    unsigned flags)
{
    ENTER();
    if (exec_ready())
        return exec.sticky;
    struct exec_array what, *array = NULL;
    cuda_error code;
    if (!out || !describe(&what, format, &extent, flags, &code))
        return exec_answer(out ? code : CUDA_INVALID_VALUE);
    array = malloc(sizeof *array);
    if (!array)
        return exec_answer(CUDA_NO_MEMORY);
    *array = what;
    code = cudaMalloc(&array->texels.pointer, bytes_of(array));
    if (code) {
        free(array);
        return code;
    }
    array->next = arrays;
    arrays = array;
    *out = array;
    return CUDA_OK;
}

API(cudaMallocArray, void **out, const struct cuda_channel *format, size_t width, size_t height,
    unsigned flags)
{
    ENTER();
    return cudaMalloc3DArray(out, format, (struct cuda_extent){ width, height, 0 }, flags);
}

API(cudaFreeArray, void *handle)
{
    ENTER();
    const struct exec_array *array = handle ? array_find(handle) : NULL;
    if (!handle)
        return exec_ready();
    if (array && array->of_mipmap) {
        report_host(REPORT_ERROR, "invalid free", NULL,
                    "%s gets a level of a mipmapped array. cudaFreeMipmappedArray frees all of its levels.",
                    exec_function());
        return CUDA_OK; // as on a GPU
    }
    if (array)
        return cudaFree(array->texels.pointer);
    report_host(REPORT_ERROR, "invalid free", NULL, "%s gets %p, which is no CUDA array.", exec_function(),
                handle);
    return exec_answer(CUDA_INVALID_HANDLE);
}

// ---- mipmapped arrays: an array for each level, in one piece of memory ----------------------------------------------------

static size_t halved(size_t count)
{
    return count > 1 ? count / 2 : count;
}

// Up to the one that has a single texel.
static unsigned most_levels(const struct cuda_extent *e, unsigned flags)
{
    const size_t depth = flags & (ARRAY_LAYERED | ARRAY_CUBE) ? 0 : e->depth;
    size_t most = e->width > e->height ? e->width : e->height;
    unsigned levels = 1;
    for (most = depth > most ? depth : most; most > 1; most /= 2)
        levels++;
    return levels;
}

// Describes all levels; their bytes in all.
static cuda_error describe_levels(struct exec_mipmap *out, const struct cuda_channel *format,
                                  struct cuda_extent extent, unsigned flags, size_t *bytes)
{
    cuda_error code = CUDA_OK;
    *bytes = 0;
    for (unsigned l = 0; l < out->count; l++) {
        if (!describe(&out->levels[l], format, &extent, flags, &code))
            return code;
        out->levels[l].of_mipmap = true;
        *bytes += bytes_of(&out->levels[l]);
        extent.width = halved(extent.width);
        extent.height = halved(extent.height);
        if (!(flags & (ARRAY_LAYERED | ARRAY_CUBE)))
            extent.depth = halved(extent.depth);
    }
    return code;
}

API(cudaMallocMipmappedArray, void **out, const struct cuda_channel *format, struct cuda_extent extent,
    unsigned count, unsigned flags)
{
    ENTER();
    if (exec_ready())
        return exec.sticky;
    const unsigned most = most_levels(&extent, flags);
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    count = !count ? 1 : count < most ? count : most;
    struct exec_mipmap *mipmap = calloc(1, sizeof *mipmap + count * sizeof *mipmap->levels);
    if (!mipmap)
        return exec_answer(CUDA_NO_MEMORY);
    mipmap->count = count;
    size_t bytes;
    void *memory = NULL;
    cuda_error code = describe_levels(mipmap, format, extent, flags, &bytes);
    code = code ? exec_answer(code) : cudaMalloc(&memory, bytes);
    if (code) {
        free(mipmap);
        return code;
    }
    char *at = memory;
    for (unsigned l = 0; l < count; l++) {
        struct exec_array *level = &mipmap->levels[l];
        level->texels.pointer = at;
        at += bytes_of(level);
        level->next = arrays;
        arrays = level;
    }
    mipmap->next = mipmaps;
    mipmaps = mipmap;
    *out = mipmap;
    return CUDA_OK;
}

API(cudaGetMipmappedArrayLevel, void **out, const void *handle, unsigned level)
{
    ENTER();
    struct exec_mipmap *mipmap = array_mipmap(handle);
    if (!mipmap)
        return exec_answer(CUDA_INVALID_HANDLE);
    if (!out || level >= mipmap->count)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = &mipmap->levels[level];
    return CUDA_OK;
}

API(cudaFreeMipmappedArray, void *handle)
{
    ENTER();
    const struct exec_mipmap *mipmap = handle ? mipmap_find(handle) : NULL;
    if (!handle)
        return exec_ready();
    if (mipmap)
        return cudaFree(mipmap->levels->texels.pointer);
    report_host(REPORT_ERROR, "invalid free", NULL, "%s gets %p, which is no mipmapped array.",
                exec_function(), handle);
    return exec_answer(CUDA_INVALID_HANDLE);
}

// ---- questions -----------------------------------------------------------------------------------------------------

API(cudaArrayGetInfo, struct cuda_channel *format, struct cuda_extent *extent, unsigned *flags, void *handle)
{
    ENTER();
    const struct exec_array *array = array_of(handle);
    if (!array)
        return exec_answer(CUDA_INVALID_HANDLE);
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return CUDA_OK;
}

API(cudaGetChannelDesc, struct cuda_channel *out, const void *handle)
{
    ENTER();
    return out ? cudaArrayGetInfo(out, NULL, NULL, (void *)(uintptr_t)handle)
               : exec_answer(CUDA_INVALID_VALUE);
}

// ---- copies --------------------------------------------------------------------------------------------------------

static bool is_inside(const struct exec_array *array, const struct cuda_position *at,
                      const struct cuda_extent *extent)
{
    const struct cuda_extent *e = &array->extent;
    return at->x <= e->width && extent->width <= e->width - at->x && at->y <= at_least_1(e->height) &&
           extent->height <= at_least_1(e->height) - at->y && at->z <= at_least_1(e->depth) &&
           extent->depth <= at_least_1(e->depth) - at->z;
}

// One side of a copy as memory with a pitch; `at` counts bytes afterwards. False: it is no array, or the copy leaves it.
static bool array_side(const void *handle, const struct cuda_extent *extent, struct cuda_pitched *side,
                       struct cuda_position *at, unsigned *texel, const char *does)
{
    const struct exec_array *array = array_of(handle);
    if (!array)
        return false;
    if (!is_inside(array, at, extent)) {
        const struct exec_block *block = memory_block(array->texels.pointer, true);
        report_host(REPORT_ERROR, "out of bounds", NULL,
                    "%s %s %zu x %zu x %zu texels at (%zu, %zu, %zu) of the array %s, which has %zu x %zu x "
                    "%zu (made by %s).",
                    exec_function(), does, extent->width, extent->height, extent->depth, at->x, at->y, at->z,
                    block->name, array->extent.width, at_least_1(array->extent.height),
                    at_least_1(array->extent.depth), block->made);
        return false;
    }
    *side = array->texels;
    *texel = array->texel;
    at->x *= array->texel;
    return true;
}

bool array_as_memory(struct cuda_copy_3d *what)
{
    unsigned to = 0, from = 0;
    if (what->to_array &&
        !array_side(what->to_array, &what->extent, &what->to, &what->to_position, &to, "writes"))
        return false;
    if (what->from_array &&
        !array_side(what->from_array, &what->extent, &what->from, &what->from_position, &from, "reads"))
        return false;
    const unsigned texel = to ? to : from; // memory on the other side counts texels, too
    if (!what->to_array)
        what->to_position.x *= texel;
    if (!what->from_array)
        what->from_position.x *= texel;
    what->to_array = what->from_array = NULL;
    what->extent.width *= texel;
    return !to || !from || to == from;
}

// A copy of rows to or from arrays, whose offsets and width count bytes here. False: they divide a texel.
static bool rows_to_texels(struct cuda_copy_3d *what)
{
    const struct exec_array *to = array_find(what->to_array), *from = array_find(what->from_array);
    const unsigned texel = to ? to->texel : from ? from->texel : 1;
    if (what->extent.width % texel || (to && what->to_position.x % to->texel) ||
        (from && what->from_position.x % from->texel))
        return false;
    what->extent.width /= texel;
    what->to_position.x /= to ? to->texel : 1;
    what->from_position.x /= from ? from->texel : 1;
    return true;
}

// The same as memory, where bytes are no whole texels, or the arrays' texels differ. False: it leaves an array.
static bool rows_to_memory(const struct exec_array *array, const struct cuda_extent *bytes, void **handle,
                           struct cuda_pitched *side, const struct cuda_position *at)
{
    if (!array)
        return !*handle;
    const size_t row = array->extent.width * array->texel, rows = at_least_1(array->extent.height);
    if (at->x > row || bytes->width > row - at->x || at->y > rows || bytes->height > rows - at->y)
        return false;
    *side = array->texels;
    *handle = NULL;
    return true;
}

static cuda_error copy_rows(struct cuda_copy_3d *what, const struct exec_stream *stream, bool waits)
{
    const struct exec_array *to = array_find(what->to_array), *from = array_find(what->from_array);
    if (!what->to_array && !what->from_array)
        return exec_answer(CUDA_INVALID_HANDLE);
    if (!copy_kind_fits(what->kind, !what->from_array, !what->to_array))
        return exec_answer(CUDA_INVALID_DIRECTION);
    const bool differ = to && from && to->texel != from->texel;
    if ((differ || !rows_to_texels(what)) &&
        !(rows_to_memory(to, &what->extent, &what->to_array, &what->to, &what->to_position) &&
          rows_to_memory(from, &what->extent, &what->from_array, &what->from, &what->from_position)))
        return exec_answer(CUDA_INVALID_VALUE);
    return waits ? copy_now(what) : copy_in_order(stream, what);
}

static struct cuda_copy_3d rows_in(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int kind)
{
    return (struct cuda_copy_3d){ .to_array = to,
                                  .to_position = { x, y, 0 },
                                  .from = { (void *)(uintptr_t)from, pitch, width, height },
                                  .extent = { width, height, 1 },
                                  .kind = kind };
}

static struct cuda_copy_3d rows_out(void *to, size_t pitch, const void *from, size_t x, size_t y,
                                    size_t width, size_t height, int kind)
{
    return (struct cuda_copy_3d){ .from_array = (void *)(uintptr_t)from,
                                  .from_position = { x, y, 0 },
                                  .to = { to, pitch, width, height },
                                  .extent = { width, height, 1 },
                                  .kind = kind };
}

API(cudaMemcpy2DToArray, void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
    size_t height, int kind)
{
    ENTER();
    struct cuda_copy_3d what = rows_in(to, x, y, from, pitch, width, height, kind);
    return copy_rows(&what, NULL, true);
}
API_ALSO(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

API(cudaMemcpy2DToArrayAsync, void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
    size_t height, int kind, const struct exec_stream *stream)
{
    ENTER();
    struct cuda_copy_3d what = rows_in(to, x, y, from, pitch, width, height, kind);
    return copy_rows(&what, stream, false);
}
API_ALSO(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

API(cudaMemcpy2DFromArray, void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
    size_t height, int kind)
{
    ENTER();
    struct cuda_copy_3d what = rows_out(to, pitch, from, x, y, width, height, kind);
    return copy_rows(&what, NULL, true);
}
API_ALSO(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

API(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
    size_t height, int kind, const struct exec_stream *stream)
{
    ENTER();
    struct cuda_copy_3d what = rows_out(to, pitch, from, x, y, width, height, kind);
    return copy_rows(&what, stream, false);
}
API_ALSO(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

API(cudaMemcpy2DArrayToArray, void *to, size_t to_x, size_t to_y, const void *from, size_t from_x,
    size_t from_y, size_t width, size_t height, int kind)
{
    ENTER();
    struct cuda_copy_3d what = { .to_array = to,
                                 .to_position = { to_x, to_y, 0 },
                                 .from_array = (void *)(uintptr_t)from,
                                 .from_position = { from_x, from_y, 0 },
                                 .extent = { width, height, 1 },
                                 .kind = kind };
    return copy_rows(&what, NULL, true);
}
API_ALSO(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

// ---- copies of bytes that go on in the next row ------------------------------------------------------------------------

// Where byte x of row y of an array is; NULL: it is none.
static char *byte_of(const void *handle, size_t x, size_t y)
{
    const struct exec_array *array = array_of(handle);
    return array ? (char *)array->texels.pointer + y * array->texels.pitch + x : NULL;
}

static cuda_error copy_bytes(void *to, const void *from, size_t bytes, int kind,
                             const struct exec_stream *stream, bool waits)
{
    if (!to || !from)
        return exec_answer(CUDA_INVALID_VALUE);
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return waits ? copy_now(&what) : copy_in_order(stream, &what);
}

API(cudaMemcpyToArray, void *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    ENTER();
    return copy_bytes(byte_of(to, x, y), from, bytes, kind, NULL, true);
}
API_ALSO(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

API(cudaMemcpyToArrayAsync, void *to, size_t x, size_t y, const void *from, size_t bytes, int kind,
    const struct exec_stream *stream)
{
    ENTER();
    return copy_bytes(byte_of(to, x, y), from, bytes, kind, stream, false);
}
API_ALSO(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

API(cudaMemcpyFromArray, void *to, const void *from, size_t x, size_t y, size_t bytes, int kind)
{
    ENTER();
    return copy_bytes(to, byte_of(from, x, y), bytes, kind, NULL, true);
}
API_ALSO(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

API(cudaMemcpyFromArrayAsync, void *to, const void *from, size_t x, size_t y, size_t bytes, int kind,
    const struct exec_stream *stream)
{
    ENTER();
    return copy_bytes(to, byte_of(from, x, y), bytes, kind, stream, false);
}
API_ALSO(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

API(cudaMemcpyArrayToArray, void *to, size_t to_x, size_t to_y, const void *from, size_t from_x,
    size_t from_y, size_t bytes, int kind)
{
    ENTER();
    return copy_bytes(byte_of(to, to_x, to_y), byte_of(from, from_x, from_y), bytes, kind, NULL, true);
}
API_ALSO(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);
