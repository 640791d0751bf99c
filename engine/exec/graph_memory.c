// Memory that belongs to graphs: taken and given by nodes of theirs, or by streams while they are captured. It is there from
// the node on and stays to the end: nodes of it do nothing when the graph is launched, and each launch finds the same
// address, as on hardware.
#include "engine/exec/graph.h"

#include <string.h>

// What the memory of graphs takes; as it never shrinks, it is the highest figure, too.
API(cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value)
{
    ENTER();
    enum { ATTRIBUTES = 4 };
    if (device || !value || attribute < 0 || attribute >= ATTRIBUTES)
        return exec_answer(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    *(uint64_t *)value = memory_of_graphs();
    return exec_ready();
}

API(cudaDeviceSetGraphMemAttribute, int device, int attribute, const void *value)
{
    ENTER();
    if (device || !value)
        return exec_answer(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    return exec_ready();
}

API(cudaDeviceGraphMemTrim, int device)
{
    ENTER();
    return device ? exec_answer(CUDA_INVALID_DEVICE) : exec_ready();
}

API(cudaGraphAddMemAllocNode, struct exec_node **out, struct exec_graph *graph,
    struct exec_node *const *after, size_t count, struct cuda_take_node *what)
{
    ENTER();
    enum { PINNED = 1 };
    int type = 0;
    if (what)
        memcpy(&type, what->pool, sizeof type);
    if (out && graph && what && what->bytes && type != PINNED)
        return exec_answer(graph_refuse("its poolProps.allocType has to be cudaMemAllocationTypePinned"));
    const bool fits = out && graph && what && what->bytes;
    cuda_error code = fits ? memory_take_for_graph(&what->pointer, what->bytes) : CUDA_INVALID_VALUE;
    return code ? exec_answer(code)
                : graph_add_memory(out, graph, after, count, GRAPH_TAKES, what->pointer, what->bytes);
}

API(cudaGraphAddMemFreeNode, struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
    size_t count, void *pointer)
{
    ENTER();
    const struct exec_block *b = memory_block(pointer, false);
    if (!b || !b->of_graph || b->address != (uintptr_t)pointer || !graph)
        return exec_answer(CUDA_INVALID_VALUE);
    for (const struct exec_node *n = graph->first; n; n = n->next)
        if (n->type == NODE_GIVES && n->memory.pointer == pointer)
            return exec_answer(graph_refuse("another node of the graph gives this memory back already"));
    return graph_add_memory(out, graph, after, count, GRAPH_GIVES, pointer, 0);
}

API(cudaGraphMemAllocNodeGetParams, const struct exec_node *node, struct cuda_take_node *out)
{
    ENTER();
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = (struct cuda_take_node){ .access = NULL };
    out->pointer = graph_memory_of(node, GRAPH_TAKES, &out->bytes);
    return out->pointer ? exec_ready() : exec_answer(CUDA_INVALID_VALUE);
}

API(cudaGraphMemFreeNodeGetParams, const struct exec_node *node, void **out)
{
    ENTER();
    size_t bytes;
    void *pointer = graph_memory_of(node, GRAPH_GIVES, &bytes);
    if (!out || !pointer)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = pointer;
    return exec_ready();
}
