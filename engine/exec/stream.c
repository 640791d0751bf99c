// Streams and events. Everything is done when it is asked for, in the order of the calls, which is one of the orders that
// streams allow; an event's time is the machine's clock.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    while (at && (at != wanted || strcmp(at->kind, kind) != 0))
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
                    exec_function(), strcmp(kind, "event") == 0 ? "an" : "a", kind, at->gone);
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
    return stream == STREAM_OF_THREAD                                ? &of_thread
           : stream > STREAM_OF_THREAD && is_there(stream, "stream") ? (struct exec_stream *)stream
                                                                     : NULL;
}

bool stream_is_there(const struct exec_stream *stream)
{
    return stream <= STREAM_OF_THREAD || is_there(stream, "stream");
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
    return at && !(at->flags & 1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

API(cudaStreamCreateWithPriority, struct exec_stream **out, unsigned flags, int priority)
{
    ENTER();
    static uint64_t made;
    struct exec_stream *stream = out ? calloc(1, sizeof *stream) : NULL;
    unsigned char(*attributes)[ATTRIBUTE_BYTES] = out ? calloc(ATTRIBUTES, ATTRIBUTE_BYTES) : NULL;
    if (!stream || !attributes) {
        free(stream);
        free(attributes);
        return exec_answer(out ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE);
    }
    priority = priority > 0 ? 0 : priority < STREAM_PRIORITY_MOST ? STREAM_PRIORITY_MOST : priority;
    *stream = (struct exec_stream){
        .attributes = attributes, .flags = flags, .priority = priority, .number = ++made
    };
    enter(&stream->handle, "stream");
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

API(cudaStreamDestroy, struct exec_stream *stream)
{
    ENTER();
    if (stream <= STREAM_OF_THREAD || !is_there(stream, "stream"))
        return exec_answer(CUDA_INVALID_HANDLE);
    nodes_drop(&stream->capture.after);
    free(stream->attributes);
    leave(&stream->handle);
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
    if (!event || !is_there(event, "event") || !stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    if (event->capture.number)
        (void)graph_joins(stream, &event->capture); // else the capture has ended, and so has the wait
    return exec_ready();
}
API_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

API(cudaLaunchHostFunc, struct exec_stream *stream, void (*function)(void *), void *data)
{
    ENTER();
    const cuda_error code = stream_takes(stream);
    if (code)
        return code;
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
    function(stream, exec_wait(), data);
    return exec.sticky;
}
API_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

API(cudaStreamAttachMemAsync, struct exec_stream *stream, void *pointer, size_t bytes, unsigned flags)
{
    ENTER();
    const cuda_error code = stream_takes(stream);
    return code ? code : exec_ready();
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

enum { EVENT_UNTIMED = 2 }; // cudaEventDisableTiming

API(cudaEventCreateWithFlags, struct exec_event **out, unsigned flags)
{
    ENTER();
    struct exec_event *event = out ? calloc(1, sizeof *event) : NULL;
    if (!event)
        return exec_answer(CUDA_INVALID_VALUE);
    event->untimed = flags & EVENT_UNTIMED;
    enter(&event->handle, "event");
    *out = event;
    return exec_ready();
}

API(cudaEventCreate, struct exec_event **out)
{
    ENTER();
    return cudaEventCreateWithFlags(out, 0);
}

API(cudaEventDestroy, struct exec_event *event)
{
    ENTER();
    if (!event || !is_there(event, "event"))
        return exec_answer(CUDA_INVALID_HANDLE);
    nodes_drop(&event->capture.after);
    leave(&event->handle);
    return exec_ready();
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
    if (!event || !is_there(event, "event") || !stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    if (!graph_takes(stream))
        return stream_record(event);
    graph_point(stream, &event->capture);
    return exec_ready();
}
API_ALSO(cudaEventRecord_ptsz, cudaEventRecord);

API(cudaEventRecordWithFlags, struct exec_event *event, struct exec_stream *stream, unsigned flags)
{
    ENTER();
    return cudaEventRecord(event, stream);
}
API_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

API(cudaEventSynchronize, struct exec_event *event)
{
    ENTER();
    return event && is_there(event, "event") ? exec_wait() : exec_answer(CUDA_INVALID_HANDLE);
}

API(cudaEventQuery, struct exec_event *event)
{
    ENTER();
    return event && is_there(event, "event") ? exec_wait() : exec_answer(CUDA_INVALID_HANDLE);
}

API(cudaEventElapsedTime, float *out, const struct exec_event *from, const struct exec_event *to)
{
    ENTER();
    if (!out || !from || !to || !is_there(from, "event") || !is_there(to, "event") || !from->recorded ||
        !to->recorded || from->untimed || to->untimed)
        return exec_answer(CUDA_INVALID_HANDLE);
    double ms = to->ms - from->ms;
    *out = ms > 0 && ms < 1e-3 ? 1e-3F : (float)ms; // programs divide by it
    report_elapsed(to->launches - from->launches, to->copies - from->copies);
    return exec_ready();
}
API_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
