// The order in which an assembler would issue the instructions of a block: a list scheduler over what depends on
// what, which takes the longest way to the block's end first. So loads go up as far as their addresses and the memory
// allow, and what uses them comes late. Where the machine code is known, its order is taken instead, as far as what
// depends on what allows.
#include "engine/model/assembler.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_BACK = 48 }; // accesses of the block that one is compared with

struct order_edge {
    int from, to;
    float latency;
};
struct heap {
    int *items;
    int count;
    const float *key; // the least comes first; of two that are equal, the one that was written first
};
struct block_order {
    const struct lowering *of;
    const int
        *keys; // of the block: the place of each in the machine code, -1: it is not there; NULL: not known
    const struct sim_instruction *code; // of the block, and of those joined to it
    struct machine_code *out;
    int count;
    struct order_edge *dependences, *sorted; // sorted: where they are put in order
    size_t dependence_count, dependence_room;
    int *successors; // those of i are dependences successors[i] to successors[i + 1], once sorted
    int *waits;      // for how many
    float *rest, *ready;
    struct heap available, pending;
    int *writer, *reader; // of each register, the last one, or -1
    int *accesses, access_count, fence;
};

// ---- heaps -------------------------------------------------------------------------------------------------------

static bool comes_before(const struct heap *heap, int a, int b)
{
    return heap->key[a] < heap->key[b] || (heap->key[a] == heap->key[b] && a < b);
}

static void heap_push(struct heap *heap, int item)
{
    int at = heap->count++;
    for (; at && comes_before(heap, item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}

static int heap_pop(struct heap *heap)
{
    int first = heap->items[0], item = heap->items[--heap->count], at = 0;
    for (int child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && comes_before(heap, heap->items[child + 1], heap->items[child]))
            child++;
        if (!comes_before(heap, heap->items[child], item))
            break;
        heap->items[at] = heap->items[child];
    }
    heap->items[at] = item;
    return first;
}

// ---- what depends on what ----------------------------------------------------------------------------------------

static float usual(double figure, float otherwise)
{
    return figure > 0 ? (float)figure : otherwise;
}

// Until its result can be used, if memory answers as fast as it usually does.
static float latency_of(const struct block_order *o, int i)
{
    const struct gpu_figures *gpu = o->of->gpu;
    switch (o->code[i].access) {
    case SIM_GLOBAL_LOAD:
    case SIM_LOCAL_LOAD:
        return usual(gpu ? gpu->l2_latency : 0, 260);
    case SIM_GLOBAL_ATOM:
        return usual(gpu ? gpu->atomic_latency : 0, 600);
    case SIM_SHARED_LOAD:
        return usual(gpu ? gpu->shared_latency : 0, 29);
    case SIM_SHARED_ATOM:
        return usual(gpu ? gpu->shared_atomic_latency : 0, 60);
    default:
        return o->out[i].latency;
    }
}

static bool make_room(struct block_order *o)
{
    size_t room = o->dependence_room ? 2 * o->dependence_room : 256;
    struct order_edge *all = realloc(o->dependences, room * sizeof *all);
    o->dependences = all ? all : o->dependences;
    struct order_edge *sorted = all ? realloc(o->sorted, room * sizeof *sorted) : NULL;
    o->sorted = sorted ? sorted : o->sorted;
    o->dependence_room = sorted ? room : o->dependence_room;
    return sorted != NULL;
}

static void depend(struct block_order *o, int from, int to, float latency)
{
    if (from < 0)
        return;
    if (o->dependence_count == o->dependence_room && !make_room(o))
        return; // an order with one dependence less is an order too
    o->dependences[o->dependence_count++] = (struct order_edge){ from, to, latency };
    o->waits[to]++;
}

static void through_registers(struct block_order *o, int i)
{
    const struct sim_instruction *in = &o->code[i];
    for (int r = 0; r < in->read_count; r++) {
        int writer = o->writer[in->reads[r]];
        if (writer >= 0)
            depend(o, writer, i, latency_of(o, writer));
        o->reader[in->reads[r]] = i;
    }
    for (int r = 0; r < in->write_count; r++) {
        int reader = o->reader[in->writes[r]];
        if (reader != i)
            depend(o, reader, i, 0);
        depend(o, o->writer[in->writes[r]] == i ? -1 : o->writer[in->writes[r]], i, 1);
        o->writer[in->writes[r]] = i;
    }
}

static bool is_fence(const struct sim_instruction *in)
{
    static const char *const names[] = { "bar",  "barrier", "membar",    "fence",
                                         "call", "cp",      "nanosleep", "griddepcontrol" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(in, names[i]))
            return true;
    return operands_modified(in, "volatile") || operands_modified(in, "acquire") ||
           operands_modified(in, "release");
}

static bool converges(const struct sim_instruction *in)
{
    return operands_modified(in, "sync") && !is_fence(in);
}

static bool only_reads(const struct sim_instruction *in)
{
    return in->access == SIM_GLOBAL_LOAD || in->access == SIM_SHARED_LOAD || in->access == SIM_LOCAL_LOAD;
}

static int space_of(const struct sim_instruction *in)
{
    return in->access <= SIM_GLOBAL_ATOM ? 0 : in->access <= SIM_SHARED_ATOM ? 1 : 2;
}

// What "[%rd1+4]" adds to its register.
static long long offset_of(const struct sim_instruction *in, const char **base, size_t *length)
{
    const char *at = strchr(in->text, '[');
    *base = at ? at + 1 : "";
    *length = strcspn(*base, "+]");
    return at && (*base)[*length] == '+' ? strtoll(*base + *length + 1, NULL, 0) : 0;
}

static bool apart(const struct block_order *o, int a, int b)
{
    const char *base_a, *base_b;
    size_t length_a, length_b;
    if (space_of(&o->code[a]) != space_of(&o->code[b]))
        return true;
    long long from_a = offset_of(&o->code[a], &base_a, &length_a);
    long long from_b = offset_of(&o->code[b], &base_b, &length_b);
    if (length_a != length_b || memcmp(base_a, base_b, length_a) != 0)
        return false;
    bool same = o->code[a].read_count && o->code[b].read_count
                    ? o->writer[o->code[b].reads[0]] < a // the register was not written between them
                    : !o->code[a].read_count && !o->code[b].read_count;
    return same && (from_a + o->code[a].bytes <= from_b || from_b + o->code[b].bytes <= from_a);
}

static void through_memory(struct block_order *o, int i)
{
    const struct sim_instruction *in = &o->code[i];
    bool accesses = in->access != SIM_ACCESSES;
    if (is_fence(in)) {
        for (int k = o->access_count; k-- > 0;)
            depend(o, o->accesses[k], i, 1);
        depend(o, o->fence, i, 1);
        o->fence = i;
        o->access_count = 0;
        return;
    }
    if ((!accesses && !converges(in)) || (only_reads(in) && operands_modified(in, "nc")))
        return;
    depend(o, o->fence, i, 1);
    for (int k = o->access_count, looked = 0; k-- > 0 && looked < LOOKED_BACK; looked++) {
        int before = o->accesses[k];
        const struct sim_instruction *other = &o->code[before];
        bool both = other->access != SIM_ACCESSES && accesses;
        if (both ? !(only_reads(in) && only_reads(other)) && !apart(o, before, i)
                 : other->access == in->access)
            depend(o, before, i, 1);
    }
    o->accesses[o->access_count++] = i;
}

static bool ends_block(const struct sim_instruction *in)
{
    return is(in, "bra") || is(in, "brx") || is(in, "ret") || is(in, "exit") || is(in, "trap");
}

// ---- the order ---------------------------------------------------------------------------------------------------

// By where they come from; which of one instruction's comes first makes no difference.
static void index_dependences(struct block_order *o)
{
    struct order_edge *from = o->dependences, *to = o->sorted;
    int *next =
        o->successors + 1; // where the next one of each goes; afterwards, where the ones after it begin
    memset(o->successors, 0, ((size_t)o->count + 2) * sizeof *o->successors);
    for (size_t d = 0; d < o->dependence_count; d++)
        next[from[d].from + 1]++;
    for (int i = 0; i < o->count; i++)
        next[i + 1] += next[i];
    for (size_t d = 0; d < o->dependence_count; d++)
        to[next[from[d].from]++] = from[d];
    o->dependences = to;
    o->sorted = from;
}

// How long it takes from the issue of each until the block's end, negative: the longest way comes first.
static void find_rest(struct block_order *o)
{
    for (int i = o->count; i-- > 0;) {
        float longest = latency_of(o, i);
        for (int d = o->successors[i]; d < o->successors[i + 1]; d++) {
            float way = o->dependences[d].latency - o->rest[o->dependences[d].to];
            longest = way > longest ? way : longest;
        }
        o->rest[i] = -longest;
        o->ready[i] = 0;
    }
}

// What is not in the machine code comes as soon as it can.
static void take_keys(struct block_order *o)
{
    for (int i = 0; i < o->count; i++) {
        o->rest[i] = (float)o->keys[i];
        o->ready[i] = 0;
    }
    for (size_t d = 0; d < o->dependence_count; d++)
        o->dependences[d].latency = 0;
}

static void issue_all(struct block_order *o)
{
    float now = 0;
    int rank = 0;
    for (int i = 0; i < o->count; i++)
        if (!o->waits[i])
            heap_push(&o->available, i);
    while (o->available.count || o->pending.count) {
        while (o->pending.count && (o->ready[o->pending.items[0]] <= now || !o->available.count)) {
            int i = heap_pop(&o->pending);
            now = o->ready[i] > now ? o->ready[i] : now;
            heap_push(&o->available, i);
        }
        int i = heap_pop(&o->available);
        o->out[i].rank = rank++;
        for (int d = o->successors[i]; d < o->successors[i + 1]; d++) {
            int to = o->dependences[d].to;
            float then = now + o->dependences[d].latency;
            o->ready[to] = then > o->ready[to] ? then : o->ready[to];
            if (!--o->waits[to])
                heap_push(&o->pending, to);
        }
        now += o->keys ? 0 : o->out[i].issues;
    }
}

// A block and those that the assembler joined to it.
static int joined_end(const struct lowering *w, int block)
{
    int end = block + 1;
    while (end < w->graph.count && w->out[w->first + (size_t)w->graph.blocks[end].first].joined)
        end++;
    return end;
}

static void order_one(struct block_order *o)
{
    o->dependence_count = 0;
    o->access_count = o->available.count = o->pending.count = 0;
    o->fence = -1;
    for (int i = 0; i < o->count; i++)
        o->waits[i] = 0;
    int last = o->count - 1, end = ends_block(&o->code[last]) ? last : o->count;
    for (int i = 0; i < end; i++) {
        through_registers(o, i);
        through_memory(o, i);
    }
    for (int i = 0; i < end && end == last; i++)
        depend(o, i, last, 0);
    if (end == last)
        for (int r = 0; r < o->code[last].read_count; r++)
            depend(o, o->writer[o->code[last].reads[r]], last, 1);
    index_dependences(o);
    if (o->keys)
        take_keys(o);
    else
        find_rest(o);
    issue_all(o);
    for (int i = 0; i < o->count; i++) { // the next block begins anew
        for (int r = 0; r < o->code[i].read_count; r++)
            o->writer[o->code[i].reads[r]] = o->reader[o->code[i].reads[r]] = -1;
        for (int r = 0; r < o->code[i].write_count; r++)
            o->writer[o->code[i].writes[r]] = o->reader[o->code[i].writes[r]] = -1;
    }
}

static int registers_of(const struct lowering *w)
{
    int most = 0;
    for (size_t i = w->first; i < w->end; i++) {
        for (int r = 0; r < w->code[i].read_count; r++)
            most = w->code[i].reads[r] >= most ? w->code[i].reads[r] + 1 : most;
        for (int r = 0; r < w->code[i].write_count; r++)
            most = w->code[i].writes[r] >= most ? w->code[i].writes[r] + 1 : most;
    }
    return most;
}

bool order_blocks(const struct lowering *w, const int *keys)
{
    size_t longest = 0, registers = (size_t)registers_of(w) + 1;
    for (int b = 0, end; b < w->graph.count; b = end) {
        end = joined_end(w, b);
        size_t length = (size_t)(w->graph.blocks[end - 1].end - w->graph.blocks[b].first);
        longest = length > longest ? length : longest;
    }
    size_t room = longest + 1;
    struct block_order o = { .of = w,
                             .successors = malloc((room + 2) * sizeof(int)),
                             .waits = calloc(room, sizeof(int)),
                             .rest = malloc(room * sizeof(float)),
                             .ready = malloc(room * sizeof(float)),
                             .available = { .items = malloc(room * sizeof(int)) },
                             .pending = { .items = malloc(room * sizeof(int)) },
                             .writer = malloc(registers * sizeof(int)),
                             .reader = malloc(registers * sizeof(int)),
                             .accesses = malloc(room * sizeof(int)) };
    bool ok = o.successors && o.waits && o.rest && o.ready && o.available.items && o.pending.items &&
              o.writer && o.reader && o.accesses;
    o.available.key = o.rest;
    o.pending.key = o.ready;
    for (size_t r = 0; ok && r < registers; r++)
        o.writer[r] = o.reader[r] = -1;
    for (int b = 0, end; ok && b < w->graph.count; b = end) {
        end = joined_end(w, b);
        o.keys = keys ? &keys[w->first + (size_t)w->graph.blocks[b].first] : NULL;
        o.code = &w->code[w->first + (size_t)w->graph.blocks[b].first];
        o.out = &w->out[w->first + (size_t)w->graph.blocks[b].first];
        o.count = w->graph.blocks[end - 1].end - w->graph.blocks[b].first;
        order_one(&o);
    }
    free(o.dependences);
    free(o.sorted);
    free(o.successors);
    free(o.waits);
    free(o.rest);
    free(o.ready);
    free(o.available.items);
    free(o.pending.items);
    free(o.writer);
    free(o.reader);
    free(o.accesses);
    return ok;
}
