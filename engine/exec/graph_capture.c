// Graphs by capture: what is asked of a stream is noted down instead of done, and depends on what was asked of it before, and
// of the streams whose events it waits for.
#include "engine/exec/graph.h"

#include <stdlib.h>

// ---- the captures that go on ----------------------------------------------------------------------------------------------------------

enum { CAPTURES = 16, GLOBAL = 0, RELAXED = 2 };
static _Thread_local int mode_of_thread; // its address names the thread
static struct capture {
    uint64_t number; // 0: an empty place
    const struct exec_stream *origin;
    struct exec_graph *graph;
    const void *thread; // that began it
    int mode;
    bool broken, given; // `given`: the graph is the program's
} captures[CAPTURES];
static uint64_t captured;

static struct capture *capture_of(uint64_t number)
{
    for (int i = 0; number && i < CAPTURES; i++)
        if (captures[i].number == number)
            return &captures[i];
    return NULL;
}

static struct capture *capture_in(const struct exec_stream *stream)
{
    const struct exec_point *at = stream_capture(stream);
    return at ? capture_of(at->number) : NULL;
}

bool graph_captures(uint64_t number)
{
    return capture_of(number) != NULL;
}

bool graph_takes(const struct exec_stream *stream)
{
    return capture_in(stream) != NULL;
}

struct exec_node *graph_note(const struct exec_stream *stream, enum node_type type, cuda_error *code)
{
    const struct capture *c = capture_in(stream);
    struct exec_node *node = c && !c->broken ? node_add(c->graph, type) : NULL;
    *code = node ? CUDA_OK : exec_answer(c && !c->broken ? CUDA_NO_MEMORY : CUDA_CAPTURE_INVALIDATED);
    if (!node)
        return NULL;
    struct exec_point *at = stream_capture(stream);
    node->capture = at->number;
    node->after = at->after;
    at->after = (struct exec_nodes){ 0 };
    if (nodes_add(&at->after, node))
        return node;
    node_remove(node);
    *code = exec_answer(CUDA_NO_MEMORY);
    return NULL;
}

cuda_error graph_kernel(const struct cuda_launch_config *config, const void *function, void **arguments)
{
    cuda_error code;
    const struct cuda_kernel_node what = { function,      config->grid,
                                           config->block, (unsigned)config->shared_bytes,
                                           arguments,     NULL };
    struct exec_node *node = graph_note(config->stream, NODE_EMPTY, &code);
    for (unsigned i = 0; node && i < config->attribute_count; i++)
        node_set_attribute(node, config->attributes[i].id, &config->attributes[i].value);
    return node ? exec_answer(node_set_kernel(node, &what)) : code;
}

cuda_error graph_copy(const struct exec_stream *stream, const struct cuda_copy_3d *what)
{
    cuda_error code;
    struct exec_node *node = graph_note(stream, NODE_COPY, &code);
    if (node)
        node->copy = *what;
    return code;
}

cuda_error graph_fill(const struct exec_stream *stream, const struct cuda_fill *what)
{
    cuda_error code;
    struct exec_node *node = graph_note(stream, NODE_FILL, &code);
    if (node)
        node->fill = *what;
    return code;
}

cuda_error graph_host(const struct exec_stream *stream, void (*function)(void *), void *data)
{
    cuda_error code;
    struct exec_node *node = graph_note(stream, NODE_HOST, &code);
    if (node)
        node->host = (struct cuda_host_node){ function, data };
    return code;
}

cuda_error graph_memory(const struct exec_stream *stream, enum graph_memory does, void *pointer, size_t bytes)
{
    cuda_error code;
    struct exec_node *node = graph_note(stream, (enum node_type)does, &code);
    if (node)
        node->memory = (struct graph_piece){ pointer, bytes };
    return code;
}

cuda_error graph_event(const struct exec_stream *stream, struct exec_event *event, bool records)
{
    cuda_error code;
    struct exec_node *node = graph_note(stream, records ? NODE_RECORD : NODE_WAIT, &code);
    if (node)
        node->event = event;
    return code;
}

// ---- streams that wait for each other ---------------------------------------------------------------------------------------

static bool add_all(struct exec_nodes *to, const struct exec_nodes *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!nodes_add(to, from->all[i]))
            return false;
    return true;
}

cuda_error graph_point(const struct exec_stream *stream, struct exec_point *out)
{
    const struct exec_point *at = stream_capture(stream);
    if (capture_in(stream)->broken)
        return exec_answer(CUDA_CAPTURE_INVALIDATED);
    nodes_drop(&out->after);
    out->number = at->number;
    return add_all(&out->after, &at->after) ? exec_ready() : exec_answer(CUDA_NO_MEMORY);
}

static cuda_error end_by(struct capture *c, const char *why, cuda_error code)
{
    if (!c->broken)
        report_host(REPORT_ERROR, "invalid capture", NULL, "%s %s. The capture is void.", exec_function(),
                    why);
    c->broken = true;
    return exec_answer(code);
}

// A stream that waits for a place of a capture takes part in that capture from then on.
static cuda_error join(struct exec_point *own, const struct exec_point *at)
{
    struct capture *c = capture_of(own->number), *other = capture_of(at->number);
    if (!other)
        return exec_answer(CUDA_INVALID_VALUE);
    if (c && c != other) {
        (void)end_by(other, "would join two captures", CUDA_CAPTURE_MERGE);
        return end_by(c, "would join two captures", CUDA_CAPTURE_MERGE);
    }
    if (!c)
        nodes_drop(&own->after);
    own->number = at->number;
    return add_all(&own->after, &at->after) ? exec_ready() : exec_answer(CUDA_NO_MEMORY);
}

cuda_error graph_joins(const struct exec_stream *stream, const struct exec_point *at, bool recorded)
{
    struct capture *c = capture_in(stream);
    struct exec_point *own = stream_capture(stream);
    if (c && c->broken)
        return exec_answer(CUDA_CAPTURE_INVALIDATED);
    if (own && at->number)
        return join(own, at);
    return c && recorded ? end_by(c, "makes a captured stream wait for work that is not in its capture",
                                  CUDA_CAPTURE_ISOLATION)
                         : exec_ready();
}

cuda_error graph_is_place(const struct exec_point *at)
{
    struct capture *c = capture_of(at->number);
    return !at->number       ? CUDA_OK
           : !c || c->broken ? exec_answer(CUDA_INVALID_VALUE)
                             : end_by(c, "waits for an event of a capture, which is a place in its graph",
                                      CUDA_CAPTURED_EVENT);
}

// Whether all of what was noted comes before the end of the stream where the capture began.
static bool is_joined(const struct capture *c)
{
    const struct exec_nodes *last = &stream_capture(c->origin)->after;
    size_t count = 0;
    for (struct exec_node *n = c->graph->first; n; n = n->next)
        n->rank = nodes_have(last, n), count++;
    struct exec_node **all = calloc(count + 1, sizeof *all);
    size_t i = 0;
    for (struct exec_node *n = all ? c->graph->first : NULL; n; n = n->next)
        all[i++] = n;
    bool joined = true;
    while (i-- > 0) { // from the last one on, what it depends on comes before
        joined = joined && (all[i]->rank || all[i]->capture != c->number);
        for (size_t k = 0; all[i]->rank && k < all[i]->after.count; k++)
            all[i]->after.all[k]->rank = 1;
    }
    free(all);
    return joined;
}

cuda_error graph_breaks(const struct exec_stream *stream, const char *why)
{
    return end_by(capture_in(stream), why, CUDA_CAPTURE_UNSUPPORTED);
}

cuda_error graph_unsafe(void)
{
    cuda_error code = CUDA_OK;
    for (struct capture *c = captures; mode_of_thread != RELAXED && c < captures + CAPTURES; c++)
        if (c->number && (c->thread == &mode_of_thread ? c->mode != RELAXED
                                                       : c->mode == GLOBAL && mode_of_thread == GLOBAL))
            code = end_by(c,
                          "may wait for other work, which only cudaStreamCaptureModeRelaxed allows while a "
                          "stream is captured",
                          CUDA_CAPTURE_UNSUPPORTED);
    return code;
}

cuda_error graph_forbids(const struct exec_stream *stream, bool waits)
{
    struct capture *c = waits ? capture_in(stream) : NULL;
    for (int i = 0; !stream && i < CAPTURES; i++)
        if (captures[i].number && (waits || stream_blocks(captures[i].origin)))
            c = &captures[i];
    if (!c)
        return waits && stream ? graph_unsafe() : CUDA_OK;
    return waits
               ? end_by(c,
                        "waits while a stream is captured, whose work only runs when its graph is launched",
                        CUDA_CAPTURE_UNSUPPORTED)
               : end_by(
                     c,
                     "uses the default stream while a stream is captured that waits for it, whose work only "
                     "runs when its graph is launched",
                     CUDA_CAPTURE_IMPLICIT);
}

// ---- begin and end -------------------------------------------------------------------------------------------------------------

static cuda_error begin(struct exec_stream *stream, struct exec_graph *graph, const struct exec_nodes *after,
                        int mode)
{
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    struct exec_point *at = stream_capture(stream);
    struct capture *c = captures;
    while (c < captures + CAPTURES && c->number)
        c++;
    if (!at || capture_of(at->number))
        return exec_answer(at ? CUDA_ILLEGAL_STATE : CUDA_CAPTURE_UNSUPPORTED);
    if (c == captures + CAPTURES)
        return exec_answer(CUDA_INVALID_VALUE);
    nodes_drop(&at->after);
    *c = (struct capture){ captured + 1, stream,       graph ? graph : graph_new(), &mode_of_thread, mode,
                           false,        graph != NULL };
    if (!c->graph || !add_all(&at->after, after)) {
        c->number = 0;
        return exec_answer(CUDA_NO_MEMORY);
    }
    at->number = ++captured;
    return exec_ready();
}

API(cudaStreamBeginCapture, struct exec_stream *stream, int mode)
{
    ENTER();
    return begin(stream, NULL, &(struct exec_nodes){ 0 }, mode);
}

API(cudaStreamBeginCapture_ptsz, struct exec_stream *stream, int mode)
{
    ENTER();
    return cudaStreamBeginCapture(stream ? stream : STREAM_OF_THREAD, mode);
}

API(cudaStreamBeginCaptureToGraph, struct exec_stream *stream, struct exec_graph *graph,
    struct exec_node **after, const void *edges, size_t count, int mode)
{
    ENTER();
    if (!graph || (count && !after))
        return exec_answer(CUDA_INVALID_VALUE);
    return begin(stream, graph, &(struct exec_nodes){ after, count }, mode);
}

API(cudaStreamBeginCaptureToGraph_ptsz, struct exec_stream *stream, struct exec_graph *graph,
    struct exec_node **after, const void *edges, size_t count, int mode)
{
    ENTER();
    return cudaStreamBeginCaptureToGraph(stream ? stream : STREAM_OF_THREAD, graph, after, edges, count,
                                         mode);
}

void graph_capture_ends(const struct exec_stream *origin)
{
    struct capture *c = capture_in(origin);
    if (!c || c->origin != origin)
        return;
    if (!c->given)
        graph_drop(c->graph);
    *c = (struct capture){ 0 };
}

API(cudaStreamEndCapture, const struct exec_stream *stream, struct exec_graph **out)
{
    ENTER();
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    struct capture *c = capture_in(stream);
    if (!c || !out)
        return exec_answer(out ? CUDA_ILLEGAL_STATE : CUDA_INVALID_VALUE);
    if (c->origin != stream) {
        c->broken = true;
        return exec_answer(CUDA_CAPTURE_UNMATCHED);
    }
    cuda_error code = c->broken ? CUDA_CAPTURE_INVALIDATED : is_joined(c) ? CUDA_OK : CUDA_CAPTURE_UNJOINED;
    if (code == CUDA_CAPTURE_UNJOINED)
        report_host(
            REPORT_ERROR, "invalid capture", NULL,
            "%s ends a capture that another stream takes part in, whose last work this stream does not wait "
            "for. Record an event in that stream, and let this one wait for it (cudaStreamWaitEvent).",
            exec_function());
    *out = code ? NULL : c->graph;
    c->given = c->given || !code;
    graph_capture_ends(stream);
    return code ? exec_answer(code) : exec_ready();
}

API(cudaStreamEndCapture_ptsz, const struct exec_stream *stream, struct exec_graph **out)
{
    ENTER();
    return cudaStreamEndCapture(stream ? stream : STREAM_OF_THREAD, out);
}

// ---- questions -----------------------------------------------------------------------------------------------------------------

// All but the status are looked at only while there is a capture.
static cuda_error tell(const struct exec_stream *stream, int *status, uint64_t *number,
                       struct exec_graph **graph, struct exec_node ***after, size_t *count)
{
    if (!status || !stream_is_there(stream))
        return exec_answer(status ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    const struct capture *c = capture_in(stream);
    *status = !c ? 0 : c->broken ? 2 : 1;
    if (c && number)
        *number = c->number;
    if (c && graph)
        *graph = c->graph;
    if (c && after)
        *after = stream_capture(stream)->after.all;
    if (c && count)
        *count = stream_capture(stream)->after.count;
    return CUDA_OK;
}

API(cudaStreamIsCapturing, const struct exec_stream *stream, int *out)
{
    ENTER();
    return tell(stream, out, NULL, NULL, NULL, NULL);
}

// Data of the edges come before their number in the third version, which is the only one of CUDA 13.
API(cudaStreamGetCaptureInfo_v3, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, const void **edges, size_t *count)
{
    ENTER();
    if (edges)
        *edges = NULL;
    return tell(stream, status, number, graph, after, count);
}

API(cudaStreamGetCaptureInfo_v2, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, size_t *count)
{
    ENTER();
    return tell(stream, status, number, graph, after, count);
}

API(cudaStreamGetCaptureInfo, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, const void **edges, size_t *count)
{
    ENTER();
    return exec_major > 12 ? cudaStreamGetCaptureInfo_v3(stream, status, number, graph, after, edges, count)
                           : tell(stream, status, number, NULL, NULL, NULL);
}

static cuda_error depend(const struct exec_stream *stream, struct exec_node **after, size_t count,
                         unsigned flags)
{
    enum { SET = 1 };
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    struct exec_point *at = capture_in(stream) ? stream_capture(stream) : NULL;
    if (!at || (count && !after))
        return exec_answer(at ? CUDA_INVALID_VALUE : CUDA_ILLEGAL_STATE);
    if (flags & SET)
        nodes_drop(&at->after);
    return add_all(&at->after, &(struct exec_nodes){ after, count }) ? exec_ready()
                                                                     : exec_answer(CUDA_NO_MEMORY);
}

API(cudaStreamUpdateCaptureDependencies_v2, const struct exec_stream *stream, struct exec_node **after,
    const void *edges, size_t count, unsigned flags)
{
    ENTER();
    return depend(stream, after, count, flags);
}

API(cudaStreamUpdateCaptureDependencies, const struct exec_stream *stream, struct exec_node **after,
    uintptr_t edges_or_count, uintptr_t count_or_flags, unsigned flags)
{
    ENTER();
    return exec_major > 12 ? depend(stream, after, count_or_flags, flags)
                           : depend(stream, after, edges_or_count, (unsigned)count_or_flags);
}

// The same of the default stream of a thread.
static const struct exec_stream *or_of_thread(const struct exec_stream *stream)
{
    return stream ? stream : STREAM_OF_THREAD;
}

API(cudaStreamIsCapturing_ptsz, const struct exec_stream *stream, int *out)
{
    ENTER();
    return cudaStreamIsCapturing(or_of_thread(stream), out);
}

API(cudaStreamGetCaptureInfo_ptsz, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, const void **edges, size_t *count)
{
    ENTER();
    return cudaStreamGetCaptureInfo(or_of_thread(stream), status, number, graph, after, edges, count);
}

API(cudaStreamGetCaptureInfo_v2_ptsz, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, size_t *count)
{
    ENTER();
    return tell(or_of_thread(stream), status, number, graph, after, count);
}

API(cudaStreamGetCaptureInfo_v3_ptsz, const struct exec_stream *stream, int *status, uint64_t *number,
    struct exec_graph **graph, struct exec_node ***after, const void **edges, size_t *count)
{
    ENTER();
    return cudaStreamGetCaptureInfo_v3(or_of_thread(stream), status, number, graph, after, edges, count);
}

API(cudaStreamUpdateCaptureDependencies_ptsz, const struct exec_stream *stream, struct exec_node **after,
    uintptr_t edges_or_count, uintptr_t count_or_flags, unsigned flags)
{
    ENTER();
    return cudaStreamUpdateCaptureDependencies(or_of_thread(stream), after, edges_or_count, count_or_flags,
                                               flags);
}

API(cudaStreamUpdateCaptureDependencies_v2_ptsz, const struct exec_stream *stream, struct exec_node **after,
    const void *edges, size_t count, unsigned flags)
{
    ENTER();
    return depend(or_of_thread(stream), after, count, flags);
}

API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    ENTER();
    if (!mode || *mode < 0 || *mode > RELAXED)
        return exec_answer(CUDA_INVALID_VALUE);
    const int before = mode_of_thread;
    mode_of_thread = *mode;
    *mode = before;
    return CUDA_OK;
}
