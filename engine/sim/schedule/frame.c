// The frames of running functions: their rows, parameters and local memory. A warp keeps the frame of a function that has
// returned, constants in place, for the next call.
#include "engine/sim/schedule/schedule.h"

#include <string.h>

// In vectors, written out: this file is compiled without those of AVX2, for which gcc makes some of such a loop by itself.
static void fill(unsigned char *rows, row at, bool wide, uint64_t bits)
{
    typedef uint64_t piece __attribute__((vector_size(16), may_alias));
    const uint64_t both = wide ? bits : (uint32_t)bits * 0x100000001ull;
    const piece value = { both, both };
    piece *to = (piece *)(void *)(rows + at);
    for (int i = 0; i < (wide ? LANES / 2 : LANES / 4); i++)
        to[i] = value;
}

// ---- special registers ----

static void fill_threads(const struct warp *warp, unsigned char *rows, row at, enum special which)
{
    uint32_t *to = (uint32_t *)(void *)(rows + at);
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t thread[3];
        warp_thread_of_lane(warp, lane, thread);
        to[lane] = thread[which - SPECIAL_TID_X];
    }
}

static void fill_lanes(unsigned char *rows, row at, enum special which)
{
    uint32_t *to = (uint32_t *)(void *)(rows + at);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t self = 1u << lane, below = self - 1;
        to[lane] = which == SPECIAL_LANEID        ? lane
                   : which == SPECIAL_LANEMASK_EQ ? self
                   : which == SPECIAL_LANEMASK_LE ? self | below
                   : which == SPECIAL_LANEMASK_LT ? below
                   : which == SPECIAL_LANEMASK_GE ? ~below
                                                  : ~(self | below);
    }
}

// %smid assigns the blocks to 16 multiprocessors in turn.
static uint32_t uniform_special(const struct warp *warp, enum special which)
{
    const struct block *block = warp->block;
    const struct sim_launch *launch = block->machine->launch;
    const uint32_t *cluster = block->machine->cluster;
    const uint64_t workspace = launch->cooperative ? (uint64_t)WORKSPACE << OFFSET_BITS : 0;
    switch (which) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return launch->block[which - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return block->id[which - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return launch->grid[which - SPECIAL_NCTAID_X];
    case SPECIAL_WARPID:
        return warp->index;
    case SPECIAL_NWARPID:
        return block->warp_count;
    case SPECIAL_SMID:
        return (uint32_t)(block->number % 16);
    case SPECIAL_NSMID:
        return 16;
    case SPECIAL_DYNAMIC_SMEM:
        return launch->shared_bytes;
    case SPECIAL_TOTAL_SMEM:
        return (uint32_t)block->shared_bytes;
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return block->id[which - SPECIAL_CLUSTERID_X] / cluster[which - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return launch->grid[which - SPECIAL_NCLUSTERID_X] / cluster[which - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return block->id[which - SPECIAL_CLUSTER_CTAID_X] % cluster[which - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
        return cluster[which - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return block->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return block->machine->cluster_size;
    case SPECIAL_ENVREG1:
        return (uint32_t)(workspace >> 32);
    case SPECIAL_ENVREG2:
        return (uint32_t)workspace;
    default:
        return 0;
    }
}

static bool is_of_lane(enum special which)
{
    return which <= SPECIAL_TID_Z || which == SPECIAL_LANEID ||
           (which >= SPECIAL_LANEMASK_EQ && which <= SPECIAL_LANEMASK_GT);
}

static void fill_special(const struct warp *warp, struct frame *frame, enum special which)
{
    const row at = frame->function->special[which];
    if (!at)
        return;
    if (which <= SPECIAL_TID_Z)
        fill_threads(warp, frame->rows, at, which);
    else if (is_of_lane(which))
        fill_lanes(frame->rows, at, which);
    else if (which == SPECIAL_GRIDID)
        fill(frame->rows, at, true, 1);
    else
        fill(frame->rows, at, false, uniform_special(warp, which));
}

// Those that the next block of the host thread has others of.
static const enum special of_block[] = {
    SPECIAL_CTAID_X,         SPECIAL_CTAID_Y,         SPECIAL_CTAID_Z,        SPECIAL_SMID,
    SPECIAL_CLUSTERID_X,     SPECIAL_CLUSTERID_Y,     SPECIAL_CLUSTERID_Z,    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y, SPECIAL_CLUSTER_CTAID_Z, SPECIAL_CLUSTER_CTARANK
};

static uint32_t find_of_block(const struct function *function)
{
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof of_block / sizeof *of_block; i++)
        found |= (uint32_t)(function->special[of_block[i]] != 0) << i;
    return found;
}

static void fill_for_block(const struct warp *warp, struct frame *frame)
{
    for (uint32_t left = frame->of_block; left; left &= left - 1)
        fill_special(warp, frame, of_block[__builtin_ctz(left)]);
}

// ---- frames ----

// A frame and its rows are one allocation; the rows are aligned to 64 bytes.
enum { HEAD = (sizeof(struct frame) + 63) / 64 * 64 };
size_t frame_size(const struct function *function)
{
    return HEAD + function->frame_bytes + ((function->param_bytes * LANES + 63) & ~(size_t)63);
}

static struct frame *frame_make(struct warp *warp, const struct function *function)
{
    struct frame *frame = budget_take(budget_of(warp), FOR_REGISTERS, frame_size(function));
    if (!frame)
        return NULL;
    frame->rows = (unsigned char *)frame + HEAD;
    frame->params = frame->rows + function->frame_bytes;
    frame->function = function;
    frame->of_block = find_of_block(function);
    for (size_t i = 0; i < function->constant_count; i++) {
        const struct constant_row *c = &function->constants[i];
        fill(frame->rows, c->at, c->wide, c->bits);
    }
    for (enum special s = 0; s < SPECIAL_COUNT; s++)
        fill_special(warp, frame, s);
    return frame;
}

static void move_local_rows(struct frame *frame, size_t base)
{
    const struct function *f = frame->function;
    frame->local_base = base;
    for (size_t i = 0; i < f->constant_count; i++)
        if (f->constants[i].local)
            fill(frame->rows, f->constants[i].at, f->constants[i].wide, f->constants[i].bits + base);
}

static bool reserve_local(struct warp *warp, size_t bytes)
{
    if (bytes <= warp->local_room)
        return true;
    size_t room = frame_local_room(warp->local_room, bytes);
    unsigned char *larger =
        bytes <= MOST_LOCAL ? budget_take(budget_of(warp), FOR_LOCAL, LANES * room) : NULL;
    if (!larger)
        return false;
    for (size_t lane = 0; warp->local && lane < LANES; lane++)
        memcpy(larger + lane * room, warp->local + lane * warp->local_room, warp->local_room);
    budget_give(budget_of(warp), warp->local);
    warp->local = larger;
    warp->local_room = room;
    return true;
}

struct frame *frame_take(struct warp *warp, const struct function *function)
{
    uint64_t block = warp->block->position + 1;
    if (!reserve_local(warp, warp->local_used + function->local_bytes))
        return NULL;
    struct frame *frame = warp->frames[function->index];
    if (frame)
        warp->frames[function->index] = frame->next;
    else if (!(frame = frame_make(warp, function)))
        return NULL;
    else
        frame->filled_for = block;
    if (frame->filled_for != block) {
        fill_for_block(warp, frame);
        frame->filled_for = block;
    }
    for (size_t i = 0; i < function->cleared_count; i++)
        memset(frame->rows + function->cleared[i].at, 0, function->cleared[i].bits);
    if (frame->local_base != warp->local_used)
        move_local_rows(frame, warp->local_used);
    if (warp->checks && function->local_bytes)
        uninit_call_starts(warp, warp->local_used, function->local_bytes);
    warp->local_used += function->local_bytes;
    return frame;
}

void frame_give(struct warp *warp, struct frame *frame)
{
    frame->next = warp->frames[frame->function->index];
    warp->frames[frame->function->index] = frame;
}
