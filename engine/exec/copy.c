// Copies and fills. All of them are done when they are asked for; what a kernel printed before is shown first where the
// program would wait.
#include "engine/exec/exec.h"

#include <string.h>

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_POINTERS };

static bool on_host(const void *pointer)
{
    const struct exec_block *b = memory_block(pointer, false);
    return b ? b->kind != MEMORY_DEVICE : ((uintptr_t)pointer >> 47) == 0;
}

// Whether the pointers are where the direction says; it is reported if not.
static bool direction_fits(const void *to, const void *from, int kind)
{
    const char *wrong = NULL;
    bool known_to = memory_block(to, false) != NULL, known_from = memory_block(from, false) != NULL;
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
    if (wrong)
        report_host(REPORT_ERROR, "wrong direction", NULL, "%s has the direction %s, but %s.",
                    exec_function(), names[kind], wrong);
    return !wrong;
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
    if (exec.settings.spoil && on_host(to) && !on_host(from))
        ((unsigned char *)there)[bytes - 1] ^= 0x40; // of the last element's sign, exponent or high digits
    memory_wrote(to, bytes);
    return CUDA_OK;
}

static cuda_error fill(void *to, int value, size_t bytes)
{
    if (bytes == 0)
        return CUDA_OK;
    void *there = to ? memory_bytes(to, bytes, "fills") : NULL;
    if (!there)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!memory_block(to, false) && on_host(to)) {
        report_host(REPORT_ERROR, "wrong direction", NULL, "%s gets %p, which is memory of the host.",
                    exec_function(), to);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    memset(there, value, bytes);
    memory_wrote(to, bytes);
    return CUDA_OK;
}

// ---- plain ---------------------------------------------------------------------------------------------------------------

API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    ENTER();
    return exec_wait() ? exec.sticky : copy(to, from, bytes, kind);
}
API_ALSO(cudaMemcpy_ptds, cudaMemcpy);

API(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, void *stream)
{
    ENTER();
    return exec_ready() ? exec.sticky : copy(to, from, bytes, kind);
}
API_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    ENTER();
    if (to_device || from_device)
        return exec_answer(CUDA_INVALID_DEVICE);
    return exec_wait() ? exec.sticky : copy(to, from, bytes, BY_POINTERS);
}

API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
    void *stream)
{
    ENTER();
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

API(cudaMemset, void *to, int value, size_t bytes)
{
    ENTER();
    return exec_ready() ? exec.sticky : fill(to, value, bytes);
}
API_ALSO(cudaMemset_ptds, cudaMemset);

API(cudaMemsetAsync, void *to, int value, size_t bytes, void *stream)
{
    ENTER();
    return exec_ready() ? exec.sticky : fill(to, value, bytes);
}
API_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

// ---- rows ----------------------------------------------------------------------------------------------------------------

static cuda_error copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
                            size_t height, int kind)
{
    if (height > 1 && (width > to_pitch || width > from_pitch))
        return exec_answer(12); // an invalid pitch
    for (size_t i = 0; i < height; i++) {
        cuda_error code = copy(to + i * to_pitch, from + i * from_pitch, width, kind);
        if (code)
            return code;
    }
    return CUDA_OK;
}

API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    int kind)
{
    ENTER();
    return exec_wait() ? exec.sticky : copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
API_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream)
{
    ENTER();
    return exec_ready() ? exec.sticky : copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
API_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

static cuda_error copy_3d(const struct cuda_copy_3d *what)
{
    if (!what)
        return exec_answer(CUDA_INVALID_VALUE);
    if (what->from_array || what->to_array) {
        report_missing("copies of CUDA arrays", "Use linear memory, as cudaMalloc3D gives it.");
        return exec_answer(CUDA_NOT_SUPPORTED);
    }
    const struct cuda_pitched *to = &what->to, *from = &what->from;
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

API(cudaMemcpy3D, const struct cuda_copy_3d *what)
{
    ENTER();
    return exec_wait() ? exec.sticky : copy_3d(what);
}
API_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

API(cudaMemcpy3DAsync, const struct cuda_copy_3d *what, void *stream)
{
    ENTER();
    return exec_ready() ? exec.sticky : copy_3d(what);
}
API_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

static cuda_error fill_rows(char *to, size_t pitch, int value, size_t width, size_t height)
{
    for (size_t i = 0; i < height; i++) {
        cuda_error code = fill(to + i * pitch, value, width);
        if (code)
            return code;
    }
    return CUDA_OK;
}

API(cudaMemset2D, void *to, size_t pitch, int value, size_t width, size_t height)
{
    ENTER();
    return exec_ready() ? exec.sticky : fill_rows(to, pitch, value, width, height);
}
API_ALSO(cudaMemset2D_ptds, cudaMemset2D);

API(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
    ENTER();
    return cudaMemset2D(to, pitch, value, width, height);
}
API_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

API(cudaMemset3D, struct cuda_pitched to, int value, struct cuda_extent extent)
{
    ENTER();
    for (size_t z = 0; z < extent.depth; z++) {
        cuda_error code = fill_rows((char *)to.pointer + z * to.pitch * to.height, to.pitch, value,
                                    extent.width, extent.height);
        if (code)
            return code;
    }
    return exec_ready();
}

API(cudaMemset3DAsync, struct cuda_pitched to, int value, struct cuda_extent extent, void *stream)
{
    ENTER();
    return cudaMemset3D(to, value, extent);
}

API_ALSO(cudaMemset3D_ptds, cudaMemset3D);
API_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

// ---- variables -----------------------------------------------------------------------------------------------------------

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

API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    ENTER();
    cuda_error code;
    char *there = part_of(symbol, offset, bytes, &code);
    const void *here = there ? memory_bytes(from, bytes, "reads from") : NULL;
    if (!there || !here)
        return exec_answer(there ? CUDA_INVALID_VALUE : code);
    memmove(there, here, bytes);
    return exec_wait();
}
API_ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
    void *stream)
{
    ENTER();
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
API_ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

API(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    ENTER();
    cuda_error code;
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
    void *stream)
{
    ENTER();
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
API_ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

API(cudaGetSymbolAddress, void **out, const void *symbol)
{
    ENTER();
    struct sim_module_variable v;
    if (!out || !module_symbol(symbol, &v))
        return exec_answer(CUDA_INVALID_SYMBOL);
    *out = (void *)(uintptr_t)v.address; // NOLINT(performance-no-int-to-ptr)
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
