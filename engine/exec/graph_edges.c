// What nodes of a graph depend on: noted, asked for, and drawn.
#include "engine/exec/graph.h"

#include <stdlib.h>
#include <string.h>

// ---- sets of nodes ---------------------------------------------------------------------------------------------------

void nodes_drop(struct exec_nodes *nodes)
{
    free(nodes->all);
    *nodes = (struct exec_nodes){ 0 };
}

bool nodes_have(const struct exec_nodes *nodes, const struct exec_node *node)
{
    size_t i = 0;
    while (i < nodes->count && nodes->all[i] != node)
        i++;
    return i < nodes->count;
}

bool nodes_add(struct exec_nodes *nodes, struct exec_node *node)
{
    if (nodes_have(nodes, node))
        return true;
    struct exec_node **more = realloc(nodes->all, (nodes->count + 1) * sizeof *more);
    if (!more)
        return false;
    nodes->all = more;
    more[nodes->count++] = node;
    return true;
}

bool nodes_remove(struct exec_nodes *nodes, const struct exec_node *node)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->all[i] == node) {
            nodes->count--;
            memmove(&nodes->all[i], &nodes->all[i + 1], (nodes->count - i) * sizeof *nodes->all);
            return true;
        }
    return false;
}

// ---- dependencies ------------------------------------------------------------------------------------------------------

cuda_error graph_refuse(const char *why)
{
    report_host(REPORT_ERROR, "invalid graph", NULL, "%s: %s.", exec_function(), why);
    return CUDA_INVALID_VALUE;
}

cuda_error node_after(struct exec_node *node, struct exec_node *const *after, size_t count)
{
    cuda_error code = count && !after
                          ? graph_refuse("there is no array of nodes to depend on, but a number of them")
                          : CUDA_OK;
    for (size_t i = 0; i < count && !code; i++)
        if (!after[i])
            code = graph_refuse("a node to depend on is null: it has not been added yet");
        else if (after[i]->graph != node->graph)
            code = graph_refuse("a node to depend on is of another graph");
        else if (nodes_have(&node->after, after[i]))
            code = graph_refuse("it names a node to depend on twice");
        else if (!nodes_add(&node->after, after[i]))
            code = CUDA_NO_MEMORY;
    if (code)
        node_remove(node);
    return code ? exec_answer(code) : exec_ready();
}

// Puts a node after those that it depends on. `rank` says whether that has begun (1) or is done (2). False: a circle.
static bool settle(struct exec_node *node, struct exec_node ***end)
{
    if (node->rank)
        return node->rank > 1;
    node->rank = 1;
    for (size_t i = 0; i < node->after.count; i++)
        if (!settle(node->after.all[i], end))
            return false;
    node->rank = 2;
    **end = node;
    *end = &node->next;
    return true;
}

bool graph_order(struct exec_graph *graph)
{
    size_t count = 0;
    for (struct exec_node *n = graph->first; n; n = n->next, count++)
        n->rank = 0;
    struct exec_node **all = calloc(count + 1, sizeof *all), *first = NULL, **end = &first;
    size_t i = 0;
    for (struct exec_node *n = all ? graph->first : NULL; n; n = n->next)
        all[i++] = n;
    bool good = all;
    for (i = 0; good && i < count; i++)
        good = settle(all[i], &end);
    if (!good) { // as before
        end = &first;
        for (i = 0; all && i < count; i++) {
            *end = all[i];
            end = &all[i]->next;
        }
    }
    if (all && count) {
        *end = NULL;
        graph->first = first;
        graph->end = end;
    }
    free(all);
    return good;
}

static cuda_error depend(struct exec_graph *graph, struct exec_node *const *from, struct exec_node *const *to,
                         size_t count)
{
    cuda_error code = graph && (!count || (from && to)) ? CUDA_OK : CUDA_INVALID_VALUE;
    size_t added = 0;
    for (; added < count && !code; added += !code) {
        struct exec_node *one = from[added], *other = to[added];
        if (!one || !other || one->graph != graph || other->graph != graph)
            code = graph_refuse("a node is null, or of another graph");
        else if (one == other)
            code = graph_refuse("a node would depend on itself");
        else if (nodes_have(&other->after, one))
            code = graph_refuse("a node depends on the other already");
        else if (!nodes_add(&other->after, one))
            code = CUDA_NO_MEMORY;
    }
    if (!code)
        (void)graph_order(graph); // of a circle nobody hears before it is instantiated
    for (size_t i = 0; code && i < added; i++)
        (void)nodes_remove(&to[i]->after, from[i]);
    return code ? exec_answer(code) : exec_ready();
}

static cuda_error release(const struct exec_graph *graph, struct exec_node *const *from,
                          struct exec_node *const *to, size_t count)
{
    cuda_error code = graph && (!count || (from && to)) ? CUDA_OK : CUDA_INVALID_VALUE;
    if (graph && graph_has_memory(graph))
        return graph_has_memory_error("keeps its dependencies");
    for (size_t i = 0; i < count && !code; i++)
        if (!from[i] || !to[i] || !nodes_remove(&to[i]->after, from[i]))
            code = graph_refuse("a node does not depend on the other");
    return code ? exec_answer(code) : exec_ready();
}

// Since CUDA 13, and in the second versions before, data of the edges come before their number. They allow a node to begin
// sooner, which none does here.
API(cudaGraphAddDependencies, struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, uintptr_t edges_or_count, size_t count)
{
    ENTER();
    return depend(graph, from, to, exec_major > 12 ? count : edges_or_count);
}

API(cudaGraphAddDependencies_v2, struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, const void *edges, size_t count)
{
    ENTER();
    return depend(graph, from, to, count);
}

API(cudaGraphRemoveDependencies, const struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, uintptr_t edges_or_count, size_t count)
{
    ENTER();
    return release(graph, from, to, exec_major > 12 ? count : edges_or_count);
}

API(cudaGraphRemoveDependencies_v2, const struct exec_graph *graph, struct exec_node *const *from,
    struct exec_node *const *to, const void *edges, size_t count)
{
    ENTER();
    return release(graph, from, to, count);
}

// ---- questions ---------------------------------------------------------------------------------------------------------

// What a question is answered with: as many as there is room for. No room at all asks how many there are.
struct answer {
    struct exec_node **nodes, **others; // `others`: the other ends of edges
    uint64_t *edges;
    size_t room, count;
};

static struct answer answer_to(struct exec_node **nodes, struct exec_node **others, uint64_t *edges,
                               const size_t *count)
{
    return (struct answer){ nodes, others, edges, nodes && count ? *count : 0, 0 };
}

static void put(struct answer *to, struct exec_node *node, struct exec_node *other)
{
    const size_t i = to->count++;
    if (i >= to->room)
        return;
    to->nodes[i] = node;
    if (to->others)
        to->others[i] = other;
    if (to->edges)
        to->edges[i] = 0;
}

static cuda_error tell(const struct answer *from, bool good, size_t *count)
{
    if (!good || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    for (size_t i = from->count; i < from->room; i++) {
        from->nodes[i] = NULL;
        if (from->others)
            from->others[i] = NULL;
    }
    *count = from->nodes && from->room < from->count ? from->room : from->count;
    return exec_ready();
}

API(cudaGraphGetNodes, const struct exec_graph *graph, struct exec_node **nodes, size_t *count)
{
    ENTER();
    struct answer answer = answer_to(nodes, NULL, NULL, count);
    for (struct exec_node *n = graph ? graph->first : NULL; n; n = n->next)
        put(&answer, n, NULL);
    return tell(&answer, graph, count);
}

API(cudaGraphGetRootNodes, const struct exec_graph *graph, struct exec_node **nodes, size_t *count)
{
    ENTER();
    struct answer answer = answer_to(nodes, NULL, NULL, count);
    for (struct exec_node *n = graph ? graph->first : NULL; n; n = n->next)
        if (!n->after.count)
            put(&answer, n, NULL);
    return tell(&answer, graph, count);
}

static cuda_error tell_edges(const struct exec_graph *graph, struct answer answer, size_t *count)
{
    for (struct exec_node *n = graph ? graph->first : NULL; n; n = n->next)
        for (size_t i = 0; i < n->after.count; i++)
            put(&answer, n->after.all[i], n);
    return tell(&answer, graph, count);
}

static cuda_error tell_before(const struct exec_node *node, struct answer answer, size_t *count)
{
    for (size_t i = 0; node && i < node->after.count; i++)
        put(&answer, node->after.all[i], NULL);
    return tell(&answer, node, count);
}

static cuda_error tell_following(const struct exec_node *node, struct answer answer, size_t *count)
{
    for (struct exec_node *n = node ? node->graph->first : NULL; n; n = n->next)
        if (nodes_have(&n->after, node))
            put(&answer, n, NULL);
    return tell(&answer, node, count);
}

// As above, data of the edges come before the number in some versions.
API(cudaGraphGetEdges_v2, const struct exec_graph *graph, struct exec_node **from, struct exec_node **to,
    uint64_t *edges, size_t *count)
{
    ENTER();
    return tell_edges(graph, answer_to(from, to, edges, count), count);
}

API(cudaGraphGetEdges, const struct exec_graph *graph, struct exec_node **from, struct exec_node **to,
    void *edges_or_count, size_t *count)
{
    ENTER();
    return exec_major > 12 ? cudaGraphGetEdges_v2(graph, from, to, edges_or_count, count)
                           : cudaGraphGetEdges_v2(graph, from, to, NULL, edges_or_count);
}

API(cudaGraphNodeGetDependencies_v2, const struct exec_node *node, struct exec_node **nodes, uint64_t *edges,
    size_t *count)
{
    ENTER();
    return tell_before(node, answer_to(nodes, NULL, edges, count), count);
}

API(cudaGraphNodeGetDependencies, const struct exec_node *node, struct exec_node **nodes,
    void *edges_or_count, size_t *count)
{
    ENTER();
    return exec_major > 12 ? cudaGraphNodeGetDependencies_v2(node, nodes, edges_or_count, count)
                           : cudaGraphNodeGetDependencies_v2(node, nodes, NULL, edges_or_count);
}

API(cudaGraphNodeGetDependentNodes_v2, const struct exec_node *node, struct exec_node **nodes,
    uint64_t *edges, size_t *count)
{
    ENTER();
    return tell_following(node, answer_to(nodes, NULL, edges, count), count);
}

API(cudaGraphNodeGetDependentNodes, const struct exec_node *node, struct exec_node **nodes,
    void *edges_or_count, size_t *count)
{
    ENTER();
    return exec_major > 12 ? cudaGraphNodeGetDependentNodes_v2(node, nodes, edges_or_count, count)
                           : cudaGraphNodeGetDependentNodes_v2(node, nodes, NULL, edges_or_count);
}

// ---- a drawing -----------------------------------------------------------------------------------------------------------

static void write_label(FILE *to, const struct exec_node *node)
{
    static const char *const names[] = {
        [NODE_COPY] = "copy",           [NODE_FILL] = "fill",         [NODE_HOST] = "host function",
        [NODE_CHILD] = "graph",         [NODE_EMPTY] = "nothing",     [NODE_WAIT] = "wait for event",
        [NODE_RECORD] = "record event", [NODE_TAKES] = "take memory", [NODE_GIVES] = "give memory back"
    };
    char name[KERNEL_NAME];
    const struct exec_function *function =
        node->type == NODE_KERNEL ? module_function(node->kernel.function) : NULL;
    if (function)
        module_function_name(function, name, sizeof name);
    fputs(function ? name : node->type == NODE_KERNEL ? "kernel" : names[node->type], to);
}

// In the language of Graphviz; the flags ask for more than types, names and sizes.
API(cudaGraphDebugDotPrint, struct exec_graph *graph, const char *path, unsigned flags)
{
    ENTER();
    enum { OPERATING_SYSTEM = 304 };
    FILE *to = graph && path ? fopen(path, "w") : NULL;
    if (!to)
        return exec_answer(graph && path ? OPERATING_SYSTEM : CUDA_INVALID_VALUE);
    size_t count = 0;
    fputs("digraph graph_0 {\n", to);
    for (struct exec_node *n = graph->first; n; n = n->next) {
        n->rank = count++;
        fprintf(to, "  node_%zu [label=\"%zu: ", n->rank, n->rank);
        write_label(to, n);
        if (n->type == NODE_KERNEL)
            fprintf(to, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", n->kernel.grid.x, n->kernel.grid.y,
                    n->kernel.grid.z, n->kernel.block.x, n->kernel.block.y, n->kernel.block.z,
                    n->kernel.shared_bytes);
        fputs("\"];\n", to);
    }
    for (const struct exec_node *n = graph->first; n; n = n->next)
        for (size_t i = 0; i < n->after.count; i++)
            fprintf(to, "  node_%zu -> node_%zu;\n", n->after.all[i]->rank, n->rank);
    fputs("}\n", to);
    return fclose(to) ? exec_answer(OPERATING_SYSTEM) : exec_ready();
}
