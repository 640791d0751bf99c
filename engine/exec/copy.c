// Copies and fills. All of them are done when they are asked for; what a kernel printed before is shown first where the
// program would wait.
#include "engine/exec/exec.h"

#include <string.h>

// Whether a kernel reaches it.
static bool is_shown(const void *pointer)
{
    return memory_block(pointer, false) || module_managed_left(pointer);
}

static bool on_host(const void *pointer)
{
    const struct exec_block *b = memory_block(pointer, false);
    return b ? b->kind != MEMORY_DEVICE : ((uintptr_t)pointer >> 47) == 0;
}

// Whether a copy goes in this direction; where the pointers lie otherwise, that is reported. A GPU that knows pointers of both
// sides takes no notice of cudaMemcpyHostToHost (an H200 with driver 580).
static bool direction_fits(const void *to, const void *from, int kind)
{
    const char *wrong = NULL;
    bool known_to = is_shown(to), known_from = is_shown(from);
    if ((kind == HOST_TO_DEVICE || kind == DEVICE_TO_DEVICE) && !known_to && on_host(to))
        wrong = "its destination is memory of the host that kernels cannot reach";
    else if ((kind == DEVICE_TO_HOST || kind == DEVICE_TO_DEVICE) && !known_from && on_host(from))
        wrong = "its source is memory of the host that kernels cannot reach";
    else if ((kind == HOST_TO_HOST || kind == DEVICE_TO_HOST) && known_to && !on_host(to))
        wrong = "its destination is memory of the device";
    else if ((kind == HOST_TO_HOST || kind == HOST_TO_DEVICE) && known_from && !on_host(from))
        wrong = "its source is memory of the device";
    static const char *const names[] = { "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                         "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice" };
    const bool goes = !wrong || kind == HOST_TO_HOST;
    if (wrong)
        report_host(goes ? REPORT_WARNING : REPORT_ERROR, "wrong direction", NULL,
                    "%s has the direction %s, but %s.", exec_function(), names[kind], wrong);
    return goes;
}

bool copy_kind_fits(int kind, bool into, bool out)
{
    return kind == BY_POINTERS || kind == DEVICE_TO_DEVICE || (into && kind == HOST_TO_DEVICE) ||
           (out && kind == DEVICE_TO_HOST);
}

static cuda_error copy(void *to, const void *from, size_t bytes, int kind)
{
    if (bytes == 0)
        return CUDA_OK;
    if (!to || !from || kind < 0 || kind > BY_POINTERS)
        return exec_answer(kind < 0 || kind > BY_POINTERS ? CUDA_INVALID_DIRECTION : CUDA_INVALID_VALUE);
    void *there = memory_bytes(to, bytes, "writes to");
    const void *here = memory_bytes(from, bytes, "reads from");
    if (!there || !here || !direction_fits(to, from, kind))
        return exec_answer(CUDA_INVALID_VALUE);
    memmove(there, here, bytes);
    exec.copies += on_host(to) != on_host(from);
    if (exec.settings.spoil && on_host(to) && !on_host(from)) {
        ((unsigned char *)there)[bytes - 1] ^= 0x40; // of the last element's sign, exponent or high digits
        report_spoilt();
    }
    memory_wrote(to, bytes);
    return CUDA_OK;
}

static void fill_elements(unsigned char *at, const struct cuda_fill *what)
{
    for (size_t i = 0; i < what->width; i++, at += what->element_bytes)
        memcpy(at, &what->value, what->element_bytes); // the low bytes
}

static cuda_error fill(void *to, const struct cuda_fill *what)
{
    size_t bytes = what->width * what->element_bytes;
    if (bytes == 0)
        return CUDA_OK;
    void *there = to ? memory_bytes(to, bytes, "fills") : NULL;
    if (!there)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!is_shown(to) && on_host(to)) {
        report_host(REPORT_ERROR, "wrong direction", NULL, "%s gets %p, which is memory of the host.",
                    exec_function(), to);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    if (what->element_bytes == 1)
        memset(there, (int)what->value, bytes);
    else
        fill_elements(there, what);
    memory_wrote(to, bytes);
    return CUDA_OK;
}

bool copy_fill_fits(const struct cuda_fill *what)
{
    const size_t row = what->width * what->element_bytes, bytes = what->element_bytes;
    if ((bytes != 1 && bytes != 2 && bytes != 4) || !what->width || !what->height ||
        (uintptr_t)what->to % bytes || (what->height > 1 && (what->pitch < row || what->pitch % bytes)))
        return false;
    return (memory_block(what->to, true) || is_shown(what->to) || !on_host(what->to)) &&
           memory_bytes(what->to, (what->height - 1) * what->pitch + row, "fills");
}

cuda_error copy_fill(const struct cuda_fill *what)
{
    cuda_error code = what->height > 1 && what->pitch < what->width * what->element_bytes
                          ? exec_answer(CUDA_INVALID_VALUE)
                          : CUDA_OK;
    for (size_t i = 0; i < what->height && !code; i++)
        code = fill((char *)what->to + i * what->pitch, what);
    return code;
}

static cuda_error fill_in(const struct exec_stream *stream, const struct cuda_fill *what)
{
    const cuda_error code = stream_takes(stream);
    if (code)
        return code;
    if (graph_takes(stream))
        return graph_fill(stream, what);
    return exec_ready() ? exec.sticky : copy_fill(what);
}

static bool end_fits(const struct cuda_pitched *at, const struct cuda_position *from,
                     const struct cuda_extent *extent, const char *does)
{
    const size_t rows = (from->z + extent->depth - 1) * at->height + from->y + extent->height - 1;
    return at->pointer && memory_bytes(at->pointer, rows * at->pitch + from->x + extent->width, does);
}

bool copy_box_fits(const struct cuda_copy_3d *what)
{
    const struct cuda_extent *extent = &what->extent;
    return extent->width && extent->height && extent->depth &&
           (what->from_array || end_fits(&what->from, &what->from_position, extent, "reads from")) &&
           (what->to_array || end_fits(&what->to, &what->to_position, extent, "writes to"));
}

static bool side_of(const struct cuda_pitched *at, const void *array)
{
    return !array && on_host(at->pointer);
}

bool copy_is_alike(const struct cuda_copy_3d *one, const struct cuda_copy_3d *other)
{
    return side_of(&one->to, one->to_array) == side_of(&other->to, other->to_array) &&
           side_of(&one->from, one->from_array) == side_of(&other->from, other->from_array);
}

// ---- one line, rows, boxes ---------------------------------------------------------------------------------------------------

static cuda_error copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
                            size_t height, int kind)
{
    if (height > 1 && (width > to_pitch || width > from_pitch))
        return exec_answer(CUDA_INVALID_PITCH);
    for (size_t i = 0; i < height; i++) {
        cuda_error code = copy(to + i * to_pitch, from + i * from_pitch, width, kind);
        if (code)
            return code;
    }
    return CUDA_OK;
}

cuda_error copy_box(const struct cuda_copy_3d *what)
{
    if (!what)
        return exec_answer(CUDA_INVALID_VALUE);
    if ((what->from_array && what->from.pointer) || (what->to_array && what->to.pointer))
        return exec_answer(CUDA_INVALID_VALUE); // an end is an array or memory, not both
    if (what->from_array || what->to_array) {
        struct cuda_copy_3d there = *what;
        return array_as_memory(&there) ? copy_box(&there) : exec_answer(CUDA_INVALID_VALUE);
    }
    const struct cuda_pitched *to = &what->to, *from = &what->from;
    if (what->extent.depth > 1 && (to->height < what->extent.height || from->height < what->extent.height))
        return exec_answer(CUDA_INVALID_PITCH);
    for (size_t z = 0; z < what->extent.depth; z++) {
        const struct cuda_position *t = &what->to_position, *f = &what->from_position;
        char *there = (char *)to->pointer + ((z + t->z) * to->height + t->y) * to->pitch + t->x;
        const char *here =
            (const char *)from->pointer + ((z + f->z) * from->height + f->y) * from->pitch + f->x;
        cuda_error code = copy_rows(there, to->pitch, here, from->pitch, what->extent.width,
                                    what->extent.height, what->kind);
        if (code)
            return code;
    }
    return CUDA_OK;
}

static struct cuda_copy_3d rows_of(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                   size_t width, size_t height, int kind)
{
    return (struct cuda_copy_3d){ .from = { (void *)from, from_pitch, width, height },
                                  .to = { to, to_pitch, width, height },
                                  .extent = { width, height, 1 },
                                  .kind = kind };
}

struct cuda_copy_3d copy_line(void *to, const void *from, size_t bytes, int kind)
{
    return rows_of(to, bytes, from, bytes, bytes, 1, kind);
}

cuda_error copy_now(const struct cuda_copy_3d *what)
{
    cuda_error code = graph_forbids(NULL, false);
    return code ? code : exec_wait() ? exec.sticky : copy_box(what);
}

cuda_error copy_in_order(const struct exec_stream *stream, const struct cuda_copy_3d *what)
{
    const cuda_error code = stream_takes(stream);
    if (code)
        return code;
    if (what && graph_takes(stream))
        return graph_copy(stream, what);
    return exec_ready() ? exec.sticky : copy_box(what);
}

API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return copy_now(&what);
}
API_ALSO(cudaMemcpy_ptds, cudaMemcpy);

API(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, const struct exec_stream *stream)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return copy_in_order(stream, &what);
}
API_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    ENTER();
    if (to_device || from_device)
        return exec_answer(CUDA_INVALID_DEVICE);
    return cudaMemcpy(to, from, bytes, BY_POINTERS);
}

API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
    const struct exec_stream *stream)
{
    ENTER();
    if (to_device || from_device)
        return exec_answer(CUDA_INVALID_DEVICE);
    return cudaMemcpyAsync(to, from, bytes, BY_POINTERS, stream);
}

// A single row needs a pitch, too; of more rows a wrong one has an error of its own.
static bool row_fits(const struct cuda_copy_3d *what)
{
    return what->extent.height != 1 ||
           (what->extent.width <= what->to.pitch && what->extent.width <= what->from.pitch);
}

API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    int kind)
{
    ENTER();
    const struct cuda_copy_3d what = rows_of(to, to_pitch, from, from_pitch, width, height, kind);
    return row_fits(&what) ? copy_now(&what) : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, const struct exec_stream *stream)
{
    ENTER();
    const struct cuda_copy_3d what = rows_of(to, to_pitch, from, from_pitch, width, height, kind);
    return row_fits(&what) ? copy_in_order(stream, &what) : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

API(cudaMemcpy3D, const struct cuda_copy_3d *what)
{
    ENTER();
    return copy_now(what);
}
API_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

API(cudaMemcpy3DAsync, const struct cuda_copy_3d *what, const struct exec_stream *stream)
{
    ENTER();
    return copy_in_order(stream, what);
}
API_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

// ---- fills ---------------------------------------------------------------------------------------------------------------

API(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
    const struct exec_stream *stream)
{
    ENTER();
    return fill_in(stream, &(struct cuda_fill){ to, pitch, (unsigned)value, 1, width, height });
}
API_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

API(cudaMemset2D, void *to, size_t pitch, int value, size_t width, size_t height)
{
    ENTER();
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}
API_ALSO(cudaMemset2D_ptds, cudaMemset2D);

API(cudaMemsetAsync, void *to, int value, size_t bytes, const struct exec_stream *stream)
{
    ENTER();
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}
API_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

API(cudaMemset, void *to, int value, size_t bytes)
{
    ENTER();
    return cudaMemsetAsync(to, value, bytes, NULL);
}
API_ALSO(cudaMemset_ptds, cudaMemset);

API(cudaMemset3DAsync, struct cuda_pitched to, int value, struct cuda_extent extent,
    const struct exec_stream *stream)
{
    ENTER();
    cuda_error code = exec_ready();
    for (size_t z = 0; z < extent.depth && !code; z++)
        code = cudaMemset2DAsync((char *)to.pointer + z * to.pitch * to.height, to.pitch, value, extent.width,
                                 extent.height, stream);
    return code;
}
API_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

API(cudaMemset3D, struct cuda_pitched to, int value, struct cuda_extent extent)
{
    ENTER();
    return cudaMemset3DAsync(to, value, extent, NULL);
}
API_ALSO(cudaMemset3D_ptds, cudaMemset3D);

// ---- copies of boxes between devices, and of many pieces ------------------------------------------------------------------------

struct cuda_peer_copy {
    void *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    int from_device;
    void *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    int to_device;
    struct cuda_extent extent;
};

API(cudaMemcpy3DPeerAsync, const struct cuda_peer_copy *what, const struct exec_stream *stream)
{
    ENTER();
    if (!what || what->from_device || what->to_device)
        return exec_answer(what ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    const struct cuda_copy_3d copy = { what->from_array, what->from_position, what->from,
                                       what->to_array,   what->to_position,   what->to,
                                       what->extent,     BY_POINTERS };
    return copy_in_order(stream, &copy);
}
API_ALSO(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

API(cudaMemcpy3DPeer, const struct cuda_peer_copy *what)
{
    ENTER();
    return cudaMemcpy3DPeerAsync(what, NULL);
}
API_ALSO(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

// Their attributes are hints. In CUDA 12, which piece failed is told before the stream.
API(cudaMemcpyBatchAsync, void *const *to, const void *const *from, const size_t *sizes, size_t count,
    const void *attributes, const size_t *first, size_t attribute_count, void *stream_or_failed,
    const struct exec_stream *stream)
{
    ENTER();
    size_t *failed = exec_major > 12 ? NULL : stream_or_failed;
    cuda_error code = to && from && sizes && count ? CUDA_OK : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !code; i++) {
        const struct cuda_copy_3d copy = copy_line(to[i], from[i], sizes[i], BY_POINTERS);
        code = copy_in_order(exec_major > 12 ? stream_or_failed : stream, &copy);
        if (code && failed)
            *failed = i;
    }
    return code ? exec_answer(code) : exec_ready();
}
API_ALSO(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);

// ---- variables -----------------------------------------------------------------------------------------------------------

// 0, or the error with which a copy to a variable, or from one, does not begin.
static cuda_error symbol_forbids(int kind, bool to_symbol)
{
    return copy_kind_fits(kind, to_symbol, !to_symbol) ? graph_forbids(NULL, false)
                                                       : exec_answer(CUDA_INVALID_DIRECTION);
}

// The host's bytes of a part of a variable; NULL: reported, and `code` says what the program gets.
static char *part_of(const void *symbol, size_t offset, size_t bytes, cuda_error *code)
{
    struct sim_module_variable v;
    *code = CUDA_INVALID_SYMBOL;
    if (!module_symbol(symbol, &v)) {
        report_host(REPORT_ERROR, "unknown variable", NULL,
                    "%s gets no __device__ or __constant__ variable of the program.", exec_function());
        return NULL;
    }
    if (offset <= v.bytes && bytes <= v.bytes - offset)
        return (char *)v.at + offset;
    *code = CUDA_INVALID_VALUE;
    report_host(REPORT_ERROR, "out of bounds", NULL,
                "%s asks for %zu bytes at byte %zu of a variable that has %zu bytes.", exec_function(), bytes,
                offset, v.bytes);
    return NULL;
}

// Its address for kernels and copies.
static void *address_of(const void *symbol, size_t offset)
{
    char *start = module_symbol_pointer(symbol);
    return start ? start + offset : NULL;
}

cuda_error copy_to_symbol(struct cuda_copy_3d *out, const void *symbol, size_t offset, const void *from,
                          size_t bytes)
{
    cuda_error code;
    if (!part_of(symbol, offset, bytes, &code))
        return code;
    *out = copy_line(address_of(symbol, offset), from, bytes, BY_POINTERS);
    return CUDA_OK;
}

cuda_error copy_from_symbol(struct cuda_copy_3d *out, void *to, const void *symbol, size_t offset,
                            size_t bytes)
{
    cuda_error code;
    if (!part_of(symbol, offset, bytes, &code))
        return code;
    *out = copy_line(to, address_of(symbol, offset), bytes, BY_POINTERS);
    return CUDA_OK;
}

API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    ENTER();
    cuda_error code = symbol_forbids(kind, true);
    if (code)
        return code;
    char *there = part_of(symbol, offset, bytes, &code);
    const void *here = there ? memory_bytes(from, bytes, "reads from") : NULL;
    if (!there || !here)
        return exec_answer(there ? CUDA_INVALID_VALUE : code);
    memmove(there, here, bytes);
    return exec_wait();
}
API_ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
    const struct exec_stream *stream)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = stream_takes(stream);
    if (code || !graph_takes(stream))
        return code ? code : cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
    code = copy_to_symbol(&what, symbol, offset, from, bytes);
    return code ? exec_answer(code) : graph_copy(stream, &what);
}
API_ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

API(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    ENTER();
    cuda_error code = symbol_forbids(kind, false);
    if (code)
        return code;
    const char *here = part_of(symbol, offset, bytes, &code);
    void *there = here ? memory_bytes(to, bytes, "writes to") : NULL;
    if (!there || !here)
        return exec_answer(here ? CUDA_INVALID_VALUE : code);
    memmove(there, here, bytes);
    memory_wrote(to, bytes);
    return exec_wait();
}
API_ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

API(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes, size_t offset, int kind,
    const struct exec_stream *stream)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = stream_takes(stream);
    if (code || !graph_takes(stream))
        return code ? code : cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
    code = copy_from_symbol(&what, to, symbol, offset, bytes);
    return code ? exec_answer(code) : graph_copy(stream, &what);
}
API_ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

API(cudaGetSymbolAddress, void **out, const void *symbol)
{
    ENTER();
    void *pointer = module_symbol_pointer(symbol);
    if (!out || !pointer)
        return exec_answer(CUDA_INVALID_SYMBOL);
    *out = pointer;
    return CUDA_OK;
}

API(cudaGetSymbolSize, size_t *out, const void *symbol)
{
    ENTER();
    struct sim_module_variable v;
    if (!out || !module_symbol(symbol, &v))
        return exec_answer(CUDA_INVALID_SYMBOL);
    *out = v.bytes;
    return CUDA_OK;
}
