// Function calls: frames with the rows, parameters and local memory of running functions. A warp keeps the frame of a function
// that has returned, constants in place, for the next call.
#include "engine/sim/schedule/schedule.h"

#include <string.h>

enum { LOCAL_FIRST = 256 }; // bytes of local memory per lane

static void fill(unsigned char *rows, row at, bool wide, uint64_t bits)
{
    if (wide)
        for (int i = 0; i < LANES; i++)
            ((uint64_t *)(void *)(rows + at))[i] = bits;
    else
        for (int i = 0; i < LANES; i++)
            ((uint32_t *)(void *)(rows + at))[i] = (uint32_t)bits;
}

// ---- special registers ----

static void fill_threads(const struct warp *warp, unsigned char *rows, row at, enum special which)
{
    uint32_t *to = (uint32_t *)(void *)(rows + at);
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t thread[3];
        thread_of_lane(warp, lane, thread);
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
    default:
        return 0;
    }
}

static bool is_of_lane(enum special which)
{
    return which <= SPECIAL_TID_Z || which == SPECIAL_LANEID ||
           (which >= SPECIAL_LANEMASK_EQ && which <= SPECIAL_LANEMASK_GT);
}

static void fill_specials(const struct warp *warp, struct frame *frame, bool first)
{
    for (enum special s = 0; s < SPECIAL_COUNT; s++) {
        row at = frame->function->special[s];
        if (!at || (is_of_lane(s) && !first))
            continue;
        if (s <= SPECIAL_TID_Z)
            fill_threads(warp, frame->rows, at, s);
        else if (is_of_lane(s))
            fill_lanes(frame->rows, at, s);
        else if (s == SPECIAL_GRIDID)
            fill(frame->rows, at, true, 1);
        else
            fill(frame->rows, at, false, uniform_special(warp, s));
    }
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
    for (size_t i = 0; i < function->constant_count; i++) {
        const struct constant_row *c = &function->constants[i];
        fill(frame->rows, c->at, c->wide, c->bits);
    }
    fill_specials(warp, frame, true);
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

size_t frame_local_room(size_t now, size_t bytes)
{
    size_t room = now ? now : LOCAL_FIRST;
    while (room < bytes)
        room *= 2;
    return room;
}

bool frame_reserve_local(struct warp *warp, size_t bytes)
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
    if (!frame_reserve_local(warp, warp->local_used + function->local_bytes))
        return NULL;
    struct frame *frame = warp->frames[function->index];
    if (frame)
        warp->frames[function->index] = frame->next;
    else if (!(frame = frame_make(warp, function)))
        return NULL;
    else
        frame->filled_for = block;
    if (frame->filled_for != block) {
        fill_specials(warp, frame, false);
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

static void free_frames(struct budget *budget, struct frame *frame)
{
    while (frame) {
        struct frame *next = frame->next;
        budget_give(budget, frame);
        frame = next;
    }
}

// Paths that were stopped still hold their frames; several paths may share one.
static void give_held(struct warp *warp)
{
    for (int i = 0; i < warp->depth; i++)
        if (i == 0 || warp->paths[i].call)
            frame_give(warp, warp->paths[i].frame);
    warp->depth = 0;
}

void frame_release_stopped(struct warp *warp)
{
    if (warp->frames)
        give_held(warp);
}

void frame_clear(struct warp *warp)
{
    if (!warp->block)
        return;
    struct budget *budget = budget_of(warp);
    frame_release_stopped(warp);
    size_t count = warp->frames ? warp->block->machine->module->function_count : 0;
    for (size_t i = 0; i < count; i++)
        free_frames(budget, warp->frames[i]);
    budget_give(budget, warp->frames);
    budget_give(budget, warp->paths);
    budget_give(budget, warp->local);
    budget_give(budget, warp->fault_address);
}

// ==== calls ====================================================================================================
// A call takes a frame, copies the arguments in and the results back, lane by lane.

enum { DEEPEST = 4000, LARGE = 1 << 20 }; // entries of a warp's SIMT stack; bytes of parameters

// The bytes of `bytes` that fit: the two sides of a call may disagree about sizes.
static size_t fitting(const struct frame *frame, size_t at, size_t bytes)
{
    size_t room = frame->function->param_bytes;
    return at >= room ? 0 : bytes < room - at ? bytes : room - at;
}

static void move_in(const struct frame *caller, const struct passed *from, const struct frame *to, size_t at,
                    size_t bytes, int lane)
{
    unsigned char *target = to->params + (size_t)lane * to->function->param_bytes + at;
    if (!from->at)
        memcpy(target, caller->params + (size_t)lane * caller->function->param_bytes + from->offset,
               fitting(caller, from->offset, bytes));
    else if (from->wide)
        memcpy(target, caller->rows + from->at + 8 * lane, bytes < 8 ? bytes : 8);
    else
        memcpy(target, caller->rows + from->at + 4 * lane, bytes < 4 ? bytes : 4);
}

static void move_back(const struct frame *from, size_t at, size_t bytes, const struct frame *caller,
                      const struct passed *to, int lane)
{
    const unsigned char *source = from->params + (size_t)lane * from->function->param_bytes + at;
    if (!to->at)
        memcpy(caller->params + (size_t)lane * caller->function->param_bytes + to->offset, source,
               fitting(caller, to->offset, bytes));
    else if (to->wide)
        memcpy(caller->rows + to->at + 8 * lane, source, bytes < 8 ? bytes : 8);
    else
        memcpy(caller->rows + to->at + 4 * lane, source, bytes < 4 ? bytes : 4);
}

static int smaller(int a, size_t b)
{
    return (size_t)a < b ? a : (int)b;
}

// Parameters can be so large that the time limit is reached before all are copied.
static bool is_late(const struct machine *m, size_t bytes)
{
    return bytes > LARGE && launch_clock_coarse() > m->deadline;
}

static void pass(const struct machine *m, const struct op *op, const struct frame *caller,
                 const struct frame *to, uint32_t lanes)
{
    const struct ptx_function *from = to->function->from;
    int count = smaller(op->call->argument_count, from->param_count);
    for (uint32_t left = lanes; left && !is_late(m, to->function->param_bytes); left &= left - 1)
        for (int i = 0; i < count; i++)
            move_in(caller, &op->call->arguments[i], to, to->function->param_at[i], from->params[i].bytes,
                    __builtin_ctz(left));
}

void frame_return(struct warp *warp, const struct simt_path *bottom)
{
    const struct function *f = bottom->frame->function;
    int count = smaller(bottom->call->call->return_count, f->from->return_count);
    const struct machine *m = warp->block->machine;
    for (uint32_t left = bottom->mask; left && !is_late(m, f->param_bytes); left &= left - 1)
        for (int i = 0; i < count; i++)
            move_back(bottom->frame, f->return_at[i], f->from->returns[i].bytes, bottom->caller,
                      &bottom->call->call->returns[i], __builtin_ctz(left));
}

static void too_deep(struct warp *warp, const struct op *op)
{
    struct finding_report report = {
        .kind = SIM_OTHER, .severity = SIM_ERROR, .op = op, .lane = __builtin_ctz(warp->active)
    };
    char who[80];
    finding_add(
        warp, &report,
        "%s calls too deep here: a function calls itself without end, or needs more stack than a thread has. "
        "Check what ends the recursion.",
        finding_name_lane(warp, report.lane, who));
    launch_stop(warp->block->machine);
}

static bool enter(struct warp *warp, const struct op *op, const struct function *function,
                  struct frame *caller, uint32_t lanes)
{
    struct frame *frame = warp->depth < DEEPEST ? frame_take(warp, function) : NULL;
    if (!frame && budget_of(warp)->refused)
        launch_stop(warp->block->machine);
    else if (!frame)
        too_deep(warp, op);
    if (!frame)
        return false;
    pass(warp->block->machine, op, caller, frame, lanes);
    struct simt_path path = {
        .mask = lanes, .reconverge = NO_PC, .frame = frame, .call = op, .caller = caller
    };
    if (simt_push(warp, path))
        return true;
    frame_give(warp, frame);
    return false;
}

static bool bad_pointer(struct warp *warp, const struct op *op, int lane, uint64_t value)
{
    struct finding_report report = { .kind = SIM_OTHER, .severity = SIM_ERROR, .op = op, .lane = lane };
    char who[80];
    finding_add(warp, &report,
                "%s calls through a pointer that is no function (0x%llx). Give the pointer a function first.",
                finding_name_lane(warp, lane, who), (unsigned long long)value);
    launch_stop(warp->block->machine);
    return false;
}

static bool enter_by_pointer(struct warp *warp, const struct op *op, struct frame *caller, uint32_t lanes)
{
    const struct sim_module *module = warp->block->machine->module;
    uint64_t which[LANES];
    memcpy(which, ROW64(warp, op->a), sizeof which);
    while (lanes) {
        int first = __builtin_ctz(lanes);
        uint32_t same = 0;
        for (uint32_t left = lanes; left; left &= left - 1)
            if (which[__builtin_ctz(left)] == which[first])
                same |= left & -left;
        uint64_t index = which[first] - 1;
        if (index >= module->function_count || !module->functions[index].ops ||
            module->functions[index].from->entry)
            return bad_pointer(warp, op, first, which[first]);
        if (!enter(warp, op, &module->functions[index], caller, same))
            return false;
        lanes &= ~same;
    }
    return true;
}

bool frame_call(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    if (!lanes || op->call->builtin != BUILTIN_NONE) {
        if (lanes && op->call->builtin == BUILTIN_VPRINTF)
            print_format(warp, op);
        else if (lanes)
            print_assert(warp, op);
        return true;
    }
    struct frame *caller = warp->paths[warp->depth - 1].frame;
    return op->target >= 0
               ? enter(warp, op, &warp->block->machine->module->functions[op->target], caller, lanes)
               : enter_by_pointer(warp, op, caller, lanes);
}
