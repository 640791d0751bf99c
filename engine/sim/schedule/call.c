// Calls: arguments and results are copied lane by lane, and a function that is called gets a frame of its own, or is one of the
// built-in ones.
#include "engine/sim/schedule/path.h"

#include <string.h>

// ---- arguments and results -------------------------------------------------------------------------------

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

void call_return(struct warp *warp, const struct simt_path *bottom)
{
    const struct function *f = bottom->frame->function;
    int count = smaller(bottom->call->call->return_count, f->from->return_count);
    const struct machine *m = warp->block->machine;
    for (uint32_t left = bottom->mask; left && !is_late(m, f->param_bytes); left &= left - 1)
        for (int i = 0; i < count; i++)
            move_back(bottom->frame, f->return_at[i], f->from->returns[i].bytes, bottom->caller,
                      &bottom->call->call->returns[i], __builtin_ctz(left));
}

// ---- a frame for the function ----------------------------------------------------------------------------

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

bool call_enter(struct warp *warp, const struct op *op)
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
