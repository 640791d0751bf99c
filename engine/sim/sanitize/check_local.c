// Local memory that its thread has not written: a bit per byte and lane. A call's part is unwritten again when the
// call begins. Compilers copy structures with their padding, so a value counts as unwritten only when none of its
// bytes has been written.
#include "engine/sim/sanitize/check.h"

#include <string.h>

static bool grow(struct budget *budget, struct warp_checks *state, size_t bytes)
{
    if (bytes <= state->local_room)
        return true;
    size_t words = (bytes + 63) / 64, old = state->local_room / 64;
    uint64_t *larger = budget_take(budget, FOR_CHECKS, LANES * words * sizeof *larger);
    if (!larger)
        return false;
    for (size_t lane = 0; old && lane < LANES; lane++)
        memcpy(larger + lane * words, state->local + lane * old, old * sizeof *larger);
    budget_give(budget, state->local);
    state->local = larger;
    state->local_room = words * 64;
    return true;
}

static uint64_t *bits_of(const struct warp_checks *state, int lane)
{
    return state->local + (size_t)lane * (state->local_room / 64);
}

void local_reset(struct warp_checks *state)
{
    if (state->local)
        memset(state->local, 0, LANES * state->local_room / 8);
}

void check_call_starts(struct warp *warp, size_t from, size_t bytes)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    for (int lane = 0; lane < LANES && from < state->local_room; lane++) {
        size_t end = from + bytes < state->local_room ? from + bytes : state->local_room;
        span_mark(bits_of(state, lane), from, end - from, false);
        origin_forget_local(warp, lane, from, end - from);
    }
}

static bool any_written(const uint64_t *bits, uint64_t at, unsigned bytes)
{
    for (uint64_t b = at; b < at + bytes; b++)
        if (bits[b / 64] >> (b % 64) & 1)
            return true;
    return false;
}

static bool find_unwritten(const struct seen *seen, const struct warp_checks *state, uint32_t *parts)
{
    unsigned count = part_count(seen->touched), width = seen->touched->bytes / count;
    uint32_t any = 0;
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        for (unsigned k = 0; k < count; k++)
            if (!any_written(bits_of(state, lane), offset_of(seen, lane) + k * width, width))
                any |= parts[k] |= 1u << lane;
    }
    return any != 0;
}

// What comes from nowhere waits here, too, for somebody who needs it.
static void mark_stored(const struct seen *seen, const struct warp_checks *state)
{
    unsigned count = part_count(seen->touched), width = seen->touched->bytes / count;
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        for (unsigned k = 0; k < count; k++) {
            bool nothing = seen->warp->poisoned && (state->stored[k].lanes >> lane & 1);
            span_mark(bits_of(state, lane), offset_of(seen, lane) + k * width, width, !nothing);
            if (nothing)
                origin_keep(seen, lane, k * width, width,
                            origin_in(seen->warp, &state->stored[k], 1u << lane));
        }
    }
}

void check_local(struct seen *seen)
{
    struct warp_checks *state = &seen->checks->warps[seen->warp->index];
    uint32_t parts[TAINT_PARTS] = { 0 };
    if (!grow(budget_of(seen->warp), state, seen->warp->local_used))
        return;
    if (seen->touched->read && (find_unwritten(seen, state, parts) || seen->warp->poisoned))
        taint_loaded(seen, parts);
    if (seen->touched->write)
        mark_stored(seen, state);
}

// ---- copies of structures -----------------------------------------------------------------------------------------

static bool gives(const struct ptx_operand *operand, int reg)
{
    if (operand->kind == OPERAND_REGISTER)
        return operand->reg == reg;
    for (int i = 0; i < operand->part_count; i++)
        if (gives(&operand->parts[i], reg))
            return true;
    return false;
}

static bool is_local_load(const struct ptx_instruction *in)
{
    return in->base && strcmp(in->base, "ld") == 0 && ptx_has(in, "local") && in->operand_count > 1;
}

// Whether what this instruction stores was loaded from local memory and is unchanged.
static bool copies(const struct ptx_function *function, const struct ptx_instruction *store)
{
    if (!store->base || strcmp(store->base, "st") != 0 || store->operand_count < 2)
        return false;
    const struct ptx_operand *value = &store->operands[1];
    int reg = value->kind == OPERAND_VECTOR && value->part_count ? value->parts[0].reg : value->reg;
    for (size_t i = 0; reg >= 0 && i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (is_local_load(in) && gives(&in->operands[0], reg))
            return true;
    }
    return false;
}

// One line of the source that copies several such values copies a structure, or an array inside of one.
bool local_is_structure(const struct warp *warp, const struct op *store)
{
    const struct ptx_function *function = warp->function->from;
    const struct ptx_instruction *from = store->from;
    unsigned count = 0;
    if (!from || !from->line || !copies(function, from))
        return false;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->line == from->line && copies(function, in))
            count += in->operands[1].kind == OPERAND_VECTOR ? 2 : 1;
    }
    return count > 1;
}
