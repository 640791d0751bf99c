// Basic blocks: who dominates whom, loops, and regions that are executed equally often. The same for PTX and for
// machine code, so that the two can be laid side by side.
#include "engine/model/assembler.h"

#include <stdlib.h>
#include <string.h>

// ---- trees ------------------------------------------------------------------------------------------------------

struct tree { // nodes in an order in which parents come before their children: a subtree is an interval
    int *from, *size;
};

static bool tree_number(struct tree *tree, const int *parent, const int *order, int ordered, int nodes)
{
    int *next = calloc((size_t)nodes + 1, sizeof(int)), roots = 0;
    tree->from = calloc((size_t)nodes + 1, sizeof(int));
    tree->size = calloc((size_t)nodes + 1, sizeof(int));
    bool ok = next && tree->from && tree->size;
    for (int i = ordered; ok && i-- > 0;) {
        tree->size[order[i]]++;
        if (parent[order[i]] >= 0)
            tree->size[parent[order[i]]] += tree->size[order[i]];
    }
    for (int i = 0; ok && i < ordered; i++) {
        int b = order[i], *at = parent[b] >= 0 ? &next[parent[b]] : &roots;
        tree->from[b] = *at;
        *at += tree->size[b];
        next[b] = tree->from[b] + 1;
    }
    free(next);
    return ok;
}

static void tree_free(struct tree *tree)
{
    free(tree->from);
    free(tree->size);
}

static bool above(const struct tree *tree, int a, int b) // or the same
{
    return tree->size[a] && tree->size[b] && tree->from[b] >= tree->from[a] &&
           tree->from[b] < tree->from[a] + tree->size[a];
}

// ---- dominators, as Cooper, Harvey and Kennedy find them ---------------------------------------------------------

struct edges {        // of a graph that is read forwards or backwards
    int *from, *list; // those of node i: list[from[i]] to list[from[i + 1]]
};

static bool edges_turn(const struct graph *graph, struct edges *out)
{
    int n = graph->count;
    out->from = calloc((size_t)n + 2, sizeof(int));
    out->list = calloc((size_t)n * GRAPH_EDGES + 1, sizeof(int));
    if (!out->from || !out->list)
        return false;
    for (int b = 0; b < n; b++)
        for (int k = 0; k < GRAPH_EDGES; k++)
            if (graph->blocks[b].next[k] >= 0)
                out->from[graph->blocks[b].next[k] + 2]++;
    for (int b = 0; b < n; b++)
        out->from[b + 2] += out->from[b + 1];
    for (int b = 0; b < n; b++)
        for (int k = 0; k < GRAPH_EDGES; k++)
            if (graph->blocks[b].next[k] >= 0)
                out->list[out->from[graph->blocks[b].next[k] + 1]++] = b;
    return true;
}

static void edges_free(struct edges *edges)
{
    free(edges->from);
    free(edges->list);
}

static int meet(const int *dominator, const int *place, int a, int b)
{
    while (a != b) {
        while (place[a] > place[b])
            a = dominator[a];
        while (place[b] > place[a])
            b = dominator[b];
    }
    return a;
}

// Forwards from the entry; the blocks that control cannot reach have no place.
static bool find_order(struct graph *graph)
{
    int n = graph->count;
    int *stack = malloc(((size_t)n + 1) * sizeof(int));
    unsigned char *next = calloc((size_t)n + 1, 1);
    if (!stack || !next) {
        free(stack);
        free(next);
        return false;
    }
    for (int b = 0; b < n; b++)
        graph->place[b] = -1;
    int depth = 1, left = n;
    stack[0] = 0;
    graph->place[0] = 0;
    while (depth) {
        int b = stack[depth - 1];
        if (next[b] == GRAPH_EDGES) {
            graph->order[--left] = b;
            depth--;
            continue;
        }
        int to = graph->blocks[b].next[next[b]++];
        if (to >= 0 && graph->place[to] < 0) {
            graph->place[to] = 0;
            stack[depth++] = to;
        }
    }
    graph->ordered = n - left;
    memmove(graph->order, graph->order + left, (size_t)graph->ordered * sizeof(int));
    for (int i = 0; i < graph->ordered; i++)
        graph->place[graph->order[i]] = i;
    free(stack);
    free(next);
    return true;
}

static void find_dominators(struct graph *graph, const struct edges *before)
{
    for (int b = 0; b < graph->count; b++)
        graph->dominator[b] = -1;
    graph->dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < graph->ordered; i++) {
            int b = graph->order[i], found = -1;
            for (int e = before->from[b]; e < before->from[b + 1]; e++) {
                int p = before->list[e];
                if (graph->dominator[p] >= 0)
                    found = found < 0 ? p : meet(graph->dominator, graph->place, p, found);
            }
            changed = changed || found != graph->dominator[b];
            graph->dominator[b] = found;
        }
    }
    graph->dominator[0] = -1;
}

// Backwards, from a node `count` that follows every end. A loop without an end has none either.
static bool find_postdominators(struct graph *graph, const struct edges *before, struct tree *tree)
{
    int n = graph->count, depth = 1, left = n;
    int *order = malloc(((size_t)n + 1) * sizeof(int)), *place = malloc(((size_t)n + 1) * sizeof(int));
    int *stack = malloc(((size_t)n + 2) * sizeof(int)), *at = calloc((size_t)n + 1, sizeof(int));
    int *found = malloc(((size_t)n + 1) * sizeof(int));
    bool ok = order && place && stack && at && found;
    for (int b = 0; ok && b <= n; b++)
        place[b] = found[b] = -1;
    if (ok) {
        stack[0] = n;
        place[n] = 0;
    }
    while (ok && depth) {
        int b = stack[depth - 1], to = -1;
        if (b == n) {
            for (; at[n] < n && to < 0; at[n]++) {
                const int *next = graph->blocks[at[n]].next;
                if ((next[0] == GRAPH_END || next[1] == GRAPH_END) && place[at[n]] < 0)
                    to = at[n];
            }
        } else {
            for (; at[b] < before->from[b + 1] - before->from[b] && to < 0; at[b]++)
                if (place[before->list[before->from[b] + at[b]]] < 0)
                    to = before->list[before->from[b] + at[b]];
        }
        if (to >= 0) {
            place[to] = 0;
            stack[depth++] = to;
        } else {
            order[left--] = b;
            depth--;
        }
    }
    int first = left + 1;
    for (int i = first; ok && i <= n; i++)
        place[order[i]] = i;
    if (ok)
        found[n] = n;
    for (bool changed = ok; changed;) {
        changed = false;
        for (int i = first + 1; i <= n; i++) {
            int b = order[i], best = -1;
            const int *next = graph->blocks[b].next;
            for (int k = 0; k < GRAPH_EDGES; k++) {
                int to = next[k] == GRAPH_END ? n : next[k];
                if (to >= 0 && found[to] >= 0)
                    best = best < 0 ? to : meet(found, place, to, best);
            }
            changed = changed || best != found[b];
            found[b] = best;
        }
    }
    for (int b = 0; ok && b < n; b++)
        graph->postdominator[b] = found[b] == n ? -1 : found[b];
    ok = ok && tree_number(tree, graph->postdominator, order + first + 1, n - first, n);
    free(order);
    free(place);
    free(stack);
    free(at);
    free(found);
    return ok;
}

// ---- loops and regions -------------------------------------------------------------------------------------------

// The header of the innermost loop that holds each block, -1: none; `outer` of a header: that of the loop around it.
static bool find_loops(const struct graph *graph, const struct edges *before, const struct tree *dominators,
                       int *header, int *outer)
{
    int *stack = malloc(((size_t)graph->count * (GRAPH_EDGES + 1) + 1) * sizeof(int));
    if (!stack)
        return false;
    for (int b = 0; b < graph->count; b++)
        header[b] = outer[b] = -1;
    for (int i = graph->ordered - 1; i >= 0; i--) { // inner loops before those around them
        int h = graph->order[i], depth = 0;
        for (int e = before->from[h]; e < before->from[h + 1]; e++)
            if (graph->place[before->list[e]] >= 0 && above(dominators, h, before->list[e]))
                stack[depth++] = before->list[e];
        bool loops = depth > 0;
        while (depth) {
            int b = stack[--depth], top = header[b];
            while (top >= 0 && outer[top] >= 0)
                top = outer[top]; // the outermost loop known so far
            if (b == h || top == h)
                continue;
            if (top < 0)
                header[b] = h;
            else
                outer[top] = h;
            int at = top < 0 ? b : top;
            for (int p = before->from[at]; p < before->from[at + 1]; p++)
                if (graph->place[before->list[p]] >= 0)
                    stack[depth++] = before->list[p];
        }
        if (loops)
            header[h] = h;
    }
    free(stack);
    return true;
}

static int region_new(struct graph *graph, int parent, int entry, bool loop)
{
    int at = graph->region_count++;
    int around = parent < 0 ? -1 : graph->regions[parent].iterated;
    graph->regions[at] = (struct graph_region){
        .parent = parent, .entry = entry, .loop = loop, .iterated = loop ? at : around
    };
    return at;
}

static bool inside(const int *header, const int *outer, int b, int loop)
{
    int h = header[b];
    while (h >= 0 && h != loop)
        h = outer[h];
    return loop < 0 || h == loop;
}

// A block belongs to the region of the nearest block that dominates it and is in no deeper loop, if it also follows
// that in any case.
static void find_regions(struct graph *graph, const struct tree *postdominators, const int *header,
                         const int *outer)
{
    for (int b = 0; b < graph->count; b++)
        graph->region[b] = -1;
    for (int i = 0; i < graph->ordered; i++) {
        int b = graph->order[i], a = graph->dominator[b];
        bool loop = header[b] == b;
        int around = loop ? outer[b] : header[b];
        while (a >= 0 && (!inside(header, outer, a, around) || header[a] != around))
            a = graph->dominator[a];
        bool same = a >= 0 && !loop && above(postdominators, b, a);
        int parent = a < 0 ? graph->dominator[b] : a;
        if (same)
            graph->region[b] = graph->region[a];
        else
            graph->region[b] = region_new(graph, parent < 0 ? -1 : graph->region[parent], b, loop);
    }
}

bool graph_analyse(struct graph *graph)
{
    size_t n = (size_t)graph->count + 1;
    struct edges before = { 0 };
    struct tree dominators = { 0 }, postdominators = { 0 };
    int *header = malloc(n * sizeof(int)), *outer = malloc(n * sizeof(int));
    graph->order = malloc(n * sizeof(int));
    graph->place = malloc(n * sizeof(int));
    graph->dominator = malloc(n * sizeof(int));
    graph->postdominator = malloc(n * sizeof(int));
    graph->region = malloc(n * sizeof(int));
    graph->regions = malloc(n * sizeof *graph->regions);
    bool ok = header && outer && graph->order && graph->place && graph->dominator && graph->postdominator &&
              graph->region && graph->regions && edges_turn(graph, &before) && find_order(graph);
    if (ok)
        find_dominators(graph, &before);
    ok = ok && tree_number(&dominators, graph->dominator, graph->order, graph->ordered, graph->count) &&
         find_postdominators(graph, &before, &postdominators) &&
         find_loops(graph, &before, &dominators, header, outer);
    if (ok)
        find_regions(graph, &postdominators, header, outer);
    edges_free(&before);
    tree_free(&dominators);
    tree_free(&postdominators);
    free(header);
    free(outer);
    return ok;
}

void graph_free(struct graph *graph)
{
    free(graph->blocks);
    free(graph->order);
    free(graph->place);
    free(graph->dominator);
    free(graph->postdominator);
    free(graph->region);
    free(graph->regions);
    *graph = (struct graph){ 0 };
}

bool graph_region_below(const struct graph *graph, int region, int within)
{
    while (region > within)
        region = graph->regions[region].parent;
    return region == within;
}

int graph_depth(const struct graph *graph, int region)
{
    int depth = 0;
    for (; region >= 0; region = graph->regions[region].parent)
        depth += graph->regions[region].loop;
    return depth;
}
