// The SIMT stack of a warp: its paths, the order in which they run, and where they split and meet again.
#include "engine/sim/schedule/path.h"

#include <string.h>

// A divergent branch leaves an entry at its reconvergence point and pushes one for each side; the top runs, all others
// wait. An entry lies below the entries that split from it.

bool simt_push(struct warp *warp, struct simt_path path)
{
    if (warp->depth == warp->depth_room) {
        int room = warp->depth_room ? warp->depth_room * 2 : PATHS_FIRST;
        struct simt_path *larger =
            budget_more(budget_of(warp), FOR_REGISTERS, warp->paths, (size_t)room * sizeof *larger);
        if (!larger) {
            launch_stop(warp->block->machine);
            return false;
        }
        warp->paths = larger;
        warp->depth_room = room;
    }
    warp->paths[warp->depth++] = path;
    return true;
}

static void end_frame(struct warp *warp, struct frame *frame)
{
    frame_give(warp, frame);
    size_t used = 0;
    for (int i = 0; i < warp->depth; i++) {
        const struct frame *f = warp->paths[i].frame;
        if (f->local_base + f->function->local_bytes > used)
            used = f->local_base + f->function->local_bytes;
    }
    warp->local_used = used;
}

static bool is_over(const struct simt_path *path)
{
    return !path->mask || path->pc == path->reconverge || path->pc == NO_PC;
}

// ---- the scheduling order of divergent paths ----

static int32_t order_of(const struct simt_path *path)
{
    return path->frame->function->ops[path->pc].order;
}

static bool goes_before(const struct simt_path *a, const struct simt_path *b)
{
    return a->late != b->late ? a->late < b->late : order_of(a) < order_of(b);
}

static void remove_empty(struct warp *warp, int from)
{
    int kept = from;
    for (int i = from; i < warp->depth; i++)
        if (warp->paths[i].mask || warp->paths[i].call)
            warp->paths[kept++] = warp->paths[i];
    warp->depth = kept;
}

// Merges two paths that wait at the same pc into one on top, and removes their lanes from their own entries and from all
// entries above their common ancestor.
static void unite(struct warp *warp, int a, int b)
{
    struct simt_path both = warp->paths[a];
    both.mask |= warp->paths[b].mask;
    int common = (a < b ? a : b) - 1;
    while (common > 0 && (warp->paths[common].frame != both.frame || both.mask & ~warp->paths[common].mask))
        common--;
    for (int i = common + 1; i < warp->depth; i++)
        warp->paths[i].mask &= ~both.mask;
    remove_empty(warp, common + 1);
    both.reconverge = warp->paths[common].pc;
    simt_push(warp, both);
}

static void raise_path(struct warp *warp, int at)
{
    struct simt_path path = warp->paths[at];
    memmove(&warp->paths[at], &warp->paths[at + 1], (size_t)(warp->depth - 1 - at) * sizeof path);
    warp->paths[warp->depth - 1] = path;
}

// Finds the first runnable path of the current call in scheduling order. False: two paths at one pc were merged; look again.
static bool find_first(struct warp *warp, int *first, int32_t *limit)
{
    const struct frame *frame = warp->paths[warp->depth - 1].frame;
    uint32_t above = 0;
    *first = warp->depth - 1;
    *limit = INT32_MAX;
    for (int i = warp->depth - 1; i > 0; i--) {
        const struct simt_path *path = &warp->paths[i], *best = &warp->paths[*first];
        bool leaf = !(path->mask & above);
        above |= path->mask;
        if (path->call && path->frame == frame)
            break;
        if (i == *first || !leaf || path->call || path->frame != frame || path->waits_at || is_over(path))
            continue;
        if (path->pc == best->pc && frame->function->ops[path->pc].apart)
            continue;
        if (path->pc == best->pc) {
            unite(warp, *first, i);
            return false;
        }
        bool before = goes_before(path, best);
        const struct simt_path *other = before ? best : path;
        if (!other->late && order_of(other) < *limit)
            *limit = order_of(other);
        if (before)
            *first = i;
    }
    return true;
}

// Makes the first path in scheduling order the top. It runs until it reaches the point where the next one waits.
static void choose_first(struct warp *warp)
{
    int first;
    if (warp->depth == 1) {
        warp->limit = INT32_MAX;
        warp->paths->late = 0;
        return;
    }
    while (!find_first(warp, &first, &warp->limit))
        continue;
    if (first != warp->depth - 1)
        raise_path(warp, first);
    warp->paths[warp->depth - 1].late = 0;
}

void simt_delay(struct warp *warp)
{
    warp->paths[warp->depth - 1].late = ++warp->last_late;
}

void simt_load(struct warp *warp)
{
    while (warp->depth && is_over(&warp->paths[warp->depth - 1])) {
        struct simt_path path = warp->paths[warp->depth - 1];
        if (path.call && path.mask)
            call_return(warp, &path);
        warp->depth--;
        if (path.call || warp->depth == 0)
            end_frame(warp, path.frame);
    }
    if (!warp->depth) {
        warp->state = WARP_DONE;
        warp->mask = warp->active = 0;
        return;
    }
    choose_first(warp);
    const struct simt_path *top = &warp->paths[warp->depth - 1];
    warp->pc = top->pc;
    warp->mask = warp->active = top->mask;
    warp->function = top->frame->function;
    warp->frame = top->frame->rows;
    warp->params = top->frame->params;
}

// Turns the top into the entry at the reconvergence point, unless the entry below is that already. Returns what the sides
// have in common.
INLINE struct simt_path open_split(struct warp *warp, int32_t join)
{
    struct simt_path *top = &warp->paths[warp->depth - 1];
    if (join == NO_MEETING)
        join = top->reconverge;
    struct simt_path part = { .reconverge = join, .frame = top->frame };
    if (top->call || warp->depth == 1 || top->reconverge != join)
        top->pc = join;
    else
        warp->depth--;
    return part;
}

static bool push_part(struct warp *warp, struct simt_path part, int32_t pc, uint32_t mask)
{
    part.pc = pc;
    part.mask = mask;
    return !mask || pc == part.reconverge || simt_push(warp, part);
}

static bool split_path(struct warp *warp, const struct op *op, uint32_t taken)
{
    struct simt_path part = open_split(warp, op->reconverge);
    bool good = push_part(warp, part, warp->pc + 1, warp->mask & ~taken);
    part.late = op->spins ? ++warp->last_late : 0;
    return good && push_part(warp, part, op->target, taken);
}

static bool fan_path(struct warp *warp, const struct op *op, uint32_t lanes)
{
    uint32_t index[LANES], rest = warp->mask & ~lanes;
    int32_t next = warp->pc + 1;
    memcpy(index, ROW32(warp, op->a), sizeof index);
    struct simt_path part = open_split(warp, op->reconverge);
    bool good = push_part(warp, part, next, rest);
    while (good && lanes) {
        int first = __builtin_ctz(lanes);
        uint32_t same = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            if (op->targets[index[lane]] == op->targets[index[first]])
                same |= 1u << lane;
        }
        good = push_part(warp, part, op->targets[index[first]], same);
        lanes &= ~same;
    }
    return good;
}

static void count_divergent(struct warp *warp, const struct op *op)
{
    if (warp->tallies)
        warp->tallies[op->tally].divergent++;
}

void simt_split(struct warp *warp, const struct op *op, uint32_t taken)
{
    count_divergent(warp, op);
    if (split_path(warp, op, taken))
        simt_load(warp);
}

void simt_fan(struct warp *warp, const struct op *op, uint32_t lanes)
{
    count_divergent(warp, op);
    if (fan_path(warp, op, lanes))
        simt_load(warp);
}

static uint32_t leaf_mask(const struct warp *warp, int at)
{
    uint32_t above = 0;
    for (int i = at + 1; i < warp->depth; i++)
        above |= warp->paths[i].mask;
    return warp->paths[at].mask & above ? 0 : warp->paths[at].mask;
}

// Entries keep their relative order, so that each stays below those that split from it.
bool simt_rotate(struct warp *warp)
{
    for (int i = 0; i < warp->depth - 1; i++) {
        const struct simt_path *path = &warp->paths[i];
        if (path->waits_at || !leaf_mask(warp, i) || (i == 0 && path->pc == NO_PC))
            continue;
        raise_path(warp, i);
        return true;
    }
    return false;
}
