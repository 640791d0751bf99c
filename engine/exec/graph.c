// Graphs: operations that are noted down, by a capture of streams or one by one, and done at each launch of the graph, in the
// order in which they were noted. That is an order which their dependencies allow, since a node depends on earlier ones.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum node_type {
    NODE_KERNEL,
    NODE_COPY,
    NODE_FILL,
    NODE_HOST,
    NODE_CHILD,
    NODE_EMPTY,
    NODE_WAIT,
    NODE_RECORD,
    NODE_TAKES = GRAPH_TAKES,
    NODE_GIVES = GRAPH_GIVES
};

struct cuda_kernel_node {
    const void *function;
    struct cuda_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments, **extra;
};
struct node_attributes { // what it asks for besides its grid
    struct cuda_launch_attribute all[LAUNCH_ATTRIBUTES];
    unsigned count;
};
struct cuda_host_node {
    void (*function)(void *);
    void *data;
};

struct exec_node {
    struct exec_node *next;
    struct exec_graph *graph;
    const struct exec_node *model; // of which it is a copy
    enum node_type type;
    bool off;
    struct node_attributes attributes; // of a kernel
    union {
        struct cuda_kernel_node kernel; // the arguments are its own
        struct cuda_copy_3d copy;
        struct cuda_fill fill;
        struct cuda_host_node host;
        struct exec_graph *child;
        struct exec_event *event;
        struct graph_piece {
            void *pointer;
            size_t bytes;
        } memory;
    };
};
struct exec_graph {
    struct exec_node *first, **end;
};

// ---- nodes -------------------------------------------------------------------------------------------------------------

static void drop_content(struct exec_node *node)
{
    if (node->type == NODE_KERNEL)
        free(node->kernel.arguments);
    if (node->type == NODE_CHILD)
        graph_drop(node->child);
}

// Copies the arguments; their pointers and then their bytes are one piece of memory.
static cuda_error set_kernel(struct exec_node *node, const struct cuda_kernel_node *what)
{
    size_t count, bytes = 0;
    const struct sim_parameter *parameters = launch_parameters(what->function, &count);
    if (!parameters && count)
        return CUDA_INVALID_FUNCTION;
    if (count && !what->arguments)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        bytes += (parameters[i].bytes + 15) / 16 * 16;
    void **copy = calloc(1, (count + 2) / 2 * 2 * sizeof *copy + bytes);
    if (!copy)
        return CUDA_NO_MEMORY;
    char *at = (char *)(copy + (count + 2) / 2 * 2);
    for (size_t i = 0; i < count; at += (parameters[i].bytes + 15) / 16 * 16, i++) {
        copy[i] = at;
        memcpy(at, what->arguments[i], parameters[i].bytes);
    }
    if (node->type == NODE_KERNEL)
        free(node->kernel.arguments);
    node->type = NODE_KERNEL;
    node->kernel = *what;
    node->kernel.arguments = copy;
    return CUDA_OK;
}

static struct exec_node *add(struct exec_graph *graph, enum node_type type)
{
    struct exec_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->graph = graph;
    node->type = type;
    *graph->end = node;
    graph->end = &node->next;
    return node;
}

static void remove_node(struct exec_node *node)
{
    struct exec_node **at = &node->graph->first;
    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    if (!node->next)
        node->graph->end = at;
    drop_content(node);
    free(node);
}

static struct exec_graph *graph_new(void)
{
    struct exec_graph *graph = calloc(1, sizeof *graph);
    if (graph)
        graph->end = &graph->first;
    return graph;
}

void graph_drop(struct exec_graph *graph)
{
    struct exec_node *next;
    for (struct exec_node *n = graph ? graph->first : NULL; n; n = next) {
        next = n->next;
        drop_content(n);
        free(n);
    }
    free(graph);
}

static struct exec_graph *copy_of(const struct exec_graph *from)
{
    struct exec_graph *graph = graph_new();
    for (const struct exec_node *n = graph ? from->first : NULL; n; n = n->next) {
        struct exec_node *node = add(graph, NODE_EMPTY);
        bool good = node != NULL;
        if (good && n->type == NODE_KERNEL) {
            good = set_kernel(node, &n->kernel) == CUDA_OK;
            node->attributes = n->attributes;
        } else if (good && n->type == NODE_CHILD)
            good = (node->child = copy_of(n->child)) != NULL;
        else if (good) {
            struct exec_node *next = node->next;
            *node = *n;
            node->next = next;
            node->graph = graph;
        }
        if (!good) {
            graph_drop(graph);
            return NULL;
        }
        node->type = n->type;
        node->off = n->off;
        node->model = n;
    }
    return graph;
}

static struct exec_node *copy_in(const struct exec_graph *graph, const struct exec_node *model)
{
    struct exec_node *node = graph ? graph->first : NULL;
    while (node && node->model != model)
        node = node->next;
    return node;
}

static cuda_error do_graph(const struct exec_graph *graph);

static cuda_error launch_node(const struct exec_node *node)
{
    struct node_attributes attributes = node->attributes;
    const struct cuda_launch_config config = { .grid = node->kernel.grid,
                                               .block = node->kernel.block,
                                               .shared_bytes = node->kernel.shared_bytes,
                                               .attributes = attributes.all,
                                               .attribute_count = attributes.count };
    return launch_kernel(node->kernel.function, &config, node->kernel.arguments);
}

static cuda_error do_node(const struct exec_node *node)
{
    switch (node->type) {
    case NODE_KERNEL:
        return launch_node(node);
    case NODE_COPY:
        return copy_box(&node->copy);
    case NODE_FILL:
        return copy_fill(&node->fill);
    case NODE_HOST:
        if (exec_wait())
            return exec.sticky;
        node->host.function(node->host.data);
        return CUDA_OK;
    case NODE_CHILD:
        return do_graph(node->child);
    case NODE_RECORD:
        return stream_record(node->event);
    case NODE_WAIT:
    case NODE_EMPTY:
    case NODE_TAKES:
    case NODE_GIVES:
        break;
    }
    return CUDA_OK;
}

static cuda_error do_graph(const struct exec_graph *graph)
{
    cuda_error code = CUDA_OK;
    for (const struct exec_node *n = graph->first; n && !code; n = n->next)
        code = n->off ? CUDA_OK : do_node(n);
    return code;
}

// ---- captures ----------------------------------------------------------------------------------------------------------

enum { CAPTURES = 16, RELAXED = 2 };
static struct capture {
    uint64_t number; // 0: an empty place
    const struct exec_stream *origin;
    struct exec_graph *graph;
    int mode;
    bool broken, given; // `given`: the graph was there before
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
    const uint64_t *number = stream_capture(stream);
    return number ? capture_of(*number) : NULL;
}

bool graph_takes(const struct exec_stream *stream)
{
    return capture_in(stream) != NULL;
}

// A node for what was asked of the stream; NULL: there is none, and `code` is the error.
static struct exec_node *note(const struct exec_stream *stream, enum node_type type, cuda_error *code)
{
    const struct capture *c = capture_in(stream);
    struct exec_node *node = c && !c->broken ? add(c->graph, type) : NULL;
    *code = node ? CUDA_OK : exec_answer(c && !c->broken ? CUDA_NO_MEMORY : CUDA_CAPTURE_INVALIDATED);
    return node;
}

// Others make no difference here, or none that a program can see.
static void set_attribute(struct exec_node *node, int id, const void *value)
{
    struct node_attributes *set = &node->attributes;
    unsigned i = 0;
    if (id != LAUNCH_COOPERATIVE && id != LAUNCH_CLUSTER)
        return;
    while (i < set->count && set->all[i].id != id)
        i++;
    set->count += i == set->count;
    set->all[i].id = id;
    memcpy(&set->all[i].value, value, sizeof set->all[i].value);
}

cuda_error graph_kernel(const struct cuda_launch_config *config, const void *function, void **arguments)
{
    cuda_error code;
    const struct cuda_kernel_node what = { function,      config->grid,
                                           config->block, (unsigned)config->shared_bytes,
                                           arguments,     NULL };
    struct exec_node *node = note(config->stream, NODE_EMPTY, &code);
    for (unsigned i = 0; node && i < config->attribute_count; i++)
        set_attribute(node, config->attributes[i].id, &config->attributes[i].value);
    return node ? exec_answer(set_kernel(node, &what)) : code;
}

cuda_error graph_copy(const struct exec_stream *stream, const struct cuda_copy_3d *what)
{
    cuda_error code;
    struct exec_node *node = note(stream, NODE_COPY, &code);
    if (node)
        node->copy = *what;
    return code;
}

cuda_error graph_fill(const struct exec_stream *stream, const struct cuda_fill *what)
{
    cuda_error code;
    struct exec_node *node = note(stream, NODE_FILL, &code);
    if (node)
        node->fill = *what;
    return code;
}

cuda_error graph_host(const struct exec_stream *stream, void (*function)(void *), void *data)
{
    cuda_error code;
    struct exec_node *node = note(stream, NODE_HOST, &code);
    if (node)
        node->host = (struct cuda_host_node){ function, data };
    return code;
}

cuda_error graph_memory(const struct exec_stream *stream, enum graph_memory does, void *pointer, size_t bytes)
{
    cuda_error code;
    struct exec_node *node = note(stream, (enum node_type)does, &code);
    if (node)
        node->memory = (struct graph_piece){ pointer, bytes };
    return code;
}

bool graph_joins(const struct exec_stream *stream, uint64_t capture)
{
    uint64_t *number = stream_capture(stream);
    if (number && capture_of(capture))
        *number = capture;
    return number && capture_of(capture);
}

cuda_error graph_forbids(const struct exec_stream *stream, bool waits)
{
    struct capture *c = waits ? capture_in(stream) : NULL;
    for (int i = 0; !stream && i < CAPTURES; i++)
        if (captures[i].number && captures[i].mode != RELAXED && (waits || stream_blocks(captures[i].origin)))
            c = &captures[i];
    if (!c)
        return CUDA_OK;
    if (!c->broken)
        report_host(REPORT_ERROR, "invalid capture", NULL,
                    "%s %s while a stream is captured, whose work only runs when its graph is launched. The "
                    "capture is void.",
                    exec_function(), waits ? "waits" : "uses the default stream");
    c->broken = true;
    return exec_answer(waits ? CUDA_CAPTURE_UNSUPPORTED : CUDA_CAPTURE_IMPLICIT);
}

static cuda_error begin(struct exec_stream *stream, struct exec_graph *graph, int mode)
{
    uint64_t *number = stream_capture(stream);
    struct capture *c = captures;
    while (c < captures + CAPTURES && c->number)
        c++;
    if (!number || c == captures + CAPTURES || capture_of(*number))
        return exec_answer(number ? CUDA_INVALID_VALUE : CUDA_CAPTURE_UNSUPPORTED);
    *c = (struct capture){ ++captured, stream, graph ? graph : graph_new(), mode, false, graph != NULL };
    if (!c->graph) {
        c->number = 0;
        return exec_answer(CUDA_NO_MEMORY);
    }
    *number = c->number;
    return exec_ready();
}

API(cudaStreamBeginCapture, struct exec_stream *stream, int mode)
{
    ENTER();
    return begin(stream, NULL, mode);
}

API(cudaStreamBeginCapture_ptsz, struct exec_stream *stream, int mode)
{
    ENTER();
    return begin(stream ? stream : STREAM_OF_THREAD, NULL, mode);
}

API(cudaStreamBeginCaptureToGraph, struct exec_stream *stream, struct exec_graph *graph,
    struct exec_node *const *after, const void *edges, size_t count, int mode)
{
    ENTER();
    return graph ? begin(stream, graph, mode) : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

API(cudaStreamEndCapture, const struct exec_stream *stream, struct exec_graph **out)
{
    ENTER();
    struct capture *c = capture_in(stream);
    if (!c || !out || c->origin != stream)
        return exec_answer(out && c ? CUDA_CAPTURE_UNMATCHED : CUDA_INVALID_VALUE);
    *out = c->broken ? NULL : c->graph;
    if (c->broken && !c->given)
        graph_drop(c->graph);
    bool broken = c->broken;
    *c = (struct capture){ 0 };
    return broken ? exec_answer(CUDA_CAPTURE_INVALIDATED) : exec_ready();
}

API(cudaStreamEndCapture_ptsz, const struct exec_stream *stream, struct exec_graph **out)
{
    ENTER();
    return cudaStreamEndCapture(stream ? stream : STREAM_OF_THREAD, out);
}

API(cudaStreamGetCaptureInfo, const struct exec_stream *stream, int *status, uint64_t *number)
{
    ENTER();
    const struct capture *c = capture_in(stream);
    *status = !c ? 0 : c->broken ? 2 : 1;
    if (c && number) // which is looked at only while there is a capture
        *number = c->number;
    return CUDA_OK;
}
API_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
API_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo);
API_ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);

API(cudaStreamIsCapturing, const struct exec_stream *stream, int *out)
{
    ENTER();
    return cudaStreamGetCaptureInfo(stream, out, NULL);
}
API_ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    ENTER();
    *mode = 0;
    return CUDA_OK;
}

// ---- graphs, node by node -------------------------------------------------------------------------------------------------

API(cudaGraphCreate, struct exec_graph **out, unsigned flags)
{
    ENTER();
    *out = graph_new();
    return *out ? exec_ready() : exec_answer(CUDA_NO_MEMORY);
}

API(cudaGraphDestroy, struct exec_graph *graph)
{
    ENTER();
    graph_drop(graph);
    return graph ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaGraphExecDestroy, cudaGraphDestroy);

// Nodes of this type with content of this type: they are added and changed, and changed in a graph that was instantiated.
#define NODES(add_name, set_name, exec_name, get_name, content, node_type, member)                           \
    API(add_name, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,          \
        size_t count, const content *what)                                                                   \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!out || !graph || !what)                                                                         \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        *out = add(graph, node_type);                                                                        \
        if (!*out)                                                                                           \
            return exec_answer(CUDA_NO_MEMORY);                                                              \
        (*out)->member = *what;                                                                              \
        return exec_ready();                                                                                 \
    }                                                                                                        \
    API(set_name, struct exec_node *node, const content *what)                                               \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !what || node->type != node_type)                                                       \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        node->member = *what;                                                                                \
        return exec_ready();                                                                                 \
    }                                                                                                        \
    API(exec_name, struct exec_graph *graph, const struct exec_node *node, const content *what)              \
    {                                                                                                        \
        ENTER();                                                                                             \
        return set_name(copy_in(graph, node), what);                                                         \
    }                                                                                                        \
    API(get_name, const struct exec_node *node, content *what)                                               \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !what || node->type != node_type)                                                       \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        *what = node->member;                                                                                \
        return exec_ready();                                                                                 \
    }
NODES(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
      cudaGraphMemcpyNodeGetParams, struct cuda_copy_3d, NODE_COPY, copy)
NODES(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
      cudaGraphMemsetNodeGetParams, struct cuda_fill, NODE_FILL, fill)
NODES(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
      cudaGraphHostNodeGetParams, struct cuda_host_node, NODE_HOST, host)

API(cudaGraphAddKernelNode, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    size_t count, const struct cuda_kernel_node *what)
{
    ENTER();
    if (!out || !graph || !what)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = add(graph, NODE_EMPTY);
    if (!*out)
        return exec_answer(CUDA_NO_MEMORY);
    cuda_error code = set_kernel(*out, what);
    if (code)
        remove_node(*out);
    return code ? exec_answer(code) : exec_ready();
}

API(cudaGraphKernelNodeSetParams, struct exec_node *node, const struct cuda_kernel_node *what)
{
    ENTER();
    if (!node || !what || node->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    return exec_answer(set_kernel(node, what));
}

API(cudaGraphExecKernelNodeSetParams, struct exec_graph *graph, const struct exec_node *node,
    const struct cuda_kernel_node *what)
{
    ENTER();
    return cudaGraphKernelNodeSetParams(copy_in(graph, node), what);
}

API(cudaGraphKernelNodeGetParams, const struct exec_node *node, struct cuda_kernel_node *what)
{
    ENTER();
    if (!node || !what || node->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    *what = node->kernel;
    return exec_ready();
}

API(cudaGraphKernelNodeSetAttribute, struct exec_node *node, int id, const void *value)
{
    ENTER();
    if (!node || !value || node->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    set_attribute(node, id, value);
    return exec_ready();
}

API(cudaGraphKernelNodeGetAttribute, const struct exec_node *node, int id, void *value)
{
    ENTER();
    if (!node || !value || node->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    memset(value, 0, sizeof node->attributes.all[0].value);
    for (unsigned i = 0; i < node->attributes.count; i++)
        if (node->attributes.all[i].id == id)
            memcpy(value, &node->attributes.all[i].value, sizeof node->attributes.all[i].value);
    return exec_ready();
}
API_ALSO(cudaGraphKernelNodeGetAttribute_v2, cudaGraphKernelNodeGetAttribute);

API(cudaGraphAddMemcpyNode1D, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, void *to, const void *from, size_t bytes, int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(out, graph, after, count, &what);
}

API(cudaGraphMemcpyNodeSetParams1D, struct exec_node *node, void *to, const void *from, size_t bytes,
    int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &what);
}

API(cudaGraphExecMemcpyNodeSetParams1D, struct exec_graph *graph, const struct exec_node *node, void *to,
    const void *from, size_t bytes, int kind)
{
    ENTER();
    return cudaGraphMemcpyNodeSetParams1D(copy_in(graph, node), to, from, bytes, kind);
}

static cuda_error add_other(struct exec_node **out, struct exec_graph *graph, enum node_type type)
{
    if (!out || !graph)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = add(graph, type);
    return *out ? exec_ready() : exec_answer(CUDA_NO_MEMORY);
}

cuda_error graph_add_memory(struct exec_node **out, struct exec_graph *graph, enum graph_memory does,
                            void *pointer, size_t bytes)
{
    cuda_error code = add_other(out, graph, (enum node_type)does);
    if (!code)
        (*out)->memory = (struct graph_piece){ pointer, bytes };
    return code;
}

void *graph_memory_of(const struct exec_node *node, enum graph_memory does, size_t *bytes)
{
    if (!node || node->type != (enum node_type)does)
        return NULL;
    *bytes = node->memory.bytes;
    return node->memory.pointer;
}

API(cudaGraphAddEmptyNode, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    size_t count)
{
    ENTER();
    return add_other(out, graph, NODE_EMPTY);
}

API(cudaGraphAddEventRecordNode, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, struct exec_event *event)
{
    ENTER();
    cuda_error code = add_other(out, graph, NODE_RECORD);
    if (!code)
        (*out)->event = event;
    return code;
}

API(cudaGraphAddEventWaitNode, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, struct exec_event *event)
{
    ENTER();
    return add_other(out, graph, NODE_WAIT);
}

API(cudaGraphAddChildGraphNode, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, const struct exec_graph *child)
{
    ENTER();
    struct exec_graph *copy = child ? copy_of(child) : NULL;
    cuda_error code = copy ? add_other(out, graph, NODE_CHILD) : exec_answer(CUDA_INVALID_VALUE);
    if (!code)
        (*out)->child = copy;
    else
        graph_drop(copy);
    return code;
}

// A node that was added before those that it is to depend on would have to move.
API(cudaGraphAddDependencies, struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, size_t count)
{
    ENTER();
    for (size_t i = 0; i < count; i++) {
        const struct exec_node *later = from[i];
        while (later && later != to[i])
            later = later->next;
        if (later)
            continue;
        report_missing("a dependency on a node that was added later",
                       "Add a node to a graph after those that it depends on.");
        return exec_answer(CUDA_NOT_SUPPORTED);
    }
    return exec_ready();
}

API(cudaGraphAddDependencies_v2, struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, const void *edges, size_t count)
{
    ENTER();
    return cudaGraphAddDependencies(graph, from, to, count);
}

API(cudaGraphRemoveDependencies, struct exec_graph *graph)
{
    ENTER();
    return graph ? exec_ready() : exec_answer(CUDA_INVALID_VALUE); // the order that is there stays allowed
}
API_ALSO(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies);

API(cudaGraphGetNodes, const struct exec_graph *graph, struct exec_node **nodes, size_t *count)
{
    ENTER();
    size_t room = nodes && count ? *count : 0, all = 0;
    if (!graph || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    for (struct exec_node *n = graph->first; n; n = n->next, all++)
        if (all < room)
            nodes[all] = n;
    for (size_t i = all; i < room; i++)
        nodes[i] = NULL;
    *count = nodes && room < all ? room : all;
    return exec_ready();
}

API(cudaGraphNodeGetType, const struct exec_node *node, int *type)
{
    ENTER();
    if (!node || !type)
        return exec_answer(CUDA_INVALID_VALUE);
    *type = (int)node->type;
    return exec_ready();
}

API(cudaGraphDestroyNode, struct exec_node *node)
{
    ENTER();
    if (!node)
        return exec_answer(CUDA_INVALID_VALUE);
    remove_node(node);
    return exec_ready();
}

API(cudaGraphClone, struct exec_graph **out, const struct exec_graph *graph)
{
    ENTER();
    *out = graph ? copy_of(graph) : NULL;
    return *out ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}

API(cudaGraphNodeFindInClone, struct exec_node **out, const struct exec_node *node,
    const struct exec_graph *graph)
{
    ENTER();
    *out = copy_in(graph, node);
    return *out ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}

// ---- instantiated graphs ------------------------------------------------------------------------------------------------

// What follows the graph depends on the version: flags, or where to say what is wrong.
API_ALSO(cudaGraphInstantiate, cudaGraphClone);
API_ALSO(cudaGraphInstantiateWithFlags, cudaGraphClone);
API_ALSO(cudaGraphInstantiateWithParams, cudaGraphClone);
API_ALSO(cudaGraphInstantiateWithParams_ptsz, cudaGraphClone);

API(cudaGraphUpload, const struct exec_graph *graph, struct exec_stream *stream)
{
    ENTER();
    return graph ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

API(cudaGraphLaunch, const struct exec_graph *graph, const struct exec_stream *stream)
{
    ENTER();
    cuda_error code;
    if (!graph || exec_ready())
        return exec_answer(graph ? exec.sticky : CUDA_INVALID_VALUE);
    if (!graph_takes(stream))
        return do_graph(graph);
    struct exec_node *node = note(stream, NODE_EMPTY, &code);
    if (!node)
        return code;
    node->child = copy_of(graph);
    node->type = node->child ? NODE_CHILD : NODE_EMPTY;
    return node->child ? CUDA_OK : exec_answer(CUDA_NO_MEMORY);
}
API_ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

API(cudaGraphExecGetFlags, const struct exec_graph *graph, unsigned long long *flags)
{
    ENTER();
    *flags = 0;
    return exec_ready();
}

API(cudaGraphNodeSetEnabled, const struct exec_graph *graph, const struct exec_node *node, unsigned on)
{
    ENTER();
    struct exec_node *copy = copy_in(graph, node);
    if (!copy)
        return exec_answer(CUDA_INVALID_VALUE);
    copy->off = !on;
    return exec_ready();
}

API(cudaGraphNodeGetEnabled, const struct exec_graph *graph, const struct exec_node *node, unsigned *on)
{
    ENTER();
    const struct exec_node *copy = copy_in(graph, node);
    if (!copy || !on)
        return exec_answer(CUDA_INVALID_VALUE);
    *on = !copy->off;
    return exec_ready();
}

// The nodes of `graph` take the places of those that are there, if they are of the same types in the same order. Only the
// first word of the result has the same meaning in all versions.
API(cudaGraphExecUpdate, struct exec_graph *there, const struct exec_graph *graph, int *result)
{
    ENTER();
    enum { TOPOLOGY_CHANGED = 2 };
    const struct exec_node *a = there ? there->first : NULL, *b = graph ? graph->first : NULL;
    while (a && b && a->type == b->type) {
        a = a->next;
        b = b->next;
    }
    struct exec_graph *copy = !there || !graph || a || b ? NULL : copy_of(graph);
    if (result)
        *result = copy ? 0 : TOPOLOGY_CHANGED;
    if (!copy)
        return exec_answer(CUDA_GRAPH_UPDATE);
    // Nodes are known by those of the first graph.
    for (struct exec_node *old = there->first, *new = copy->first; old &&new;
         old = old->next, new = new->next)
        new->model = old->model;
    struct exec_graph old = *there;
    *there = *copy;
    *copy = old;
    if (!there->first)
        there->end = &there->first;
    for (struct exec_node *n = there->first; n; n = n->next)
        n->graph = there;
    for (struct exec_node *n = copy->first; n; n = n->next)
        n->graph = copy;
    if (!copy->first)
        copy->end = &copy->first;
    graph_drop(copy);
    return exec_ready();
}
