// Device memory, and the way in and out of it. Copies go through page-locked staging memory in pieces: the
// GPU copies one piece while the host fills or looks at another, and the times come from events around
// each piece, so that they hold the copying alone. Without page-locked memory the driver copies by itself.
#include "engine/gpu/driver.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_LIMIT_MS = 30000 }; // a piece takes milliseconds: past this the GPU is stuck

bool gpu_alloc(struct gpu *gpu, size_t bytes, gpu_address *out, struct error *error)
{
    *out = 0;
    if (!gpu_usable(gpu, error))
        return false;
    cu_address address = 0;
    int code = gpu->driver->cuMemAlloc_v2(&address, bytes > 0 ? bytes : 1);
    if (code == 0) {
        *out = address;
        return true;
    }
    double left = gpu_free_bytes(gpu), mib = 1 << 20;
    char doing[128];
    if (code == CU_OUT_OF_MEMORY && left >= 0)
        format_into(doing, sizeof doing, "Allocating %.1f MiB on the GPU, where %.1f MiB are free,",
                    (double)bytes / mib, left / mib);
    else
        format_into(doing, sizeof doing, "Allocating %.1f MiB on the GPU", (double)bytes / mib);
    return gpu_fault(gpu, code, "cuMemAlloc_v2", doing, error);
}

void gpu_free(struct gpu *gpu, gpu_address address)
{
    if (address != 0 && !gpu->lost)
        (void)gpu->driver->cuMemFree_v2(address); // an earlier fault shows here again; it was reported then
}

bool gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, size_t bytes, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    return bytes == 0 ||
           GPU_CALL(gpu, cuMemcpyDtoDAsync_v2, (to, from, bytes, NULL), "Copying a buffer on the GPU", error);
}

bool gpu_fill(struct gpu *gpu, gpu_address to, unsigned char byte, size_t bytes, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    return bytes == 0 ||
           GPU_CALL(gpu, cuMemsetD8Async, (to, byte, bytes, NULL), "Filling a buffer on the GPU", error);
}

// ---- staging memory -------------------------------------------------------------------------------

void staging_free(struct gpu *gpu)
{
    const struct driver *driver = gpu->driver;
    for (int i = 0; i < PIECE_COUNT; i++) {
        struct staging_piece *piece = &gpu->pieces[i];
        if (piece->begin)
            (void)driver->cuEventDestroy_v2(piece->begin);
        if (piece->end)
            (void)driver->cuEventDestroy_v2(piece->end);
        if (piece->bytes)
            (void)driver->cuMemFreeHost(piece->bytes);
        memset(piece, 0, sizeof *piece);
    }
    gpu->staging = STAGING_UNTRIED;
}

static bool piece_make(const struct driver *driver, struct staging_piece *piece)
{
    if (driver->cuMemAllocHost_v2(&piece->bytes, PIECE_BYTES) != 0)
        piece->bytes = NULL;
    else if (driver->cuEventCreate(&piece->begin, 0) != 0)
        piece->begin = NULL;
    else if (driver->cuEventCreate(&piece->end, 0) != 0)
        piece->end = NULL;
    return piece->bytes && piece->begin && piece->end;
}

// Page-locked memory can be scarce (containers limit it). Refused once, it is not asked for again.
static bool staging_ready(struct gpu *gpu)
{
    if (gpu->staging == STAGING_UNTRIED) {
        bool made = true;
        for (int i = 0; made && i < PIECE_COUNT; i++)
            made = piece_make(gpu->driver, &gpu->pieces[i]);
        if (!made)
            staging_free(gpu);
        gpu->staging = made ? STAGING_READY : STAGING_REFUSED;
    }
    return gpu->staging == STAGING_READY;
}

// One core copies some 10 GB/s, the bus carries five times that: so all cores copy.
static void copy_wide(void *to, const void *from, size_t bytes)
{
    const size_t slice = 256 << 10;
    long slices = (long)((bytes + slice - 1) / slice);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (slices > 4)
#endif
    for (long i = 0; i < slices; i++) {
        size_t at = (size_t)i * slice;
        memcpy((char *)to + at, (const char *)from + at, bytes - at < slice ? bytes - at : slice);
    }
}

// ---- copying through pieces -----------------------------------------------------------------------

// One copy between a buffer and the host, of either direction, in pieces that are numbered from 0.
struct transfer {
    struct gpu *gpu;
    const char *doing;
    gpu_address address;
    size_t bytes, pieces;
    const void *from; // an upload's source; NULL: a download
    double ms;
};

static size_t piece_length(const struct transfer *transfer, size_t index)
{
    size_t left = transfer->bytes - index * PIECE_BYTES;
    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static bool piece_queue(struct transfer *transfer, size_t index, struct error *error)
{
    struct gpu *gpu = transfer->gpu;
    struct staging_piece *piece = &gpu->pieces[index % PIECE_COUNT];
    const char *doing = transfer->doing;
    size_t offset = index * PIECE_BYTES, length = piece_length(transfer, index);
    if (transfer->from)
        copy_wide(piece->bytes, (const char *)transfer->from + offset, length);
    gpu_address at = transfer->address + offset;
    if (!GPU_CALL(gpu, cuEventRecord, (piece->begin, NULL), doing, error))
        return false;
    bool queued = transfer->from
                      ? GPU_CALL(gpu, cuMemcpyHtoDAsync_v2, (at, piece->bytes, length, NULL), doing, error)
                      : GPU_CALL(gpu, cuMemcpyDtoHAsync_v2, (piece->bytes, at, length, NULL), doing, error);
    return queued && GPU_CALL(gpu, cuEventRecord, (piece->end, NULL), doing, error);
}

static bool piece_finish(struct transfer *transfer, size_t index, struct error *error)
{
    struct gpu *gpu = transfer->gpu;
    struct staging_piece *piece = &gpu->pieces[index % PIECE_COUNT];
    float ms = 0;
    bool finished =
        gpu_await(gpu, piece->end, COPY_LIMIT_MS, transfer->doing, error) &&
        GPU_CALL(gpu, cuEventElapsedTime, (&ms, piece->begin, piece->end), transfer->doing, error);
    transfer->ms += (double)ms;
    return finished;
}

static bool upload_pieces(struct transfer *transfer, struct error *error)
{
    for (size_t i = 0; i < transfer->pieces + PIECE_COUNT; i++) {
        bool reused = i >= PIECE_COUNT && i - PIECE_COUNT < transfer->pieces;
        if (reused && !piece_finish(transfer, i - PIECE_COUNT, error))
            return false;
        if (i < transfer->pieces && !piece_queue(transfer, i, error))
            return false;
    }
    return true;
}

static bool download_pieces(struct transfer *transfer, gpu_look look, void *context, struct error *error)
{
    size_t queued = 0;
    for (size_t i = 0; i < transfer->pieces; i++) {
        for (; queued < transfer->pieces && queued < i + PIECE_COUNT; queued++)
            if (!piece_queue(transfer, queued, error))
                return false;
        if (!piece_finish(transfer, i, error))
            return false;
        look(context, transfer->gpu->pieces[i % PIECE_COUNT].bytes, i * PIECE_BYTES,
             piece_length(transfer, i));
    }
    return true;
}

// ---- copying without page-locked memory -----------------------------------------------------------

// Queued work must be over first, so that the host's clock sees the copying alone.
static bool idle(struct transfer *transfer, struct error *error)
{
    struct gpu *gpu = transfer->gpu;
    return GPU_CALL(gpu, cuEventRecord, (gpu->end, NULL), transfer->doing, error) &&
           gpu_await(gpu, gpu->end, COPY_LIMIT_MS, transfer->doing, error);
}

static bool upload_plain(struct transfer *transfer, struct error *error)
{
    if (!idle(transfer, error))
        return false;
    double start = clock_ms();
    bool copied = GPU_CALL(transfer->gpu, cuMemcpyHtoD_v2,
                           (transfer->address, transfer->from, transfer->bytes), transfer->doing, error);
    transfer->ms = clock_ms() - start;
    return copied;
}

static bool download_plain(struct transfer *transfer, gpu_look look, void *context, struct error *error)
{
    if (!idle(transfer, error))
        return false;
    size_t room = piece_length(transfer, 0);
    void *bytes = malloc(room);
    if (!bytes)
        return error_set(error, EXIT_MISSING,
                         "%s failed: less than %zu bytes of memory are left on the host.", transfer->doing,
                         room);
    bool copied = true;
    for (size_t i = 0; copied && i < transfer->pieces; i++) {
        size_t offset = i * PIECE_BYTES, length = piece_length(transfer, i);
        double start = clock_ms();
        copied = GPU_CALL(transfer->gpu, cuMemcpyDtoH_v2, (bytes, transfer->address + offset, length),
                          transfer->doing, error);
        transfer->ms += clock_ms() - start;
        if (copied)
            look(context, bytes, offset, length);
    }
    free(bytes);
    return copied;
}

// ---- copies ---------------------------------------------------------------------------------------

static struct transfer transfer_of(struct gpu *gpu, const char *doing, gpu_address address, size_t bytes)
{
    return (struct transfer){ .gpu = gpu,
                              .doing = doing,
                              .address = address,
                              .bytes = bytes,
                              .pieces = bytes / PIECE_BYTES + (bytes % PIECE_BYTES != 0) };
}

bool gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes, double *ms,
                struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    struct transfer transfer = transfer_of(gpu, "Copying to the GPU", to, bytes);
    transfer.from = from;
    bool right = bytes == 0 || (staging_ready(gpu) ? upload_pieces : upload_plain)(&transfer, error);
    if (ms)
        *ms = transfer.ms;
    return right;
}

bool gpu_download_each(struct gpu *gpu, gpu_address from, size_t bytes, gpu_look look, void *context,
                       double *ms, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    struct transfer transfer = transfer_of(gpu, "Copying from the GPU", from, bytes);
    bool right = bytes == 0 ||
                 (staging_ready(gpu) ? download_pieces : download_plain)(&transfer, look, context, error);
    if (ms)
        *ms = transfer.ms;
    return right;
}
