// The stack of a warp's paths. A branch that splits the warp leaves an entry at the place where its sides meet and
// puts the sides on top; the top runs, everything else waits. An entry lies below everything that came out of it.
#include <stdlib.h>
#include <string.h>

#include "engine/sim/steer.h"

bool path_push(struct warp *warp, struct path path)
{
    if (warp->depth == warp->depth_room) {
        int room = warp->depth_room ? warp->depth_room * 2 : 16;
        struct path *larger = realloc(warp->paths, (size_t)room * sizeof *larger);
        if (!larger) {
            stop_machine(warp->block->machine);
            return false;
        }
        warp->paths = larger;
        warp->depth_room = room;
    }
    warp->paths[warp->depth++] = path;
    return true;
}

void path_save(struct warp *warp)
{
    warp->paths[warp->depth - 1].pc = warp->pc;
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

static bool is_over(const struct path *path)
{
    return !path->mask || path->pc == path->reconverge || path->pc == NO_PC;
}

void path_load(struct warp *warp)
{
    while (warp->depth && is_over(&warp->paths[warp->depth - 1])) {
        struct path path = warp->paths[warp->depth - 1];
        if (path.call && path.mask)
            call_leave(warp, &path);
        warp->depth--;
        if (path.call || warp->depth == 0)
            end_frame(warp, path.frame);
    }
    if (!warp->depth) {
        warp->state = WARP_DONE;
        warp->mask = warp->active = 0;
        return;
    }
    const struct path *top = &warp->paths[warp->depth - 1];
    warp->pc = top->pc;
    warp->mask = warp->active = top->mask;
    warp->function = top->frame->function;
    warp->frame = top->frame->rows;
    warp->params = top->frame->params;
}

void path_remove_lanes(struct warp *warp, uint32_t lanes)
{
    for (int i = 0; i < warp->depth; i++)
        warp->paths[i].mask &= ~lanes;
    warp->mask &= ~lanes;
    warp->active &= ~lanes;
}

// The top becomes the place where its parts meet, unless an entry below is that already. Returns what the parts
// have in common.
static struct path open_split(struct warp *warp, int32_t join)
{
    struct path *top = &warp->paths[warp->depth - 1];
    if (join == NO_MEETING)
        join = top->reconverge;
    struct path part = { .reconverge = join, .frame = top->frame };
    if (top->call || warp->depth == 1 || top->reconverge != join)
        top->pc = join;
    else
        warp->depth--;
    return part;
}

static bool push_part(struct warp *warp, struct path part, int32_t pc, uint32_t mask)
{
    part.pc = pc;
    part.mask = mask;
    return !mask || pc == part.reconverge || path_push(warp, part);
}

// Lanes that go straight to the kernel's end go first, so that nobody waits for them; else those that fall
// through.
bool path_split(struct warp *warp, const struct op *op, uint32_t taken)
{
    uint32_t rest = warp->mask & ~taken;
    int32_t next = warp->pc + 1;
    bool leaves = warp->function->ops[op->target].kind == OP_EXIT;
    struct path part = open_split(warp, op->reconverge);
    return push_part(warp, part, leaves ? next : op->target, leaves ? rest : taken) &&
           push_part(warp, part, leaves ? op->target : next, leaves ? taken : rest);
}

bool path_fan(struct warp *warp, const struct op *op, uint32_t lanes)
{
    uint32_t index[LANES], rest = warp->mask & ~lanes;
    int32_t next = warp->pc + 1;
    memcpy(index, ROW32(warp, op->a), sizeof index);
    struct path part = open_split(warp, op->reconverge);
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

uint32_t path_leaf_mask(const struct warp *warp, int at)
{
    uint32_t above = 0;
    for (int i = at + 1; i < warp->depth; i++)
        above |= warp->paths[i].mask;
    return warp->paths[at].mask & above ? 0 : warp->paths[at].mask;
}

// Entries keep their order, which keeps every entry below those that came out of it.
bool path_rotate(struct warp *warp)
{
    for (int i = 0; i < warp->depth - 1; i++) {
        struct path path = warp->paths[i];
        if (path.waits_at || !path_leaf_mask(warp, i) || (i == 0 && path.pc == NO_PC))
            continue;
        memmove(&warp->paths[i], &warp->paths[i + 1], (size_t)(warp->depth - 1 - i) * sizeof path);
        warp->paths[warp->depth - 1] = path;
        return true;
    }
    return false;
}
