// What a program says about managed memory: where it should lie, and where it fetched it to. Nothing of it changes a result
// or a figure here; it is noted for those who ask.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum { INVALID_DEVICE = -2, CPU = -1 };
enum { PLACE_NONE, PLACE_DEVICE, PLACE_HOST }; // as cudaMemLocationType
enum advice { READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED };
static struct memory_advice { // the newest one first
    struct memory_advice *next;
    uintptr_t from, end;
    enum advice advice;
    struct cuda_location where; // PLACE_NONE: it was taken back
} * said;

// Managed memory of these bytes; what it is not is reported.
static cuda_error check(const void *pointer, size_t bytes, const struct cuda_location *where)
{
    const struct exec_block *b = memory_block(pointer, false);
    const size_t left = module_managed_left(pointer);
    if (where->type == PLACE_DEVICE && where->id != 0)
        return CUDA_INVALID_DEVICE;
    if (!bytes || (!b && !left))
        return CUDA_INVALID_VALUE;
    if (b && b->kind == MEMORY_DEVICE) {
        report_host(REPORT_ERROR, "not managed", NULL,
                    "%s gets %s, which is not managed memory: it stays on the device. Take it by "
                    "cudaMallocManaged, or "
                    "leave the call out (made by %s).",
                    exec_function(), b->name, b->made);
        return CUDA_INVALID_VALUE;
    }
    const size_t most = b ? b->bytes - (size_t)((uintptr_t)pointer - b->address) : left;
    if (bytes <= most)
        return CUDA_OK;
    report_host(REPORT_ERROR, "out of bounds", NULL, "%s gets %zu bytes of %s, which has %zu from there on.",
                exec_function(), bytes, b ? b->name : "a variable", most);
    return CUDA_INVALID_VALUE;
}

static cuda_error note(const void *pointer, size_t bytes, enum advice advice, struct cuda_location where)
{
    struct memory_advice *new = malloc(sizeof *new);
    if (!new)
        return exec_answer(CUDA_NO_MEMORY);
    const uintptr_t from = (uintptr_t)pointer;
    *new = (struct memory_advice){ NULL, from, from + bytes, advice, where };
    for (struct memory_advice **at = &said; *at;) { // what nobody can ask for any more
        struct memory_advice *old = *at;
        if (old->advice == advice && old->from >= from && old->end <= from + bytes) {
            *at = old->next;
            free(old);
        } else
            at = &old->next;
    }
    new->next = said;
    said = new;
    return exec_ready();
}

static struct cuda_location of_number(int number)
{
    return number == CPU ? (struct cuda_location){ PLACE_HOST, 0 }
                         : (struct cuda_location){ PLACE_DEVICE, number };
}

static cuda_error prefetch(const void *pointer, size_t bytes, struct cuda_location where,
                           const struct exec_stream *stream)
{
    cuda_error code = stream_takes(stream);
    if (code)
        return code;
    code = check(pointer, bytes, &where);
    return code ? exec_answer(code) : note(pointer, bytes, PREFETCHED, where);
}

// cudaMemoryAdvise is one of three subjects, set and then unset.
static cuda_error advise(const void *pointer, size_t bytes, int advice, struct cuda_location where)
{
    enum { ADVICE_LAST = 6 };
    const bool sets = advice % 2, reads = (advice - 1) / 2 == READ_MOSTLY;
    if (advice < 1 || advice > ADVICE_LAST)
        return exec_answer(CUDA_INVALID_VALUE);
    if (reads)
        where = (struct cuda_location){ PLACE_DEVICE, 0 }; // which is ignored
    cuda_error code = check(pointer, bytes, &where);
    return code ? exec_answer(code)
                : note(pointer, bytes, (enum advice)((advice - 1) / 2),
                       sets ? where : (struct cuda_location){ PLACE_NONE, 0 });
}

// Since CUDA 13, and in the second versions before, a place is a structure.
API(cudaMemPrefetchAsync_v2, const void *pointer, size_t bytes, struct cuda_location where, unsigned flags,
    const struct exec_stream *stream)
{
    ENTER();
    return prefetch(pointer, bytes, where, stream);
}
API_ALSO(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);

// Before, flags are not asked for.
API(cudaMemPrefetchAsync, const void *pointer, size_t bytes, struct cuda_location where,
    uintptr_t flags_or_stream, const struct exec_stream *stream)
{
    ENTER();
    return exec_major > 12
               ? prefetch(pointer, bytes, where, stream)
               : prefetch(pointer, bytes, of_number(where.type),
                          (const struct exec_stream *)flags_or_stream); // NOLINT(performance-no-int-to-ptr)
}
API_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

API(cudaMemAdvise_v2, const void *pointer, size_t bytes, int advice, struct cuda_location where)
{
    ENTER();
    return advise(pointer, bytes, advice, where);
}

API(cudaMemAdvise, const void *pointer, size_t bytes, int advice, struct cuda_location where)
{
    ENTER();
    return advise(pointer, bytes, advice, exec_major > 12 ? where : of_number(where.type));
}

// ---- questions -------------------------------------------------------------------------------------------------------------

// PLACE_NONE: not the same for all of the bytes.
static struct cuda_location what_was_said(enum advice advice, uintptr_t from, uintptr_t end)
{
    for (const struct memory_advice *s = said; s; s = s->next)
        if (s->advice == advice && s->from < end && from < s->end)
            return s->from <= from && end <= s->end ? s->where : (struct cuda_location){ PLACE_NONE, 0 };
    return (struct cuda_location){ PLACE_NONE, 0 };
}

static int as_number(struct cuda_location where)
{
    return where.type == PLACE_NONE ? INVALID_DEVICE : where.type == PLACE_DEVICE ? where.id : CPU;
}

static bool tell(int *out, size_t size, int attribute, const void *pointer, size_t bytes)
{
    const uintptr_t from = (uintptr_t)pointer, end = from + bytes;
    const struct cuda_location preferred = what_was_said(PREFERRED, from, end),
                               fetched = what_was_said(PREFETCHED, from, end),
                               accessed = what_was_said(ACCESSED_BY, from, end);
    const int answers[] = { 0,
                            what_was_said(READ_MOSTLY, from, end).type != PLACE_NONE,
                            as_number(preferred),
                            as_number(accessed),
                            as_number(fetched),
                            preferred.type,
                            preferred.id,
                            fetched.type,
                            fetched.id };
    enum { ASKS_ACCESSED_BY = 3, ATTRIBUTES = sizeof answers / sizeof *answers };
    if (!out || attribute < 1 || attribute >= ATTRIBUTES || !size || size % sizeof *out ||
        (attribute != ASKS_ACCESSED_BY && size != sizeof *out))
        return false;
    out[0] = answers[attribute];
    for (size_t i = 1; i < size / sizeof *out; i++)
        out[i] = INVALID_DEVICE;
    return true;
}

API(cudaMemRangeGetAttributes, void **data, const size_t *sizes, const int *which, size_t count,
    const void *pointer, size_t bytes)
{
    ENTER();
    const struct cuda_location anywhere = { PLACE_DEVICE, 0 };
    cuda_error code = data && sizes && which && count ? check(pointer, bytes, &anywhere) : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !code; i++)
        if (!tell(data[i], sizes[i], which[i], pointer, bytes))
            code = CUDA_INVALID_VALUE;
    return code ? exec_answer(code) : exec_ready();
}

API(cudaMemRangeGetAttribute, void *data, size_t size, int which, const void *pointer, size_t bytes)
{
    ENTER();
    return cudaMemRangeGetAttributes(&data, &size, &which, 1, pointer, bytes);
}
