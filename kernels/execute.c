// The stack machine under expressions: each step works on a whole block of elements before the next one
// does, so that filling a large buffer costs little more than the arithmetic. Nothing here can trap
// or depend on an element whose result is not used.
#include "kernels/expr.h"

static uint64_t hash64(uint64_t wide)
{
    return hash_u32((uint32_t)wide);
}

uint32_t hash_u32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Finds an element for which an operator has no result. Where that element's result is not used, the right
// operand becomes 1 instead, so that what follows needs no further checks.
static bool guard(const struct step *step, union block *right, const union block *mask, int count,
                  struct fault *fault)
{
    bool shift = step->op == OP_SHIFT_LEFT || step->op == OP_SHIFT_RIGHT;
    if (!shift && step->op != OP_DIVIDE && step->op != OP_MODULO)
        return true;
    for (int k = 0; k < count; k++) {
        bool bad = shift ? right->u[k] >= 64 : step->real ? right->r[k] == 0 : right->i[k] == 0;
        if (!bad)
            continue;
        if (!mask || mask->i[k]) {
            *fault = (struct fault){ .step = step, .index = k, .operand = step->real ? 0 : right->i[k] };
            return false;
        }
        if (step->real)
            right->r[k] = 1;
        else
            right->i[k] = 1;
    }
    return true;
}

// Whether the result does not fit in 64 bits with a sign; of a shift, not even in 64 bits without one: 1 << 63 is a bit.
static bool overflows(enum op op, int64_t a, int64_t b)
{
    int64_t unused;
    switch (op) {
    case OP_NEGATE:
        return a == INT64_MIN;
    case OP_ADD:
        return __builtin_add_overflow(a, b, &unused);
    case OP_SUBTRACT:
        return __builtin_sub_overflow(a, b, &unused);
    case OP_MULTIPLY:
        return __builtin_mul_overflow(a, b, &unused);
    case OP_DIVIDE:
        return a == INT64_MIN && b == -1;
    case OP_SHIFT_LEFT:
        return (int64_t)((uint64_t)a << b) >> b != a && (uint64_t)a << b >> b != (uint64_t)a;
    default:
        return false;
    }
}

// Finds an element whose result is used and does not fit. The first loop has nothing to choose: it is for all that do.
static bool guard_range(const struct step *step, const union block *left, const union block *right,
                        const union block *mask, int count, struct fault *fault)
{
    bool any = false;
    if (step->real)
        return true;
    for (int k = 0; k < count; k++)
        any |= overflows(step->op, left->i[k], right->i[k]);
    for (int k = 0; any && k < count; k++)
        if (overflows(step->op, left->i[k], right->i[k]) && (!mask || mask->i[k])) {
            *fault = (struct fault){ .step = step, .index = k, .overflow = true };
            return false;
        }
    return true;
}

// EACH(assignment): does it for every k of the block.
#define EACH(assignment)                                                                                     \
    for (int k = 0; k < count; k++)                                                                          \
        assignment;                                                                                          \
    break

static void do_whole(enum op op, union block *a, const union block *b, int count)
{
    switch (op) {
    case OP_NEGATE:
        EACH(a->u[k] = 0 - a->u[k]);
    case OP_FLIP:
        EACH(a->u[k] = ~a->u[k]);
    case OP_HASH:
        EACH(a->u[k] = hash64(a->u[k]));
    case OP_NOT:
        EACH(a->i[k] = a->i[k] == 0);
    case OP_TRUTH:
        EACH(a->i[k] = a->i[k] != 0);
    case OP_ADD:
        EACH(a->u[k] += b->u[k]);
    case OP_SUBTRACT:
        EACH(a->u[k] -= b->u[k]);
    case OP_MULTIPLY:
        EACH(a->u[k] *= b->u[k]);
    case OP_DIVIDE: // by -1 is a negation, which wraps around where a division would trap
        EACH(if (b->i[k] == -1) a->u[k] = 0 - a->u[k]; else a->i[k] /= b->i[k]);
    case OP_MODULO:
        EACH(a->i[k] = b->i[k] == -1 ? 0 : a->i[k] % b->i[k]);
    case OP_SHIFT_LEFT:
        EACH(a->u[k] <<= b->u[k]);
    case OP_SHIFT_RIGHT: // copies of the sign come in from the left
        EACH(a->i[k] >>= b->u[k]);
    case OP_BIT_AND:
        EACH(a->u[k] &= b->u[k]);
    case OP_BIT_XOR:
        EACH(a->u[k] ^= b->u[k]);
    case OP_BIT_OR:
        EACH(a->u[k] |= b->u[k]);
    case OP_LESS:
        EACH(a->i[k] = a->i[k] < b->i[k]);
    case OP_LESS_EQUAL:
        EACH(a->i[k] = a->i[k] <= b->i[k]);
    case OP_GREATER:
        EACH(a->i[k] = a->i[k] > b->i[k]);
    case OP_GREATER_EQUAL:
        EACH(a->i[k] = a->i[k] >= b->i[k]);
    case OP_EQUAL:
        EACH(a->i[k] = a->i[k] == b->i[k]);
    case OP_NOT_EQUAL:
        EACH(a->i[k] = a->i[k] != b->i[k]);
    case OP_MIN:
        EACH(a->i[k] = b->i[k] < a->i[k] ? b->i[k] : a->i[k]);
    case OP_MAX:
        EACH(a->i[k] = b->i[k] > a->i[k] ? b->i[k] : a->i[k]);
    default:
        break;
    }
}

static void do_real(enum op op, union block *a, const union block *b, int count)
{
    switch (op) {
    case OP_NEGATE:
        EACH(a->r[k] = -a->r[k]);
    case OP_NOT:
        EACH(a->i[k] = a->r[k] == 0);
    case OP_TRUTH:
        EACH(a->i[k] = a->r[k] != 0);
    case OP_ADD:
        EACH(a->r[k] += b->r[k]);
    case OP_SUBTRACT:
        EACH(a->r[k] -= b->r[k]);
    case OP_MULTIPLY:
        EACH(a->r[k] *= b->r[k]);
    case OP_DIVIDE:
        EACH(a->r[k] /= b->r[k]);
    case OP_LESS:
        EACH(a->i[k] = a->r[k] < b->r[k]);
    case OP_LESS_EQUAL:
        EACH(a->i[k] = a->r[k] <= b->r[k]);
    case OP_GREATER:
        EACH(a->i[k] = a->r[k] > b->r[k]);
    case OP_GREATER_EQUAL:
        EACH(a->i[k] = a->r[k] >= b->r[k]);
    case OP_EQUAL:
        EACH(a->i[k] = a->r[k] == b->r[k]);
    case OP_NOT_EQUAL:
        EACH(a->i[k] = a->r[k] != b->r[k]);
    case OP_MIN:
        EACH(a->r[k] = b->r[k] < a->r[k] ? b->r[k] : a->r[k]);
    case OP_MAX:
        EACH(a->r[k] = b->r[k] > a->r[k] ? b->r[k] : a->r[k]);
    default:
        break;
    }
}

// Where a truth is 1, or 0, among the elements that count already; `outer` NULL: all do.
static void do_mask(enum op op, union block *out, const union block *truth, const union block *outer,
                    int count)
{
    int64_t wanted = op == OP_MASK_IF;
    for (int k = 0; k < count; k++)
        out->i[k] = (truth->i[k] == wanted) & (outer ? outer->i[k] : 1);
}

// The steps that move values and masks between slots. False: the step is none of them.
static bool do_flow(const struct step *step, union block *slots, int64_t first, int count)
{
    union block *out = &slots[step->slot];
    const union block *mask = step->mask < 0 ? NULL : &slots[step->mask];
    switch (step->op) {
    case OP_VALUE:
        if (step->value.real) {
            EACH(out->r[k] = step->value.r);
        }
        EACH(out->i[k] = step->value.i);
    case OP_INDEX:
        EACH(out->i[k] = first + k);
    case OP_MASK_IF:
    case OP_MASK_UNLESS:
        do_mask(step->op, out, &slots[step->slot - 1], mask, count);
        break;
    case OP_AND:
        EACH(out->i[k] &= out[2].i[k]);
    case OP_OR:
        EACH(out->i[k] |= out[2].i[k]);
    case OP_SELECT:
        EACH(out->u[k] = out->i[k] ? out[2].u[k] : out[3].u[k]);
    default:
        return false;
    }
    return true;
}

void block_widen(union block *block, int count)
{
    for (int k = 0; k < count; k++)
        block->r[k] = (double)block->i[k];
}

bool steps_execute(const struct step *steps, size_t step_count, union block *slots, int64_t first, int count,
                   struct fault *fault)
{
    for (size_t s = 0; s < step_count; s++) {
        const struct step *step = &steps[s];
        union block *low = &slots[step->slot + (step->op == OP_SELECT ? 2 : 0)];
        if (step->widen_low)
            block_widen(low, count);
        if (step->widen_high)
            block_widen(low + 1, count);
        if (do_flow(step, slots, first, count))
            continue;
        const union block *mask = step->mask < 0 ? NULL : &slots[step->mask];
        if (!guard(step, low + 1, mask, count, fault) ||
            !guard_range(step, low, low + 1, mask, count, fault)) {
            fault->index += first;
            return false;
        }
        if (step->real)
            do_real(step->op, low, low + 1, count);
        else
            do_whole(step->op, low, low + 1, count);
    }
    return true;
}
