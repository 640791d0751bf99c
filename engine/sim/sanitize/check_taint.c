// Values made from memory that nobody has written, on their way through the registers: a mask of lanes per
// register. They are reported where they matter: in an address, in a decision, in what is stored for others.
// Nothing here costs anything until a warp has read such memory (warp->poisoned).
#include "engine/sim/sanitize/check.h"

#include <string.h>

static struct warp_checks *state_of(const struct warp *warp)
{
    return &warp->checks->warps[warp->index];
}

void taint_reset(struct warp *warp)
{
    struct warp_checks *state = state_of(warp);
    warp->poisoned = false;
    state->frame_count = 0;
    memset(state->stored, 0, sizeof state->stored);
}

// The taints of the running function's registers; NULL when calls are too deep to follow or memory is short.
static struct taint_frame *frame_of(const struct warp *warp)
{
    struct warp_checks *state = state_of(warp);
    for (unsigned i = state->frame_count; i-- > 0;)
        if (state->frames[i].rows == warp->frame)
            return &state->frames[i];
    if (state->frame_count == TAINT_FRAMES || !warp->function || !warp->function->from)
        return NULL;
    struct taint_frame *frame = &state->frames[state->frame_count];
    size_t count = warp->function->from->register_count;
    if (frame->room < count) {
        budget_give(budget_of(warp), frame->registers);
        frame->registers = budget_take(budget_of(warp), FOR_CHECKS, count * sizeof *frame->registers);
        frame->room = frame->registers ? count : 0;
    }
    if (!frame->registers)
        return NULL;
    memset(frame->registers, 0, count * sizeof *frame->registers);
    frame->count = count;
    frame->param_count = 0;
    frame->call = NULL;
    frame->rows = warp->frame;
    state->frame_count++;
    return frame;
}

static struct taint *register_taint(struct taint_frame *frame, int reg)
{
    return reg >= 0 && (size_t)reg < frame->count ? &frame->registers[reg] : NULL;
}

static void add(struct taint *to, const struct taint *from)
{
    if (!from || !from->lanes)
        return;
    uint32_t lanes = to->lanes | from->lanes, bytes = to->lanes ? to->bytes | from->bytes : from->bytes;
    if (to->lanes == 0)
        *to = *from;
    to->lanes = lanes;
    to->bytes = bytes;
}

// All that an operand's value is made of.
static void add_operand(struct taint_frame *frame, const struct ptx_operand *operand, struct taint *to)
{
    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_MEMORY)
        add(to, register_taint(frame, operand->reg));
    for (int i = 0; i < operand->part_count; i++)
        add_operand(frame, &operand->parts[i], to);
}

static void give_register(struct taint_frame *frame, int reg, const struct taint *taint, uint32_t lanes)
{
    struct taint *to = register_taint(frame, reg);
    if (!to)
        return;
    to->lanes &= ~lanes;
    struct taint from = *taint;
    from.lanes &= lanes;
    add(to, &from);
}

static void give(struct taint_frame *frame, const struct ptx_operand *operand, const struct taint *taint,
                 uint32_t lanes)
{
    if (operand->kind == OPERAND_REGISTER)
        give_register(frame, operand->reg, taint, lanes);
    for (int i = 0; i < operand->part_count; i++)
        give(frame, &operand->parts[i], taint, lanes);
}

// ---- memory -------------------------------------------------------------------------------------------------------

static struct reading *new_reading(struct warp_checks *state, struct taint *taint)
{
    struct reading *reading = &state->readings[++state->reading_count % READINGS];
    reading->number = taint->reading = state->reading_count;
    reading->lanes = taint->lanes;
    return reading;
}

static void note_reading(const struct seen *seen, struct taint *taint, unsigned offset, unsigned width)
{
    struct reading *reading = new_reading(state_of(seen->warp), taint);
    for (uint32_t left = taint->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        reading->origin[lane] = origin_of(seen, lane, offset, width);
    }
    taint->origin = reading->origin[__builtin_ctz(taint->lanes)];
}

// Which of a value's `width` bytes some lane reads without anybody having written them.
static uint32_t unwritten_bytes(const struct seen *seen, uint32_t lanes, unsigned offset, unsigned width)
{
    uint32_t bytes = 0, whole = (1u << width) - 1;
    if (seen->touched->space == SPACE_LOCAL || !seen->range->written)
        return EVERY_BYTE;
    for (; lanes && bytes != whole; lanes &= lanes - 1)
        for (unsigned b = 0; b < width; b++)
            if (!span_written(seen->range->written, offset_of(seen, __builtin_ctz(lanes)) + offset + b, 1))
                bytes |= 1u << b;
    return bytes == whole ? EVERY_BYTE : bytes;
}

void taint_loaded(const struct seen *seen, const uint32_t *parts)
{
    const struct ptx_instruction *in = seen->touched->op->from;
    struct warp *warp = seen->warp;
    struct taint_frame *frame = in && in->operand_count ? frame_of(warp) : NULL;
    if (!frame)
        return;
    const struct ptx_operand *to = &in->operands[0];
    unsigned count = to->kind == OPERAND_VECTOR ? (unsigned)to->part_count : 1;
    for (unsigned k = 0; k < count && k < TAINT_PARTS; k++) {
        struct taint taint = { .lanes = parts[k] };
        if (parts[k]) {
            unsigned width = seen->touched->bytes / count;
            note_reading(seen, &taint, k * width, width);
            taint.bytes = unwritten_bytes(seen, parts[k], k * width, width);
            warp->poisoned = true;
        }
        give(frame, to->kind == OPERAND_VECTOR ? &to->parts[k] : to, &taint, seen->mask);
    }
}

// What an operand in brackets names, where it lies in the parameters.
static const char *parameter_name(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count && ptx_has(in, "param"); i++)
        if (in->operands[i].kind == OPERAND_MEMORY)
            return in->operands[i].name;
    return NULL;
}

// A structure is passed in pieces, padding and all; which of them matter is not followed.
static bool is_whole_parameter(const struct ptx_function *function, const char *name, unsigned bytes)
{
    const struct ptx_variable *const lists[] = { function->variables, function->params, function->returns };
    const size_t counts[] = { function->variable_count, function->param_count, function->return_count };
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; i < counts[l]; i++)
            if (lists[l][i].space == SPACE_PARAM && strcmp(lists[l][i].name, name) == 0)
                return lists[l][i].bytes == bytes;
    return true;
}

// Before a load, a store or an atomic: a tainted address is a finding, tainted values are kept for check_access,
// and what is loaded is clean until check_access says otherwise.
static void step_memory(struct warp *warp, const struct op *op, struct taint_frame *frame)
{
    const struct ptx_instruction *in = op->from;
    struct warp_checks *state = state_of(warp);
    memset(state->stored, 0, sizeof state->stored);
    bool loads = in->operands[0].kind != OPERAND_MEMORY;
    for (int i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        struct taint taint = { 0 };
        if (operand->kind == OPERAND_MEMORY) {
            add_operand(frame, operand, &taint);
            if (taint.lanes & warp->active)
                taint_report(warp, op, &taint, taint.lanes & warp->active, "uses it in an address");
        } else if (i > 0 && operand->kind == OPERAND_VECTOR && !loads)
            for (int k = 0; k < operand->part_count && k < TAINT_PARTS; k++)
                add_operand(frame, &operand->parts[k], &state->stored[k]);
        else if (i > 0)
            add_operand(frame, operand, &state->stored[0]);
    }
    const char *parameter = parameter_name(in);
    if (loads) {
        struct taint loaded = taint_param_load(warp, frame, parameter);
        give(frame, &in->operands[0], &loaded, warp->active);
    } else if (parameter && is_whole_parameter(warp->function->from, parameter, op->bytes))
        taint_param_store(warp, frame, parameter, &state->stored[0]);
}

// ---- shuffles ---------------------------------------------------------------------------------------------------

// Of lanes that do not come although their mask has them come, sync.c tells; so it does of a mask without its own lane.
static const char *why_nothing(const struct warp *warp, const struct op *op, int lane, int source)
{
    uint32_t members = op->members ? ROW32(warp, op->members)[lane] : FULL_MASK;
    if (!(members >> lane & 1) || (warp->active & members) >> source & 1)
        return NULL;
    if (!(warp->exists >> source & 1))
        return "which does not exist";
    if (!(members >> source & 1))
        return "which its mask does not name";
    if (!(warp->live >> source & 1))
        return "which has returned before";
    return op->members ? NULL : "which does not run this";
}

void check_shuffle(struct warp *warp, const struct op *op, const int source[LANES])
{
    const char *missing[LANES];
    struct taint taint = { .bytes = EVERY_BYTE };
    for (uint32_t left = warp->active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        missing[lane] = why_nothing(warp, op, lane, source[lane]);
        taint.lanes |= missing[lane] ? 1u << lane : 0;
    }
    struct taint_frame *frame = taint.lanes ? frame_of(warp) : NULL;
    if (!frame)
        return;
    struct reading *reading = new_reading(state_of(warp), &taint);
    for (uint32_t left = taint.lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        reading->origin[lane] = (struct origin){ .op = op,
                                                 .address = (uint64_t)source[lane],
                                                 .thread = warp->index * LANES + (uint32_t)lane,
                                                 .space = SPACE_REG,
                                                 .missing = missing[lane] };
    }
    taint.origin = reading->origin[__builtin_ctz(taint.lanes)];
    const struct ptx_operand *to =
        &op->from->operands[0]; // behind a bar: whether the lane's number is in range
    give(frame, to->kind == OPERAND_PAIR ? &to->parts[0] : to, &taint, taint.lanes);
    warp->poisoned = true;
}

// ---- everything else ------------------------------------------------------------------------------------------------

static void step_lanes(struct warp *warp, const struct op *op, struct taint_frame *frame)
{
    const struct ptx_instruction *in = op->from;
    struct taint sources[PTX_OPERANDS] = { { 0 } }, all = { 0 };
    int count = in->operand_count - 1;
    if (count < 0)
        return;
    for (int i = 0; i < count; i++) {
        add_operand(frame, &in->operands[i + 1], &sources[i]);
        add(&all, &sources[i]);
    }
    all.bytes = all.lanes ? taint_bytes(op, sources, count) : 0;
    all.lanes = all.bytes ? taint_passes(warp, op, sources, count) & warp->active : 0;
    give(frame, &in->operands[0], &all, warp->active);
}

static bool touches_memory(const struct ptx_instruction *in)
{
    static const char *const names[] = { "ld", "ldu", "st", "atom", "red", "cp", "prefetch" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(in->base, names[i]) == 0)
            return true;
    return false;
}

void check_step(struct warp *warp, const struct op *op)
{
    const struct ptx_instruction *in = op->from;
    struct taint_frame *frame = in ? frame_of(warp) : NULL;
    if (!frame)
        return;
    if (op == warp->function->ops &&
        !warp->function->from->entry) // a call begins; nothing jumps back to its first instruction
        taint_enter(warp, frame);
    const struct taint *guard = in->guard >= 0 ? register_taint(frame, in->guard) : NULL;
    if (guard && guard->lanes & warp->mask)
        taint_report(warp, op, guard, guard->lanes & warp->mask, "decides by it what to do");
    if (in->operand_count && touches_memory(in))
        step_memory(warp, op, frame);
    else if (op->kind == OP_LANES || op->kind == OP_SYNCED)
        step_lanes(warp, op, frame);
    else if (op->kind == OP_CALL)
        taint_call(warp, op, frame);
    else if (op->kind == OP_RETURN)
        taint_return(warp, frame);
    else if (op->kind == OP_INDEXED && in->operand_count) {
        struct taint index = { 0 };
        add_operand(frame, &in->operands[0], &index);
        if (index.lanes & warp->active)
            taint_report(warp, op, &index, index.lanes & warp->active, "decides by it where to go on");
    }
}
