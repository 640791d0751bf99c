// Nodes of graphs, added and changed one by one.
#include "engine/exec/graph.h"

#include <stdlib.h>
#include <string.h>

// Others make no difference here, or none that a program can see.
void node_set_attribute(struct exec_node *node, int id, const void *value)
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

// ---- nodes of one type ---------------------------------------------------------------------------------------------------

// NULL: there is no such node, and `code` is the error.
static struct exec_node *add(struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
                             size_t count, enum node_type type, cuda_error *code)
{
    struct exec_node *node = out && graph ? node_add(graph, type) : NULL;
    *code = node           ? node_after(node, after, count)
            : out && graph ? exec_answer(CUDA_NO_MEMORY)
                           : exec_answer(CUDA_INVALID_VALUE);
    if (!node || *code)
        return NULL;
    *out = node;
    return node;
}

static bool host_fits(const struct cuda_host_node *what)
{
    return what->function;
}

// Nodes of this type with content of this type, which must fit: they are added, changed, and told of.
#define NODES(add_name, set_name, get_name, content, node_type, member, fits)                                \
    API(add_name, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,          \
        size_t count, const content *what)                                                                   \
    {                                                                                                        \
        ENTER();                                                                                             \
        cuda_error code;                                                                                     \
        struct exec_node *node =                                                                             \
            add(out, what && fits(what) ? graph : NULL, after, count, node_type, &code);                     \
        if (node)                                                                                            \
            node->member = *what;                                                                            \
        return code;                                                                                         \
    }                                                                                                        \
    API(set_name, struct exec_node *node, const content *what)                                               \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !what || node->type != node_type || !fits(what))                                        \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        node->member = *what;                                                                                \
        return exec_ready();                                                                                 \
    }                                                                                                        \
    API(get_name, const struct exec_node *node, content *what)                                               \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !what || node->type != node_type)                                                       \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        *what = node->member;                                                                                \
        return exec_ready();                                                                                 \
    }
NODES(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphMemcpyNodeGetParams, struct cuda_copy_3d,
      NODE_COPY, copy, copy_box_fits)
NODES(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphMemsetNodeGetParams, struct cuda_fill,
      NODE_FILL, fill, copy_fill_fits)
NODES(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphHostNodeGetParams, struct cuda_host_node,
      NODE_HOST, host, host_fits)

// In a graph that was instantiated, a copy stays one between the same sides.
API(cudaGraphExecMemcpyNodeSetParams, struct exec_graph *graph, const struct exec_node *model,
    const struct cuda_copy_3d *what)
{
    ENTER();
    struct exec_node *node = graph_copy_in(graph, model);
    if (node && what && node->type == NODE_COPY && !copy_is_alike(&node->copy, what))
        return exec_answer(CUDA_INVALID_VALUE);
    return cudaGraphMemcpyNodeSetParams(node, what);
}

API(cudaGraphExecMemsetNodeSetParams, struct exec_graph *graph, const struct exec_node *node,
    const struct cuda_fill *what)
{
    ENTER();
    return cudaGraphMemsetNodeSetParams(graph_copy_in(graph, node), what);
}

API(cudaGraphExecHostNodeSetParams, struct exec_graph *graph, const struct exec_node *node,
    const struct cuda_host_node *what)
{
    ENTER();
    return cudaGraphHostNodeSetParams(graph_copy_in(graph, node), what);
}

API(cudaGraphAddKernelNode, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    size_t count, const struct cuda_kernel_node *what)
{
    ENTER();
    cuda_error code;
    struct exec_node *node = add(out, what ? graph : NULL, after, count, NODE_EMPTY, &code);
    if (!node)
        return code;
    code = node_set_kernel(node, what);
    if (code)
        node_remove(node);
    return code ? exec_answer(code) : exec_ready();
}

API(cudaGraphKernelNodeSetParams, struct exec_node *node, const struct cuda_kernel_node *what)
{
    ENTER();
    if (!node || !what || node->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    return exec_answer(node_set_kernel(node, what));
}

API(cudaGraphExecKernelNodeSetParams, struct exec_graph *graph, const struct exec_node *node,
    const struct cuda_kernel_node *what)
{
    ENTER();
    return cudaGraphKernelNodeSetParams(graph_copy_in(graph, node), what);
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
    node_set_attribute(node, id, value);
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

API(cudaGraphKernelNodeCopyAttributes, struct exec_node *to, const struct exec_node *from)
{
    ENTER();
    if (!to || !from || to->type != NODE_KERNEL || from->type != NODE_KERNEL)
        return exec_answer(CUDA_INVALID_VALUE);
    to->attributes = from->attributes;
    return exec_ready();
}

static bool is_direction(int kind)
{
    return kind >= HOST_TO_HOST && kind <= BY_POINTERS;
}

API(cudaGraphAddMemcpyNode1D, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, void *to, const void *from, size_t bytes, int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return is_direction(kind) ? cudaGraphAddMemcpyNode(out, graph, after, count, &what)
                              : exec_answer(CUDA_INVALID_DIRECTION);
}

API(cudaGraphMemcpyNodeSetParams1D, struct exec_node *node, void *to, const void *from, size_t bytes,
    int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return is_direction(kind) ? cudaGraphMemcpyNodeSetParams(node, &what)
                              : exec_answer(CUDA_INVALID_DIRECTION);
}

API(cudaGraphExecMemcpyNodeSetParams1D, struct exec_graph *graph, const struct exec_node *node, void *to,
    const void *from, size_t bytes, int kind)
{
    ENTER();
    const struct cuda_copy_3d what = copy_line(to, from, bytes, kind);
    return is_direction(kind) ? cudaGraphExecMemcpyNodeSetParams(graph, node, &what)
                              : exec_answer(CUDA_INVALID_DIRECTION);
}

// ---- copies of variables -------------------------------------------------------------------------------------------------

API(cudaGraphAddMemcpyNodeToSymbol, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, const void *symbol, const void *from, size_t bytes,
    size_t offset, int kind)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = copy_to_symbol(&what, symbol, offset, from, bytes);
    return code ? exec_answer(code) : cudaGraphAddMemcpyNode(out, graph, after, count, &what);
}

API(cudaGraphMemcpyNodeSetParamsToSymbol, struct exec_node *node, const void *symbol, const void *from,
    size_t bytes, size_t offset, int kind)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = copy_to_symbol(&what, symbol, offset, from, bytes);
    return code ? exec_answer(code) : cudaGraphMemcpyNodeSetParams(node, &what);
}

API(cudaGraphExecMemcpyNodeSetParamsToSymbol, struct exec_graph *graph, const struct exec_node *node,
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    ENTER();
    return cudaGraphMemcpyNodeSetParamsToSymbol(graph_copy_in(graph, node), symbol, from, bytes, offset,
                                                kind);
}

API(cudaGraphAddMemcpyNodeFromSymbol, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, void *to, const void *symbol, size_t bytes, size_t offset,
    int kind)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = copy_from_symbol(&what, to, symbol, offset, bytes);
    return code ? exec_answer(code) : cudaGraphAddMemcpyNode(out, graph, after, count, &what);
}

API(cudaGraphMemcpyNodeSetParamsFromSymbol, struct exec_node *node, void *to, const void *symbol,
    size_t bytes, size_t offset, int kind)
{
    ENTER();
    struct cuda_copy_3d what;
    cuda_error code = copy_from_symbol(&what, to, symbol, offset, bytes);
    return code ? exec_answer(code) : cudaGraphMemcpyNodeSetParams(node, &what);
}

API(cudaGraphExecMemcpyNodeSetParamsFromSymbol, struct exec_graph *graph, const struct exec_node *node,
    void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    ENTER();
    return cudaGraphMemcpyNodeSetParamsFromSymbol(graph_copy_in(graph, node), to, symbol, bytes, offset,
                                                  kind);
}

// ---- events, graphs, memory ------------------------------------------------------------------------------------------------

cuda_error graph_add_memory(struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
                            size_t count, enum graph_memory does, void *pointer, size_t bytes)
{
    cuda_error code;
    struct exec_node *node = add(out, graph, after, count, (enum node_type)does, &code);
    if (node)
        node->memory = (struct graph_piece){ pointer, bytes };
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
    cuda_error code;
    (void)add(out, graph, after, count, NODE_EMPTY, &code);
    return code;
}

// Nodes of an event, in the same four ways.
#define EVENTS(add_name, set_name, exec_name, get_name, node_type)                                           \
    API(add_name, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,          \
        size_t count, struct exec_event *event)                                                              \
    {                                                                                                        \
        ENTER();                                                                                             \
        cuda_error code;                                                                                     \
        struct exec_node *node = add(out, event ? graph : NULL, after, count, node_type, &code);             \
        if (node)                                                                                            \
            node->event = event;                                                                             \
        return code;                                                                                         \
    }                                                                                                        \
    API(set_name, struct exec_node *node, struct exec_event *event)                                          \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !event || node->type != node_type)                                                      \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        node->event = event;                                                                                 \
        return exec_ready();                                                                                 \
    }                                                                                                        \
    API(exec_name, struct exec_graph *graph, const struct exec_node *node, struct exec_event *event)         \
    {                                                                                                        \
        ENTER();                                                                                             \
        return set_name(graph_copy_in(graph, node), event);                                                  \
    }                                                                                                        \
    API(get_name, const struct exec_node *node, struct exec_event **event)                                   \
    {                                                                                                        \
        ENTER();                                                                                             \
        if (!node || !event || node->type != node_type)                                                      \
            return exec_answer(CUDA_INVALID_VALUE);                                                          \
        *event = node->event;                                                                                \
        return exec_ready();                                                                                 \
    }
EVENTS(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
       cudaGraphEventRecordNodeGetEvent, NODE_RECORD)
EVENTS(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
       cudaGraphEventWaitNodeGetEvent, NODE_WAIT)

API(cudaGraphAddChildGraphNode, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, struct exec_graph *child)
{
    ENTER();
    if (!child)
        return exec_answer(CUDA_INVALID_VALUE);
    if (graph_has_memory(child))
        return graph_has_memory_error("cannot be a node of another one");
    struct exec_graph *copy = graph_copy_of(child);
    if (!copy)
        return exec_answer(CUDA_NO_MEMORY);
    cuda_error code;
    struct exec_node *node = add(out, graph, after, count, NODE_EMPTY, &code);
    if (!node) {
        graph_drop(copy);
        return code;
    }
    node->type = NODE_CHILD;
    node->child = copy;
    return CUDA_OK;
}

API(cudaGraphChildGraphNodeGetGraph, const struct exec_node *node, struct exec_graph **child)
{
    ENTER();
    if (!node || !child || node->type != NODE_CHILD)
        return exec_answer(CUDA_INVALID_VALUE);
    *child = node->child;
    return exec_ready();
}

API(cudaGraphExecChildGraphNodeSetParams, struct exec_graph *graph, const struct exec_node *model,
    struct exec_graph *child)
{
    ENTER();
    struct exec_node *node = graph_copy_in(graph, model);
    if (!node || !child || node->type != NODE_CHILD)
        return exec_answer(CUDA_INVALID_VALUE);
    struct exec_graph *copy = graph_copy_of(child);
    if (!copy)
        return exec_answer(CUDA_NO_MEMORY);
    graph_drop(node->child);
    node->child = copy;
    return exec_ready();
}

// ---- nodes of any type -----------------------------------------------------------------------------------------------------

struct cuda_node {
    int type, reserved[3];
    union {
        long long room[29];
        struct cuda_kernel_node kernel;
        struct {
            int flags, reserved[3];
            struct cuda_copy_3d copy;
        } copy;
        struct cuda_fill fill;
        struct cuda_host_node host;
        struct exec_graph *child;
        struct exec_event *event;
        struct cuda_take_node take;
        void *give;
    } of;
    long long end;
};

static cuda_error add_any(struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
                          size_t count, struct cuda_node *what)
{
    if (!what)
        return exec_answer(CUDA_INVALID_VALUE);
    switch (what->type) {
    case NODE_KERNEL:
        return cudaGraphAddKernelNode(out, graph, after, count, &what->of.kernel);
    case NODE_COPY:
        return cudaGraphAddMemcpyNode(out, graph, after, count, &what->of.copy.copy);
    case NODE_FILL:
        return cudaGraphAddMemsetNode(out, graph, after, count, &what->of.fill);
    case NODE_HOST:
        return cudaGraphAddHostNode(out, graph, after, count, &what->of.host);
    case NODE_CHILD:
        return cudaGraphAddChildGraphNode(out, graph, after, count, what->of.child);
    case NODE_EMPTY:
        return cudaGraphAddEmptyNode(out, graph, after, count);
    case NODE_WAIT:
        return cudaGraphAddEventWaitNode(out, graph, after, count, what->of.event);
    case NODE_RECORD:
        return cudaGraphAddEventRecordNode(out, graph, after, count, what->of.event);
    case NODE_TAKES:
        return cudaGraphAddMemAllocNode(out, graph, after, count, &what->of.take);
    case NODE_GIVES:
        return cudaGraphAddMemFreeNode(out, graph, after, count, what->of.give);
    default:
        break;
    }
    report_missing("a graph node with a condition, or of a semaphore of another program",
                   "Let the host decide what to launch between two graphs.");
    return exec_answer(CUDA_NOT_SUPPORTED);
}

// Since CUDA 13, and in the second version before, data of the edges come before their number.
API(cudaGraphAddNode_v2, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    const void *edges, size_t count, struct cuda_node *what)
{
    ENTER();
    return add_any(out, graph, after, count, what);
}

API(cudaGraphAddNode, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    uintptr_t edges_or_count, uintptr_t count_or_what, struct cuda_node *what)
{
    ENTER();
    return exec_major > 12 ? add_any(out, graph, after, count_or_what, what)
                           : add_any(out, graph, after, edges_or_count,
                                     (struct cuda_node *)count_or_what); // NOLINT(performance-no-int-to-ptr)
}

API(cudaGraphNodeSetParams, struct exec_node *node, const struct cuda_node *what)
{
    ENTER();
    if (!node || !what || (int)node->type != what->type)
        return exec_answer(CUDA_INVALID_VALUE);
    switch (node->type) {
    case NODE_KERNEL:
        return cudaGraphKernelNodeSetParams(node, &what->of.kernel);
    case NODE_COPY:
        return cudaGraphMemcpyNodeSetParams(node, &what->of.copy.copy);
    case NODE_FILL:
        return cudaGraphMemsetNodeSetParams(node, &what->of.fill);
    case NODE_HOST:
        return cudaGraphHostNodeSetParams(node, &what->of.host);
    case NODE_WAIT:
        return cudaGraphEventWaitNodeSetEvent(node, what->of.event);
    case NODE_RECORD:
        return cudaGraphEventRecordNodeSetEvent(node, what->of.event);
    default:
        return exec_answer(CUDA_INVALID_VALUE);
    }
}

API(cudaGraphExecNodeSetParams, struct exec_graph *graph, const struct exec_node *node,
    const struct cuda_node *what)
{
    ENTER();
    if (what && what->type == NODE_CHILD)
        return cudaGraphExecChildGraphNodeSetParams(graph, node, what->of.child);
    if (what && what->type == NODE_COPY)
        return cudaGraphExecMemcpyNodeSetParams(graph, node, &what->of.copy.copy);
    return cudaGraphNodeSetParams(graph_copy_in(graph, node), what);
}

// ---- questions -------------------------------------------------------------------------------------------------------------

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
    if (!node || graph_captures(node->capture))
        return exec_answer(CUDA_INVALID_VALUE);
    if (graph_has_memory(node->graph))
        return graph_has_memory_error("keeps its nodes");
    node_remove(node);
    return exec_ready();
}

API(cudaGraphNodeFindInClone, struct exec_node **out, const struct exec_node *node,
    const struct exec_graph *graph)
{
    ENTER();
    if (out)
        *out = graph_copy_in(graph, node);
    return out && *out ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}
