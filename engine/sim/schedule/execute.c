// Runs one warp in lockstep until it waits, exits or has used up its instructions: its SIMT stack, calls and branches.
#include "engine/sim/schedule/schedule.h"

#include <string.h>

#ifndef __clang__ // which makes two additions of two counters; gcc makes one of vectors, in up to seven instructions
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

// ---- calls: arguments and results are copied lane by lane ----------------------------------------------

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

static void return_results(struct warp *warp, const struct simt_path *bottom)
{
    const struct function *f = bottom->frame->function;
    int count = smaller(bottom->call->call->return_count, f->from->return_count);
    const struct machine *m = warp->block->machine;
    for (uint32_t left = bottom->mask; left && !is_late(m, f->param_bytes); left &= left - 1)
        for (int i = 0; i < count; i++)
            move_back(bottom->frame, f->return_at[i], f->from->returns[i].bytes, bottom->caller,
                      &bottom->call->call->returns[i], __builtin_ctz(left));
}

// ---- the SIMT stack ------------------------------------------------------------------------------------

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

static void save_path(struct warp *warp)
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

static void delay_path(struct warp *warp)
{
    warp->paths[warp->depth - 1].late = ++warp->last_late;
}

void simt_load(struct warp *warp)
{
    while (warp->depth && is_over(&warp->paths[warp->depth - 1])) {
        struct simt_path path = warp->paths[warp->depth - 1];
        if (path.call && path.mask)
            return_results(warp, &path);
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

static void remove_lanes(struct warp *warp, uint32_t lanes)
{
    for (int i = 0; i < warp->depth; i++)
        warp->paths[i].mask &= ~lanes;
    warp->mask &= ~lanes;
    warp->active &= ~lanes;
}

// Turns the top into the entry at the reconvergence point, unless the entry below is that already. Returns what the sides
// have in common.
static struct simt_path open_split(struct warp *warp, int32_t join)
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

// ---- calls: a frame for the function -------------------------------------------------------------------

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
    finding_add(
        warp, &report,
        "%s calls through a pointer that is not a function's (0x%llx). Give the pointer a function first.",
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

uint64_t call_argument(const struct warp *warp, const struct op *op, int index, int lane, size_t bytes)
{
    uint64_t value = 0;
    if (index >= op->call->argument_count)
        return 0;
    const struct passed *from = &op->call->arguments[index];
    size_t area = warp->function->param_bytes;
    if (!from->at && (from->offset > area || bytes > area - from->offset))
        return 0;
    if (!from->at)
        memcpy(&value, warp->params + (size_t)lane * warp->function->param_bytes + from->offset, bytes);
    else if (from->wide)
        value = ROW64(warp, from->at)[lane];
    else
        value = ROW32(warp, from->at)[lane];
    return value;
}

void call_result(struct warp *warp, const struct op *op, int lane, uint64_t value, size_t bytes)
{
    if (!op->call->return_count)
        return;
    const struct passed *to = &op->call->returns[0];
    size_t area = warp->function->param_bytes;
    if (!to->at && (to->offset > area || bytes > area - to->offset))
        return;
    if (!to->at)
        memcpy(warp->params + (size_t)lane * area + to->offset, &value, bytes);
    else if (to->wide)
        ROW64(warp, to->at)[lane] = value;
    else
        ROW32(warp, to->at)[lane] = (uint32_t)value;
}

static void call_builtin(struct warp *warp, const struct op *op)
{
    static void (*const run[])(struct warp *, const struct op *) = { [BUILTIN_VPRINTF] = print_format,
                                                                     [BUILTIN_ASSERTFAIL] = print_assert,
                                                                     [BUILTIN_MALLOC] = heap_call,
                                                                     [BUILTIN_FREE] = heap_call };
    run[op->call->builtin](warp, op);
}

static bool enter_callee(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    if (!lanes)
        return true;
    if (op->call->builtin != BUILTIN_NONE) {
        call_builtin(warp, op);
        return true;
    }
    struct frame *caller = warp->paths[warp->depth - 1].frame;
    return op->target >= 0
               ? enter(warp, op, &warp->block->machine->module->functions[op->target], caller, lanes)
               : enter_by_pointer(warp, op, caller, lanes);
}

// ---- active lanes ----

// In vectors, written out: this file is compiled without those of AVX2, for which gcc makes some of such a loop by itself.
void warp_expand(struct warp *warp)
{
    typedef uint32_t lanes4 __attribute__((vector_size(16)));
    lanes4 bits = { 1, 2, 4, 8 }, *to = (lanes4 *)(void *)warp->lanes;
    for (int i = 0; i < LANES / 4; i++, bits <<= 4)
        to[i] = (lanes4)((bits & warp->active) != 0);
    warp->expanded = warp->active;
}

static inline void activate(struct warp *warp, uint32_t active)
{
    warp->active = active;
    if (active != FULL_MASK && active != warp->expanded)
        warp_expand(warp);
}

// ---- ends ----

// The builtin is a call on processors that may not have the instruction.
INLINE uint32_t lane_count(uint32_t mask)
{
    return mask == FULL_MASK ? LANES : (uint32_t)__builtin_popcount(mask);
}

// Lanes that exit at one instruction count as one execution of it, even if they reach it at different times.
static void count_leaving(struct warp *warp)
{
    if (warp->tallies && warp->leaving_at) {
        struct tally *tally = &warp->tallies[warp->leaving_at->tally];
        tally->warps++;
        tally->lanes += lane_count(warp->leaving);
    }
    warp->leaving = 0;
    warp->leaving_at = NULL;
}

static void leave(struct warp *warp, const struct op *op, uint32_t lanes)
{
    if (!op->guarded) {
        if (warp->leaving_at != op)
            count_leaving(warp);
        warp->leaving_at = op;
        warp->leaving |= lanes;
    }
    warp->live &= ~lanes;
    remove_lanes(warp, lanes);
    if (!warp->live)
        count_leaving(warp);
}

void warp_end_lanes(struct warp *warp, uint32_t lanes)
{
    warp->live &= ~lanes;
    remove_lanes(warp, lanes);
}

static void leave_at_end(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    leave(warp, op, lanes);
    simt_load(warp);
}

// Lanes that return wait at the function's end, where the SIMT entry below, or the caller's, includes them.
static void return_some(struct warp *warp)
{
    struct simt_path *top = &warp->paths[warp->depth - 1];
    uint32_t rest = top->mask & ~warp->active;
    if (!rest) {
        top->pc = NO_PC;
        simt_load(warp);
        return;
    }
    struct simt_path others = { .mask = rest, .pc = warp->pc + 1, .reconverge = NO_PC, .frame = top->frame };
    top->pc = NO_PC;
    if (simt_push(warp, others))
        simt_load(warp);
}

static void stop_at(struct warp *warp, const struct op *op, enum sim_kind kind, const char *sentence)
{
    struct finding_report report = { .kind = kind,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .lane =
                                         __builtin_ctz(warp->active ? warp->active : warp->mask | 1u << 31) };
    char who[80];
    if (kind == SIM_UNKNOWN)
        finding_add(warp, &report, "The simulator cannot run '%s': %s.",
                    op->from->text ? op->from->text : "?", op->trouble ? op->trouble : "it does not know it");
    else
        finding_add(warp, &report, "%s %s", finding_name_lane(warp, report.lane, who), sentence);
    launch_stop(warp->block->machine);
}

// cooperative_groups tests for the workspace that only a cooperative launch has, and traps.
static const char *trap_sentence(const struct warp *warp)
{
    bool syncs = warp->function->special[SPECIAL_ENVREG1] && !warp->block->machine->launch->cooperative;
    return syncs ? "stops the kernel here: grid.sync() needs a cooperative launch, by "
                   "cudaLaunchCooperativeKernel or the word `cooperative` after a launch line."
                 : "itself stops the kernel here (trap).";
}

// ---- branches ----

static void fan_out(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    if (!lanes) {
        warp->paths[warp->depth - 1].pc = warp->pc + 1;
        simt_load(warp);
        return;
    }
    const uint32_t *index = ROW32(warp, op->a);
    bool one = lanes == warp->mask;
    int32_t first = -1;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t at = index[__builtin_ctz(left)];
        if (at >= (uint32_t)op->target_count) {
            warp->active = left & -left;
            stop_at(warp, op, SIM_OTHER, "jumps through a table, past its end.");
            return;
        }
        first = first < 0 ? op->targets[at] : first;
        one &= op->targets[at] == first;
    }
    if (one) {
        warp->paths[warp->depth - 1].pc = first;
    } else {
        if (warp->tallies)
            warp->tallies[op->tally].divergent++;
        if (!fan_path(warp, op, lanes))
            return;
    }
    simt_load(warp);
}

static void split(struct warp *warp, const struct op *op, uint32_t taken)
{
    if (warp->tallies)
        warp->tallies[op->tally].divergent++;
    if (split_path(warp, op, taken))
        simt_load(warp);
}

// ---- all that is not a plain instruction; false: the warp waits, has ended or is stopped ----

static void go_on(struct warp *warp)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    if (warp->depth == 1 && warp->mask && warp->mask == warp->paths->mask) { // a path alone
        warp->pc++;
        warp->active = warp->mask;
    } else {
        simt_load(warp);
    }
}

static void call_function(struct warp *warp, const struct op *op)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    if (enter_callee(warp, op))
        simt_load(warp);
}

// A parked path was counted when it arrived.
static void uncount_second(struct warp *warp, const struct op *op)
{
    if (!warp->tallies || warp->paths[warp->depth - 1].waits_at != op)
        return;
    warp->tallies[op->tally].warps--;
    warp->tallies[op->tally].lanes -= (uint32_t)__builtin_popcount(warp->mask);
}

static void run_synced(struct warp *warp, const struct op *op)
{
    uncount_second(warp, op);
    if (!barrier_gather_lanes(warp, op))
        return;
    activate(warp, warp->active);
    if (op->kind == OP_SYNCED && warp->active)
        op->run(warp, op);
    go_on(warp);
}

// The paths of a warp may reach a barrier that is not .aligned one after the other.
static bool reach_barrier(struct warp *warp, const struct op *op)
{
    uncount_second(warp, op);
    if (!(op->imm & BARRIER_ALIGNED) && warp->active && warp->active != warp->live &&
        !barrier_gather_lanes(warp, op))
        return true;
    activate(warp, warp->active);
    if (!barrier_reach(warp, op)) {
        warp->paths[warp->depth - 1].pc = ++warp->pc;
        return false;
    }
    go_on(warp);
    return true;
}

static bool steer(struct warp *warp, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_EXIT:
        leave_at_end(warp, op);
        break;
    case OP_RETURN:
        return_some(warp);
        break;
    case OP_INDEXED:
        fan_out(warp, op);
        break;
    case OP_CALL:
        call_function(warp, op);
        if (launch_clock_coarse() > warp->block->machine->deadline) // a call may have copied many parameters
            return false;
        break;
    case OP_BARRIER:
        if (!reach_barrier(warp, op))
            return false;
        break;
    case OP_SYNCED:
    case OP_WARP_SYNC:
        run_synced(warp, op);
        break;
    case OP_WAITS:
        warp->yields = false;
        activate(warp, warp->active);
        if (warp->active)
            op->run(warp, op);
        go_on(warp);
        return !warp->yields && !warp->block->machine->stop;
    case OP_TRAP:
        if (warp->active)
            stop_at(warp, op, SIM_TRAP, trap_sentence(warp));
        else
            go_on(warp);
        break;
    default:
        if (warp->active)
            stop_at(warp, op, SIM_UNKNOWN, NULL);
        else
            go_on(warp);
        break;
    }
    return warp->state == WARP_READY && !warp->block->machine->stop;
}

// ---- the loop, compiled with and without counting, checking and recording ----

#define LIKELY(x) __builtin_expect(!!(x), 1)

// The lanes of `mask` whose guard holds.
INLINE uint32_t guarded(const struct warp *warp, const struct op *op, uint32_t mask)
{
    if (!op->guarded)
        return mask;
    uint32_t guard = ROWP(warp, op->guard);
    return mask & (op->guard_negated ? ~guard : guard);
}

INLINE void follow_lanes(struct warp *warp, const struct op *op, uint32_t active, uint32_t mask)
{
    activate(warp, active);
    uninit_follow(warp, op);
    activate(warp, mask);
}

INLINE void run_lanes(struct warp *warp, const struct op *op, uint32_t active, uint32_t mask)
{
    if (LIKELY(active == mask)) {
        op->run(warp, op);
    } else if (active) {
        activate(warp, active);
        op->run(warp, op);
        activate(warp, mask);
    }
}

// Instructions that may change the path or the state of the warp; false: it waits, has exited or is stopped.
INLINE bool leave_path(struct warp *warp, const struct op *op, uint32_t active, bool counting)
{
    warp->active = active;
    if (op->kind == OP_BRANCH) {
        split(warp, op, active);
        return true;
    }
    if (counting && op->kind == OP_EXIT && !op->guarded) { // count_leaving counts these
        warp->tallies[op->tally].warps--;
        warp->tallies[op->tally].lanes -= lane_count(warp->mask);
    }
    return steer(warp, op);
}

// How many plain instructions from this one on come before the path meets another one; at most `left`. A point of
// reconvergence that lies before the path is as far away as unsigned numbers reach.
INLINE int32_t plain_before(const struct op *op, int32_t pc, int32_t reconverge, int32_t limit, uint64_t left)
{
    const int32_t to_limit = limit - op->order;
    const uint32_t to_join = (uint32_t)reconverge - (uint32_t)pc;
    uint32_t most = op->plain < to_limit ? op->plain : (uint32_t)to_limit;
    most = most < to_join ? most : to_join;
    return (int32_t)(most < left ? most : left);
}

INLINE void count_step(struct tally *tally, uint32_t lanes)
{
    tally->warps++;
    tally->lanes += lanes;
}
INLINE void count_run_from(struct tally *tally, uint32_t lanes)
{
    tally->runs.warps++;
    tally->runs.lanes += lanes;
}
INLINE void count_run_before(struct tally *tally, uint32_t lanes)
{
    tally->runs.warps--;
    tally->runs.lanes -= lanes;
}
INLINE void count_stretch(struct tally *tally, uint32_t lanes)
{
    tally->stretches.warps++;
    tally->stretches.lanes += lanes;
}

// Executes at most so many plain instructions, and returns how many; *op is then the next one. With checks it stops after one
// that leaves undefined values in registers, which have to be followed from there on. Counts where the run begins.
INLINE int32_t run_plain(struct warp *warp, struct tally *tallies, const struct op **op, int32_t most,
                         uint32_t lanes, bool counting, bool checking)
{
    int32_t rest = most;
    if (counting)
        count_run_from(&tallies[(*op)->tally], lanes);
    do {
        (*op)->run(warp, *op);
        ++*op;
    } while (--rest && !(checking && warp->poisoned));
    return most - rest;
}

// Where a path is, what it needs to go on, and the instructions that it may still execute.
struct course {
    const struct op *op, *ops, *join; // ops: the function's; join: where the path ends, NULL: nowhere
    int32_t reconverge, limit;
    uint32_t mask, lanes;
    uint64_t left;
};

INLINE void take_up(struct warp *warp, struct course *c)
{
    c->reconverge = warp->paths[warp->depth - 1].reconverge;
    c->limit = warp->limit;
    c->mask = warp->mask;
    c->lanes = lane_count(c->mask);
    c->ops = warp->function->ops;
    c->join = c->reconverge == NO_PC ? NULL : c->ops + c->reconverge;
    c->op = c->ops + warp->pc;
    activate(warp, c->mask);
}

// Executes plain instructions up to where another path waits, or as many as are left. False: there are none here, or each is to be
// looked at.
INLINE bool run_part(struct warp *warp, struct course *c, struct tally *tallies, bool counting, bool checking,
                     bool recording)
{
    const struct op *op = c->op;
    if (!op->plain || (recording && warp->recorded) || (checking && warp->poisoned))
        return false;
    const int32_t most = plain_before(op, (int32_t)(op - c->ops), c->reconverge, c->limit, c->left);
    if (recording && !sample_leaves_out(warp, op, most))
        return false;
    c->left -= (uint64_t)run_plain(warp, tallies, &c->op, most, c->lanes, counting, checking);
    if (counting)
        count_run_before(&tallies[c->op->tally], c->lanes);
    return true;
}

// Executes whole stretches until the path ends or something else than a stretch is to be done. Returns whether that is a branch
// which has been counted with the instructions before it.
INLINE bool run_stretches(struct warp *warp, struct course *c, struct tally *tallies, bool counting,
                          bool checking)
{
    const struct op *op = c->op;
    bool counted = false;
    while (op->stretch && op->stretch <= c->left && op->order + op->stretch <= c->limit && op != c->join &&
           !(checking && warp->poisoned)) {
        const struct op *const last = op + (op->stretch - 1);
        c->left -= op->stretch;
        if (counting)
            count_stretch(&tallies[op->tally], c->lanes);
        for (; op != last && !(checking && warp->poisoned); op++)
            op->run(warp, op);
        if (checking && warp->poisoned) { // the rest has not been executed
            if (counting) {
                count_run_before(&tallies[op->tally], c->lanes);
                count_run_from(&tallies[last->tally + 1], c->lanes);
            }
            c->left += (uint64_t)(last + 1 - op);
            break;
        }
        if (last->kind == OP_LANES) {
            op->run(warp, op);
            op++;
            continue;
        }
        const uint32_t active = guarded(warp, last, c->mask);
        const bool taken = active == c->mask, spins = taken && last->spins && c->limit != INT32_MAX;
        counted = spins || (active && !taken);
        if (counted)
            break;
        op = taken ? c->ops + last->target : last + 1;
    }
    c->op = op;
    return counted;
}

// The path has reached another one, or has used up its instructions.
INLINE void leave_turn(struct warp *warp, int32_t pc)
{
    warp->pc = pc;
    save_path(warp);
    simt_load(warp);
}

// The usual arrival at a barrier. False: nothing has been done.
INLINE bool joins_others(struct warp *warp, struct course *c, struct tally *tallies, bool counting,
                         bool checking)
{
    const struct op *op = c->op;
    if (op->kind != OP_BARRIER || op->guarded || c->mask != warp->live || (checking && warp->poisoned) ||
        !barrier_joined(warp, op))
        return false;
    c->left--;
    if (counting)
        count_step(&tallies[op->tally], c->lanes);
    warp->pc = (int32_t)(op - c->ops) + 1;
    save_path(warp);
    return true;
}

// A turn that waits at a barrier goes on with the block's next warp, where warps take turns in their order and nothing is to be
// done between the two; not for long, so that the clock and the limits are looked at.
enum { HANDED_MOST = 4096 };

// The warp has executed `ran` instructions and waits. NULL: the turn is over.
static struct warp *hand_on(struct warp *warp, uint64_t ran, struct warp_turn *turn)
{
    struct warp *next = warp + 1;
    if (!turn->goes_on || warp->index + 1 >= warp->block->warp_count || next->state != WARP_READY ||
        next->spin.states || turn->handed > HANDED_MOST)
        return NULL;
    warp->clock += ran;
    warp->ran += ran;
    warp->spin = (struct spin){ .moved = true };
    turn->handed += ran;
    turn->warp = next;
    return next;
}

INLINE uint64_t run(struct warp_turn *turn, uint64_t budget, bool counting, bool checking, bool recording)
{
    struct warp *warp = turn->warp;
    struct course c = { .left = budget };
    struct tally *tallies = warp->tallies;
    while (c.left && warp->depth) {
        take_up(warp, &c);
        bool steered = false, on = true;
        while (LIKELY(c.left && c.op != c.join)) {
            const bool followed = checking && warp->poisoned;
            const bool counted =
                !recording && !followed && run_stretches(warp, &c, tallies, counting, checking);
            const struct op *op = c.op;
            if (!counted && (!c.left || op == c.join || op->order >= c.limit))
                break;
            if (!recording && !counted && joins_others(warp, &c, tallies, counting, checking)) {
                struct warp *next = hand_on(warp, budget - c.left, turn);
                if (!next)
                    return budget - c.left;
                warp = next;
                c.left = budget;
                steered = true;
                break;
            }
            if (!counted && run_part(warp, &c, tallies, counting, checking, recording))
                continue;
            c.left -= !counted;
            if (counting && !counted)
                count_step(&tallies[op->tally], c.lanes);
            const uint32_t active = guarded(warp, op, c.mask);
            if (recording)
                sample_step(warp, op, active);
            if (checking && warp->poisoned && active)
                follow_lanes(warp, op, active, c.mask);
            if (LIKELY(op->kind == OP_LANES)) {
                run_lanes(warp, op, active, c.mask);
                c.op++;
                continue;
            }
            if (op->kind == OP_BRANCH && (active == c.mask || !active)) {
                c.op = active ? c.ops + op->target : op + 1;
                if (!active || !op->spins || c.limit == INT32_MAX)
                    continue;
                delay_path(warp);
                break;
            }
            if (op->kind == OP_SYNCED && !checking && active == c.mask && barrier_is_met(warp, op)) {
                op->run(warp, op);
                c.op++;
                continue;
            }
            steered = true;
            warp->pc = (int32_t)(op - c.ops);
            on = leave_path(warp, op, active, counting);
            break;
        }
        if (!on)
            break;
        if (!steered)
            leave_turn(warp, (int32_t)(c.op - c.ops));
    }
    return budget - c.left;
}

static uint64_t run_on(struct warp_turn *turn, uint64_t budget)
{
    const struct warp *warp = turn->warp;
    if (warp->recorder)
        return warp->checks ? run(turn, budget, true, true, true) : run(turn, budget, true, false, true);
    return warp->checks    ? run(turn, budget, true, true, false)
           : warp->tallies ? run(turn, budget, true, false, false)
                           : run(turn, budget, false, false, false);
}

// A sample of the launch may record other parts of the budget than the rest.
static uint64_t run_some(struct warp_turn *turn, uint64_t budget)
{
    struct warp *warp = turn->warp;
    if (!warp->sample)
        return run_on(turn, budget);
    uint64_t ran = 0, part, now;
    do {
        part = budget - ran < warp->until_window ? budget - ran : warp->until_window;
        now = run_on(turn, part);
        ran += now;
        warp->until_window -= now;
        if (!warp->until_window)
            sample_window(warp);
    } while (now == part && ran < budget && warp->state == WARP_READY && !warp->yields &&
             !warp->block->machine->stop);
    return ran;
}

// ---- loops that never end ----

// A loop that has run for LOOK_AFTER instructions is tested for progress: does the warp return to the same state? The state is
// hashed after each instruction of a round. Where registers are so many that this would take long, only short rounds are
// recognised. A warp that was seen to spin is looked at again after LOOK_AGAIN instructions, and leaves its turn then; not
// where other host threads need time to write what it waits for.
// A wait in vain counts as WAITED instructions.
enum { WAITED = 2000, LOOK_AFTER = 200000, LOOK_AGAIN = 20000, LONGEST_TURN = 4096, HASHED_MOST = 512 << 20 };

static uint64_t state_hash(const struct warp *warp)
{
    const uint64_t *words = (const uint64_t *)(const void *)warp->frame;
    uint64_t hash = warp->mask;
    for (size_t i = 0; i < warp->function->frame_bytes / sizeof *words; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash;
}

// Runs until the warp returns to its state. A round counts only if it goes through the same states as the one before: a warp
// that alternates between waiting and working makes progress.
static uint64_t look_for_spin(struct warp *warp)
{
    int32_t pc = warp->pc, depth = warp->depth;
    uint64_t hash = state_hash(warp), now = hash, states = 0,
             ran = 0; // the sum of all states, so that it does not matter where a round begins
    bool again = false;
    warp->spin.reads = false;
    uint64_t most = HASHED_MOST / warp->function->frame_bytes;
    while (ran < LONGEST_TURN && ran < most && warp->state == WARP_READY && !warp->block->machine->stop &&
           !again) {
        const struct op *op = &warp->function->ops[warp->pc];
        warp->spin.reads |= op->access != SIM_ACCESSES && op->space != SPACE_LOCAL;
        states += now * 0x9e3779b97f4a7c15ull + (uint64_t)warp->pc;
        ran += run_some(&(struct warp_turn){ .warp = warp }, 1);
        now = state_hash(warp);
        again = warp->pc == pc && warp->depth == depth && now == hash;
    }
    if (!again || states != warp->spin.states)
        warp->spin.moved = true;
    warp->spin.rounds = !again ? 0 : states == warp->spin.states ? warp->spin.rounds + 1 : 1;
    warp->spin.states = again ? states : 0;
    if (warp->state == WARP_READY) {
        delay_path(warp);
        simt_rotate(warp);
        simt_load(warp);
    }
    return ran;
}

static uint64_t next_look(const struct warp *warp)
{
    return warp->spin.states && !block_in_company(warp->block->machine) ? LOOK_AGAIN : LOOK_AFTER;
}

// The rest of a turn in which the warp has executed so many instructions. Returns how many there were.
static uint64_t end_turn(struct warp *warp, uint64_t ran, uint64_t budget, uint64_t look)
{
    warp->clock += ran;
    if (warp->yields) { // a turn that ends by waiting in vain
        warp->yields = false;
        warp->spin.since += WAITED;
        if (warp->spin.since < look)
            return ran;
        warp->spin.since = 0;
        return ran + look_for_spin(warp);
    }
    if (warp->state != WARP_READY || ran < budget) {
        warp->spin = (struct spin){ .moved = true };
        return ran;
    }
    warp->spin.since += ran;
    if (warp->spin.since >= look) {
        warp->spin.since = 0;
        ran += look_for_spin(warp);
    }
    return ran;
}

uint64_t warp_run(struct warp_turn *turn, uint64_t budget)
{
    const uint64_t look = next_look(turn->warp), most = budget < look ? budget : look;
    turn->goes_on = turn->goes_on && most == budget && !turn->warp->sample;
    uint64_t ran = run_some(turn, most);
    ran = end_turn(turn->warp, ran, most, look);
    turn->warp->ran += ran;
    return turn->handed + ran;
}
