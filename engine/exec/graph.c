// Graphs: operations that are noted down, by a capture of streams or one by one, and done at each launch of the graph, in an
// order that their dependencies allow: that in which they were noted, where it is one.
#include "engine/exec/graph.h"

#include <stdlib.h>
#include <string.h>

// ---- nodes -------------------------------------------------------------------------------------------------------------

static void drop_content(struct exec_node *node)
{
    if (node->type == NODE_KERNEL)
        free(node->kernel.arguments);
    if (node->type == NODE_CHILD)
        graph_drop(node->child);
    nodes_drop(&node->after);
}

// The arguments' pointers and then their bytes are one piece of memory.
cuda_error node_set_kernel(struct exec_node *node, const struct cuda_kernel_node *what)
{
    size_t count, bytes = 0;
    const struct sim_parameter *parameters = launch_parameters(what->function, &count);
    if (!parameters && count)
        return launch_unknown(what->function);
    if (count && !what->arguments)
        return CUDA_INVALID_VALUE;
    const cuda_error code = launch_fits(what->function, what->grid, what->block, what->shared_bytes);
    if (code)
        return code;
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

struct exec_node *node_add(struct exec_graph *graph, enum node_type type)
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

void node_remove(struct exec_node *node)
{
    struct exec_node **at = &node->graph->first;
    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    if (!node->next)
        node->graph->end = at;
    for (struct exec_node *n = node->graph->first; n; n = n->next)
        nodes_remove(&n->after, node);
    drop_content(node);
    free(node);
}

struct exec_graph *graph_new(void)
{
    struct exec_graph *graph = calloc(1, sizeof *graph);
    if (graph)
        graph->end = &graph->first;
    return graph;
}

bool graph_has_memory(const struct exec_graph *graph)
{
    const struct exec_node *n = graph->first;
    while (n && n->type != NODE_TAKES && n->type != NODE_GIVES)
        n = n->next;
    return n;
}

cuda_error graph_has_memory_error(const char *rule)
{
    report_host(REPORT_ERROR, "invalid graph", NULL, "%s: a graph that takes or gives back memory %s.",
                exec_function(), rule);
    return exec_answer(CUDA_NOT_SUPPORTED);
}

void graph_drop(struct exec_graph *graph)
{
    struct exec_node *next;
    for (struct exec_node *n = graph ? graph->first : NULL; n; n = next) {
        next = n->next;
        drop_content(n);
        free(n);
    }
    if (graph)
        graph_users_drop(graph);
    if (graph && graph->twin)
        graph->twin->twin = NULL;
    free(graph);
}

// What a node does, without what it depends on; false: no memory.
static bool copy_content(struct exec_node *to, const struct exec_node *from)
{
    struct exec_node *next = to->next;
    struct exec_graph *graph = to->graph;
    if (from->type == NODE_KERNEL) {
        to->attributes = from->attributes;
        return node_set_kernel(to, &from->kernel) == CUDA_OK;
    }
    if (from->type == NODE_CHILD) {
        to->child = graph_copy_of(from->child);
        to->type = to->child ? NODE_CHILD : NODE_EMPTY;
        return to->child;
    }
    *to = *from;
    to->next = next;
    to->graph = graph;
    to->after = (struct exec_nodes){ 0 };
    return true;
}

struct exec_graph *graph_copy_of(struct exec_graph *from)
{
    size_t count = 0;
    for (struct exec_node *n = from->first; n; n = n->next)
        n->rank = count++;
    struct exec_graph *graph = graph_new();
    struct exec_node **copies = calloc(count + 1, sizeof *copies);
    bool good = graph && copies && graph_users_copy(graph, from);
    for (const struct exec_node *n = from->first; good && n; n = n->next) {
        struct exec_node *node = copies[n->rank] = node_add(graph, NODE_EMPTY);
        good = node && copy_content(node, n);
        if (!good)
            break;
        node->off = n->off;
        node->model = n;
        node->capture = 0;
    }
    for (const struct exec_node *n = from->first; good && n; n = n->next)
        for (size_t i = 0; good && i < n->after.count; i++)
            good = nodes_add(&copies[n->rank]->after, copies[n->after.all[i]->rank]);
    free(copies);
    if (good)
        return graph;
    graph_drop(graph);
    return NULL;
}

struct exec_node *graph_copy_in(const struct exec_graph *graph, const struct exec_node *model)
{
    struct exec_node *node = graph && model ? graph->first : NULL;
    while (node && node->model != model)
        node = node->next;
    return node;
}

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
        return graph_do(node->child);
    case NODE_RECORD:
        return stream_record(node->event);
    case NODE_TAKES:
    case NODE_GIVES:
        memory_block(node->memory.pointer, true)->taken = node->type == NODE_TAKES;
        break;
    case NODE_WAIT:
    case NODE_EMPTY:
        break;
    }
    return CUDA_OK;
}

cuda_error graph_do(const struct exec_graph *graph)
{
    cuda_error code = CUDA_OK;
    for (const struct exec_node *n = graph->first; n && !code; n = n->next)
        code = n->off ? CUDA_OK : do_node(n);
    return code;
}

// ---- graphs ------------------------------------------------------------------------------------------------------------

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

// ---- instantiated graphs ------------------------------------------------------------------------------------------------

API(cudaGraphClone, struct exec_graph **out, struct exec_graph *graph)
{
    ENTER();
    if (!out || !graph)
        return exec_answer(CUDA_INVALID_VALUE);
    if (graph_has_memory(graph))
        return graph_has_memory_error("cannot be cloned");
    *out = graph_copy_of(graph);
    return *out ? exec_ready() : exec_answer(CUDA_NO_MEMORY);
}

API(cudaGraphInstantiateWithFlags, struct exec_graph **out, struct exec_graph *graph,
    unsigned long long flags)
{
    ENTER();
    enum { INSTANTIATE_FLAGS = 15 };
    const cuda_error unsafe = graph_unsafe();
    if (unsafe || !out || !graph || flags & ~(unsigned long long)INSTANTIATE_FLAGS)
        return unsafe ? unsafe : exec_answer(CUDA_INVALID_VALUE);
    if (!graph_order(graph))
        return exec_answer(
            graph_refuse("its nodes depend on each other in a circle, and none can run first"));
    if (graph->twin)
        return graph_has_memory_error(
            "can be instantiated again only when what was instantiated before is destroyed");
    *out = graph_copy_of(graph);
    if (!*out)
        return exec_answer(CUDA_NO_MEMORY);
    (*out)->flags = flags;
    if (graph_has_memory(graph)) {
        (*out)->twin = graph;
        graph->twin = *out;
    }
    return exec_ready();
}

// Before CUDA 12, it is told where to say what is wrong, and no flags.
API(cudaGraphInstantiate, struct exec_graph **out, struct exec_graph *graph, uintptr_t flags_or_node,
    char *said, size_t size)
{
    ENTER();
    if (exec_major > 11)
        return cudaGraphInstantiateWithFlags(out, graph, flags_or_node);
    if (flags_or_node)
        *(void **)flags_or_node = NULL;
    if (said && size)
        *said = '\0';
    return cudaGraphInstantiateWithFlags(out, graph, 0);
}

struct cuda_instantiation {
    unsigned long long flags;
    struct exec_stream *upload;
    struct exec_node *wrong; // told
    int result;              // told
};
API(cudaGraphInstantiateWithParams, struct exec_graph **out, struct exec_graph *graph,
    struct cuda_instantiation *how)
{
    ENTER();
    enum { DONE, FAILED };
    if (!how)
        return exec_answer(CUDA_INVALID_VALUE);
    const cuda_error code = cudaGraphInstantiateWithFlags(out, graph, how->flags);
    how->wrong = NULL;
    how->result = code ? FAILED : DONE;
    return code;
}
API_ALSO(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

API(cudaGraphUpload, const struct exec_graph *graph, struct exec_stream *stream)
{
    ENTER();
    const cuda_error code = stream_takes(stream);
    return code ? code : graph ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

// What an earlier launch took has been given back, or the graph was instantiated to do that itself.
static cuda_error take_again(const struct exec_graph *graph)
{
    enum { FREES_ON_LAUNCH = 1 };
    for (const struct exec_node *n = graph->first; n; n = n->next) {
        struct exec_block *b = n->type == NODE_TAKES ? memory_block(n->memory.pointer, true) : NULL;
        if (!b || !b->taken)
            continue;
        b->taken = !(graph->flags & FREES_ON_LAUNCH);
        if (b->taken) {
            report_host(REPORT_ERROR, "invalid graph", NULL,
                        "%s: %s, which an earlier launch of the graph took, was not given back. Free it by "
                        "cudaFreeAsync, or instantiate the graph with "
                        "cudaGraphInstantiateFlagAutoFreeOnLaunch (made by %s).",
                        exec_function(), b->name, b->made);
            return exec_answer(CUDA_INVALID_VALUE);
        }
    }
    return CUDA_OK;
}

API(cudaGraphLaunch, struct exec_graph *graph, const struct exec_stream *stream)
{
    ENTER();
    cuda_error code = stream_takes(stream);
    if (code)
        return code;
    if (!graph || exec_ready())
        return exec_answer(graph ? exec.sticky : CUDA_INVALID_VALUE);
    if (!graph_takes(stream)) {
        code = take_again(graph);
        return code ? code : graph_do(graph);
    }
    if (graph_has_memory(graph))
        return graph_breaks(stream,
                            "launches a graph that takes or gives back memory, which is part of no other");
    struct exec_node *node = graph_note(stream, NODE_EMPTY, &code);
    if (!node)
        return code;
    node->child = graph_copy_of(graph);
    node->type = node->child ? NODE_CHILD : NODE_EMPTY;
    return node->child ? CUDA_OK : exec_answer(CUDA_NO_MEMORY);
}
API_ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

API(cudaGraphExecGetFlags, const struct exec_graph *graph, unsigned long long *flags)
{
    ENTER();
    if (!graph || !flags)
        return exec_answer(CUDA_INVALID_VALUE);
    *flags = graph->flags;
    return exec_ready();
}

static bool can_be_off(const struct exec_node *node)
{
    return node->type == NODE_KERNEL || node->type == NODE_COPY || node->type == NODE_FILL;
}

API(cudaGraphNodeSetEnabled, const struct exec_graph *graph, const struct exec_node *node, unsigned on)
{
    ENTER();
    struct exec_node *copy = graph_copy_in(graph, node);
    if (!copy || !can_be_off(copy))
        return exec_answer(CUDA_INVALID_VALUE);
    copy->off = !on;
    return exec_ready();
}

API(cudaGraphNodeGetEnabled, const struct exec_graph *graph, const struct exec_node *node, unsigned *on)
{
    ENTER();
    const struct exec_node *copy = graph_copy_in(graph, node);
    if (!copy || !on || !can_be_off(copy))
        return exec_answer(CUDA_INVALID_VALUE);
    *on = !copy->off;
    return exec_ready();
}

// As cudaGraphExecUpdateResult.
enum update_result { UPDATED, UPDATE_ERROR, TOPOLOGY_CHANGED, TYPE_CHANGED, PARAMETERS_CHANGED = 5 };
struct cuda_update {
    int result;
    struct exec_node *wrong, *wrong_from; // nodes of the graph
};

// Whether the nodes of `graph` can take the places of those that are there: in the same order, with as many dependencies, of
// the same types, and copies between the same sides.
static enum update_result compare(const struct exec_graph *there, const struct exec_graph *graph,
                                  struct exec_node **wrong)
{
    const struct exec_node *a = there->first;
    struct exec_node *b = graph->first;
    for (; a && b && a->after.count == b->after.count; b = b->next)
        a = a->next;
    if (a || b)
        return TOPOLOGY_CHANGED;
    for (a = there->first, b = graph->first; a; a = a->next, b = b->next) {
        *wrong = b;
        if (a->type != b->type)
            return TYPE_CHANGED;
        if (a->type == NODE_COPY && !copy_is_alike(&a->copy, &b->copy))
            return PARAMETERS_CHANGED;
    }
    *wrong = NULL;
    return UPDATED;
}

static cuda_error update(struct exec_graph *there, struct exec_graph *graph)
{
    struct exec_graph *copy = graph_copy_of(graph);
    if (!copy)
        return exec_answer(CUDA_NO_MEMORY);
    // Nodes are known by those of the first graph.
    for (struct exec_node *old = there->first, *new = copy->first; old &&new;
         old = old->next, new = new->next)
        new->model = old->model;
    copy->flags = there->flags;
    copy->twin = there->twin;
    struct exec_graph old = *there;
    *there = *copy;
    *copy = old;
    copy->twin = NULL;
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

// What it says: since CUDA 12 as a structure, before as the node and then the result.
API(cudaGraphExecUpdate, struct exec_graph *there, struct exec_graph *graph, void *info, int *old_result)
{
    ENTER();
    if (!there || !graph)
        return exec_answer(CUDA_INVALID_VALUE);
    struct cuda_update said = { 0 };
    said.result = compare(there, graph, &said.wrong);
    if (info && exec_major > 11)
        *(struct cuda_update *)info = said;
    if (info && exec_major < 12)
        *(struct exec_node **)info = said.wrong;
    if (old_result && exec_major < 12)
        *old_result = said.result;
    if (said.result == UPDATED)
        return update(there, graph);
    report_host(REPORT_NOTE, "graph not updated", NULL, "%s changes nothing: %s. Instantiate it anew.",
                exec_function(),
                said.result == TOPOLOGY_CHANGED
                    ? "the graph has other nodes, or other dependencies, than the one that was instantiated"
                : said.result == TYPE_CHANGED
                    ? "a node of the graph is of another type than the one that was instantiated"
                    : "a copy of the graph is between other sides, host or device, than the one that was "
                      "instantiated");
    return exec_answer(CUDA_GRAPH_UPDATE);
}
