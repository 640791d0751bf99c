// Streams and events. Everything is done when it is asked for, in the order of the calls, which is one of the orders that
// streams allow; an event's time is the machine's clock.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// As cudaStreamNonBlocking; as cudaEventRecordExternal and cudaEventWaitExternal.
enum { STREAM_NON_BLOCKING = 1, EXTERNAL = 1 };
enum { ATTRIBUTES = 16, ATTRIBUTE_BYTES = 64, ATTRIBUTE_PRIORITY = 8 };
// Streams and events stay known after they were destroyed, so that their use is told.
struct exec_handle {
    struct exec_handle *next;
    const char *kind; // "stream"
    char gone[200];   // where it was destroyed; "": it is there
};
struct exec_stream {
    struct exec_handle handle;
    unsigned char (*attributes)[ATTRIBUTE_BYTES]; // NULL: those of the default stream
    unsigned flags;
    int priority;
    uint64_t number;
    struct exec_point capture;
};
static _Thread_local struct exec_stream of_thread;

struct exec_event {
    struct exec_handle handle;
    bool recorded, untimed;
    double ms;
    uint64_t launches, copies; // before it
    struct exec_point capture; // it was recorded in
};

// ---- handles -----------------------------------------------------------------------------------------------------------

enum { HANDLES = 1024 };
static struct exec_handle *handles[HANDLES]; // by their addresses
static const char of_stream[] = "stream", of_event[] = "event";

static struct exec_handle **bucket(const void *handle)
{
    return &handles[(uintptr_t)handle / 32 % HANDLES];
}

static void enter(struct exec_handle *handle, const char *kind)
{
    struct exec_handle **at = bucket(handle);
    handle->kind = kind;
    handle->next = *at;
    *at = handle;
}

// Whether there is such a stream or event; if not, that is told once for each function. CUDA leaves open what happens then:
// on an H100 with driver 580, 33 functions of 34 end the program by a segmentation fault, all but a copy of no bytes.
static bool is_there(const void *wanted, const char *kind)
{
    static const void *told;
    static const char *told_by;
    const struct exec_handle *at = *bucket(wanted);
    while (at && (at != wanted || at->kind != kind))
        at = at->next;
    if (at && !*at->gone)
        return true;
    if (told == wanted && told_by == exec_function())
        return false;
    told = wanted;
    told_by = exec_function();
    if (at)
        report_host(REPORT_ERROR, "use after free", NULL,
                    "%s gets %s %s that was destroyed by %s. Nothing is done, and it answers with an "
                    "error; with NVIDIA's runtime a program may crash there.",
                    exec_function(), kind == of_event ? "an" : "a", kind, at->gone);
    else
        report_host(REPORT_ERROR, "invalid handle", NULL,
                    "%s gets %p, which is no %s: it was not created, or is not set.", exec_function(), wanted,
                    kind);
    return false;
}

static void leave(struct exec_handle *handle)
{
    struct exec_place place;
    char where[160];
    place_of_caller(&place);
    place_write(&place, where, sizeof where);
    snprintf(handle->gone, sizeof handle->gone, "%s at %s", exec_function(), where);
}

static struct exec_stream *stream_at(const struct exec_stream *stream)
{
    return stream == STREAM_OF_THREAD                                 ? &of_thread
           : stream > STREAM_OF_THREAD && is_there(stream, of_stream) ? (struct exec_stream *)stream
                                                                      : NULL;
}

bool stream_is_there(const struct exec_stream *stream)
{
    return stream <= STREAM_OF_THREAD || is_there(stream, of_stream);
}

cuda_error stream_takes(const struct exec_stream *stream)
{
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    return stream ? CUDA_OK : graph_forbids(NULL, false);
}

struct exec_point *stream_capture(const struct exec_stream *stream)
{
    struct exec_stream *at = stream_at(stream);
    return at ? &at->capture : NULL;
}

bool stream_blocks(const struct exec_stream *stream)
{
    const struct exec_stream *at = stream_at(stream);
    return at && !(at->flags & STREAM_NON_BLOCKING);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int priority_in_range(int priority)
{
    return priority > 0 ? 0 : priority < STREAM_PRIORITY_MOST ? STREAM_PRIORITY_MOST : priority;
}

API(cudaStreamCreateWithPriority, struct exec_stream **out, unsigned flags, int priority)
{
    ENTER();
    static uint64_t made;
    if (flags & ~(unsigned)STREAM_NON_BLOCKING)
        return exec_answer(CUDA_INVALID_VALUE);
    struct exec_stream *stream = out ? calloc(1, sizeof *stream) : NULL;
    unsigned char(*attributes)[ATTRIBUTE_BYTES] = out ? calloc(ATTRIBUTES, ATTRIBUTE_BYTES) : NULL;
    if (!stream || !attributes) {
        free(stream);
        free(attributes);
        return exec_answer(out ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE);
    }
    priority = priority_in_range(priority);
    *stream = (struct exec_stream){
        .attributes = attributes, .flags = flags, .priority = priority, .number = ++made
    };
    enter(&stream->handle, of_stream);
    memcpy(stream->attributes[ATTRIBUTE_PRIORITY], &priority, sizeof priority);
    *out = stream;
    return exec_ready();
}

API(cudaStreamCreateWithFlags, struct exec_stream **out, unsigned flags)
{
    ENTER();
    return cudaStreamCreateWithPriority(out, flags, 0);
}

API(cudaStreamCreate, struct exec_stream **out)
{
    ENTER();
    return cudaStreamCreateWithPriority(out, 0, 0);
}

static void end_stream(struct exec_stream *stream)
{
    graph_capture_ends(stream);
    nodes_drop(&stream->capture.after);
    free(stream->attributes);
    stream->attributes = NULL;
    leave(&stream->handle);
}

API(cudaStreamDestroy, struct exec_stream *stream)
{
    ENTER();
    if (stream <= STREAM_OF_THREAD || !is_there(stream, of_stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    end_stream(stream);
    return exec_ready();
}

API(cudaStreamGetFlags, const struct exec_stream *stream, unsigned *out)
{
    ENTER();
    if (!out || !stream_is_there(stream))
        return exec_answer(out ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    const struct exec_stream *at = stream_at(stream);
    *out = at ? at->flags : 0;
    return CUDA_OK;
}
API_ALSO(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

API(cudaStreamGetPriority, const struct exec_stream *stream, int *out)
{
    ENTER();
    if (!out || !stream_is_there(stream))
        return exec_answer(out ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    const struct exec_stream *at = stream_at(stream);
    *out = at ? at->priority : 0;
    return CUDA_OK;
}
API_ALSO(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

API(cudaStreamGetId, const struct exec_stream *stream, unsigned long long *out)
{
    ENTER();
    if (!out || !stream_is_there(stream))
        return exec_answer(out ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    const struct exec_stream *at = stream_at(stream);
    *out = at ? at->number : 0;
    return CUDA_OK;
}

API(cudaDeviceSynchronize, void)
{
    ENTER();
    cuda_error code = graph_forbids(NULL, true);
    return code ? code : exec_wait();
}
API_ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);

API(cudaStreamSynchronize, struct exec_stream *stream)
{
    ENTER();
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    cuda_error code = graph_forbids(stream, true);
    return code ? code : exec_wait();
}
API_ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

API(cudaStreamQuery, struct exec_stream *stream)
{
    ENTER();
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    cuda_error code = graph_forbids(stream, true);
    return code ? code : exec_wait();
}
API_ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

API(cudaStreamWaitEvent, struct exec_stream *stream, struct exec_event *event, unsigned flags)
{
    ENTER();
    if (!event || !is_there(event, of_event) || !stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    if (flags & ~(unsigned)EXTERNAL)
        return exec_answer(CUDA_INVALID_VALUE);
    if (flags & EXTERNAL && graph_takes(stream))
        return graph_event(stream, event, false);
    return graph_joins(stream, &event->capture, event->recorded);
}
API_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

API(cudaLaunchHostFunc, struct exec_stream *stream, void (*function)(void *), void *data)
{
    ENTER();
    const cuda_error code = stream_takes(stream);
    if (code)
        return code;
    if (!function)
        return exec_answer(CUDA_INVALID_VALUE);
    if (graph_takes(stream))
        return graph_host(stream, function, data);
    if (exec_wait())
        return exec.sticky;
    function(data);
    return CUDA_OK;
}
API_ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

API(cudaStreamAddCallback, struct exec_stream *stream,
    void (*function)(struct exec_stream *, cuda_error, void *), void *data, unsigned flags)
{
    ENTER();
    cuda_error code = stream_takes(stream);
    if (!code && graph_takes(stream))
        code = graph_forbids(stream, true); // only cudaLaunchHostFunc can be captured
    if (code)
        return code;
    if (!function || flags)
        return exec_answer(CUDA_INVALID_VALUE);
    function(stream, exec_wait(), data);
    return exec.sticky;
}
API_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

// The whole of a managed piece, to all streams, to none, or to this one, which cannot be the default stream.
API(cudaStreamAttachMemAsync, struct exec_stream *stream, void *pointer, size_t bytes, unsigned flags)
{
    ENTER();
    enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
    const cuda_error code = stream_takes(stream);
    if (code)
        return code;
    const struct exec_block *b = memory_block(pointer, false);
    const size_t left = b ? (b->kind == MEMORY_MANAGED ? b->bytes : 0) : module_managed_left(pointer);
    const bool known = left && (!bytes || bytes == left);
    const bool fits = flags == ATTACH_GLOBAL || flags == ATTACH_HOST || (flags == ATTACH_SINGLE && stream);
    return known && fits ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

API_ALSO(cudaStreamGetId_ptsz, cudaStreamGetId);

API(cudaStreamGetDevice, const struct exec_stream *stream, int *out)
{
    ENTER();
    if (!out || !stream_is_there(stream))
        return exec_answer(out ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    *out = 0;
    return CUDA_OK;
}
API_ALSO(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

// ---- attributes: hints about caches and priorities, which are kept for those who ask ------------------------------------------

// NULL: there is no such attribute, or no such stream.
static unsigned char (*attribute_at(const struct exec_stream *stream, int attribute))[ATTRIBUTE_BYTES]
{
    static unsigned char of_default[ATTRIBUTES][ATTRIBUTE_BYTES];
    struct exec_stream *at = stream_at(stream);
    return attribute < 0 || attribute >= ATTRIBUTES ? NULL
           : at && at->attributes                   ? &at->attributes[attribute]
           : stream <= STREAM_OF_THREAD             ? &of_default[attribute]
                                                    : NULL;
}

API(cudaStreamSetAttribute, struct exec_stream *stream, int attribute, const void *value)
{
    ENTER();
    unsigned char(*at)[ATTRIBUTE_BYTES] = attribute_at(stream, attribute);
    if (!at || !value)
        return exec_answer(value && attribute >= 0 && attribute < ATTRIBUTES ? CUDA_INVALID_HANDLE
                                                                             : CUDA_INVALID_VALUE);
    memcpy(*at, value, ATTRIBUTE_BYTES);
    struct exec_stream *there = stream_at(stream);
    if (there && attribute == ATTRIBUTE_PRIORITY) {
        int priority;
        memcpy(&priority, value, sizeof priority);
        there->priority = priority_in_range(priority);
    }
    return exec_ready();
}
API_ALSO(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

API(cudaStreamGetAttribute, const struct exec_stream *stream, int attribute, void *value)
{
    ENTER();
    unsigned char(*at)[ATTRIBUTE_BYTES] = attribute_at(stream, attribute);
    if (!at || !value)
        return exec_answer(value && attribute >= 0 && attribute < ATTRIBUTES ? CUDA_INVALID_HANDLE
                                                                             : CUDA_INVALID_VALUE);
    memcpy(value, *at, ATTRIBUTE_BYTES);
    return exec_ready();
}
API_ALSO(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

API(cudaStreamCopyAttributes, struct exec_stream *to, const struct exec_stream *from)
{
    ENTER();
    for (int i = 0; i < ATTRIBUTES; i++) {
        unsigned char(*there)[ATTRIBUTE_BYTES] = attribute_at(to, i),
                 (*here)[ATTRIBUTE_BYTES] = attribute_at(from, i);
        if (!there || !here)
            return exec_answer(CUDA_INVALID_HANDLE);
        memcpy(*there, *here, ATTRIBUTE_BYTES);
    }
    return exec_ready();
}
API_ALSO(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

// ---- events ------------------------------------------------------------------------------------------------------------

enum { EVENT_UNTIMED = 2, EVENT_SHARED = 4, EVENT_FLAGS = 7 }; // as cudaEventDisableTiming, -Interprocess

API(cudaEventCreateWithFlags, struct exec_event **out, unsigned flags)
{
    ENTER();
    const bool fits = !(flags & ~(unsigned)EVENT_FLAGS) && (!(flags & EVENT_SHARED) || flags & EVENT_UNTIMED);
    struct exec_event *event = out && fits ? calloc(1, sizeof *event) : NULL;
    if (!event)
        return exec_answer(out && fits ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE);
    event->untimed = flags & EVENT_UNTIMED;
    enter(&event->handle, of_event);
    *out = event;
    return exec_ready();
}

API(cudaEventCreate, struct exec_event **out)
{
    ENTER();
    return cudaEventCreateWithFlags(out, 0);
}

static void end_event(struct exec_event *event)
{
    nodes_drop(&event->capture.after);
    leave(&event->handle);
}

API(cudaEventDestroy, struct exec_event *event)
{
    ENTER();
    if (!event || !is_there(event, of_event))
        return exec_answer(CUDA_INVALID_HANDLE);
    end_event(event);
    return exec_ready();
}

void streams_end(void)
{
    for (size_t i = 0; i < HANDLES; i++)
        for (struct exec_handle *h = handles[i]; h; h = h->next) {
            if (*h->gone)
                continue;
            if (h->kind == of_stream)
                end_stream((struct exec_stream *)h);
            else
                end_event((struct exec_event *)h);
        }
}

cuda_error stream_record(struct exec_event *event)
{
    nodes_drop(&event->capture.after);
    event->recorded = true;
    event->ms = now_ms();
    event->launches = exec.launches;
    event->copies = exec.copies;
    event->capture = (struct exec_point){ 0 };
    return exec_ready();
}

API(cudaEventRecord, struct exec_event *event, struct exec_stream *stream)
{
    ENTER();
    if (!event || !is_there(event, of_event))
        return exec_answer(CUDA_INVALID_HANDLE);
    const cuda_error code = stream_takes(stream);
    if (code || !graph_takes(stream))
        return code ? code : stream_record(event);
    return graph_point(stream, &event->capture);
}
API_ALSO(cudaEventRecord_ptsz, cudaEventRecord);

API(cudaEventRecordWithFlags, struct exec_event *event, struct exec_stream *stream, unsigned flags)
{
    ENTER();
    if (flags & ~(unsigned)EXTERNAL)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!(flags & EXTERNAL) || !event || !graph_takes(stream))
        return cudaEventRecord(event, stream);
    return is_there(event, of_event) ? graph_event(stream, event, true) : exec_answer(CUDA_INVALID_HANDLE);
}
API_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

static cuda_error wait_for(const struct exec_event *event)
{
    if (!event || !is_there(event, of_event))
        return exec_answer(CUDA_INVALID_HANDLE);
    cuda_error code = graph_is_place(&event->capture);
    if (!code)
        code = graph_unsafe();
    return code ? code : exec_wait();
}

API(cudaEventSynchronize, const struct exec_event *event)
{
    ENTER();
    return wait_for(event);
}

API(cudaEventQuery, const struct exec_event *event)
{
    ENTER();
    return wait_for(event);
}

API(cudaEventElapsedTime, float *out, const struct exec_event *from, const struct exec_event *to)
{
    ENTER();
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!from || !to || !is_there(from, of_event) || !is_there(to, of_event))
        return exec_answer(CUDA_INVALID_HANDLE);
    if (graph_captures(from->capture.number) || graph_captures(to->capture.number))
        return exec_answer(CUDA_CAPTURED_EVENT);
    if (from->capture.number || to->capture.number)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!from->recorded || !to->recorded || from->untimed || to->untimed)
        return exec_answer(CUDA_INVALID_HANDLE);
    double ms = to->ms - from->ms;
    *out = ms > 0 && ms < 1e-3 ? 1e-3F : (float)ms; // programs divide by it
    report_elapsed(to->launches - from->launches, to->copies - from->copies);
    return exec_ready();
}
API_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
