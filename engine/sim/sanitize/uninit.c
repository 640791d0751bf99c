// Uninitialised values in registers. Each register of a running function has the undefined bits of its lanes, or nothing
// when all are defined. They are handed on by the rules of definedness.c and reported where they matter: in an address,
// in a decision, in what is stored for others to see. Nothing here runs before a warp has read memory that no thread has
// written (warp->poisoned).
#include "engine/sim/machine/fragment.h"
#include "engine/sim/sanitize/checks.h"

#include <string.h>

static struct warp_checks *state_of(const struct warp *warp)
{
    return &warp->checks->warps[warp->index];
}

// ---- registers ---------------------------------------------------------------------------------------------------

// The registers of the running function; NULL when calls are too deep to follow or memory is short.
static struct uninit_frame *frame_of(const struct warp *warp)
{
    struct warp_checks *state = state_of(warp);
    for (unsigned i = state->frame_count; i-- > 0;)
        if (state->frames[i].rows == warp->frame)
            return &state->frames[i];
    if (state->frame_count == UNINIT_FRAMES || !warp->function || !warp->function->from)
        return NULL;
    struct uninit_frame *frame = &state->frames[state->frame_count];
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

static const struct undefined *undefined_in(const struct uninit_frame *frame, int reg)
{
    return reg >= 0 && (size_t)reg < frame->count ? frame->registers[reg] : NULL;
}

static unsigned register_bits(const struct warp *warp, int reg)
{
    enum ptx_type type = warp->function->from->registers[reg].type;
    return type == TYPE_PRED ? 1 : 8 * type_bytes(type);
}

static void assign_register(const struct warp *warp, struct uninit_frame *frame,
                            const struct ptx_operand *operand, const struct undefined *from, uint32_t lanes)
{
    if (operand->kind == OPERAND_REGISTER && operand->reg >= 0 && (size_t)operand->reg < frame->count)
        uninit_assign(warp->checks, &frame->registers[operand->reg], from, lanes,
                      bits_below(register_bits(warp, operand->reg)));
}

static void clear_operand(const struct warp *warp, struct uninit_frame *frame,
                          const struct ptx_operand *operand, uint32_t lanes)
{
    assign_register(warp, frame, operand, NULL, lanes);
    for (int i = 0; i < operand->part_count; i++)
        clear_operand(warp, frame, &operand->parts[i], lanes);
}

// Adds the undefined bits of all registers of an operand.
static void add_operand(const struct uninit_frame *frame, const struct ptx_operand *operand,
                        struct undefined *to)
{
    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_MEMORY)
        uninit_add(to, undefined_in(frame, operand->reg), FULL_MASK, ~0ull);
    for (int i = 0; i < operand->part_count; i++)
        add_operand(frame, &operand->parts[i], to);
}

// ---- parameters of calls -------------------------------------------------------------------------------------------

// Parameters go by name inside a function and by number from one to the other. Their first 16 bytes are followed.

static struct uninit_param *param_in(struct uninit_frame *frame, const char *name)
{
    for (unsigned i = 0; name && i < frame->param_count; i++)
        if (strcmp(frame->params[i].name, name) == 0)
            return &frame->params[i];
    return NULL;
}

static void assign_value(struct checks *c, struct uninit_value *to, const struct uninit_value *from,
                         uint32_t lanes)
{
    for (int w = 0; w < PARAM_WORDS; w++)
        uninit_assign(c, &to->word[w], from ? from->word[w] : NULL, lanes, ~0ull);
}

static bool is_undefined(const struct uninit_value *value, uint32_t lanes)
{
    for (int w = 0; w < PARAM_WORDS; w++)
        if (value->word[w] && value->word[w]->lanes & lanes)
            return true;
    return false;
}

static void param_assign(struct checks *c, struct uninit_frame *frame, const char *name,
                         const struct uninit_value *value, uint32_t lanes)
{
    struct uninit_param *param = param_in(frame, name);
    if (!param && (!name || !is_undefined(value, lanes) || frame->param_count == UNINIT_PARAMS))
        return;
    if (!param) {
        param = &frame->params[frame->param_count++];
        *param = (struct uninit_param){ .name = name };
    }
    assign_value(c, &param->value, value, lanes);
}

static const struct uninit_value *param_value(const struct warp *warp, struct uninit_frame *frame,
                                              const char *name)
{
    const struct warp_checks *state = state_of(warp);
    const struct ptx_instruction *call = frame->call ? frame->call->from : NULL;
    for (int k = 0; name && call && k < call->call_return_count && k < UNINIT_PARAMS; k++)
        if (call->call_returns[k].name && strcmp(call->call_returns[k].name, name) == 0)
            return &state->returned[k];
    const struct uninit_param *param = param_in(frame, name);
    return param ? &param->value : NULL;
}

static void step_call(struct warp *warp, const struct op *op, struct uninit_frame *frame)
{
    struct warp_checks *state = state_of(warp);
    for (int k = 0; k < UNINIT_PARAMS; k++) {
        assign_value(warp->checks, &state->passed[k], NULL, FULL_MASK);
        assign_value(warp->checks, &state->returned[k], NULL, FULL_MASK);
    }
    frame->call = op;
    for (int k = 0; k < op->from->call_argument_count && k < UNINIT_PARAMS; k++) {
        const struct uninit_param *param = param_in(frame, op->from->call_arguments[k].name);
        if (param)
            assign_value(warp->checks, &state->passed[k], &param->value, FULL_MASK);
    }
}

static void step_into_function(struct warp *warp, struct uninit_frame *frame)
{
    const struct warp_checks *state = state_of(warp);
    const struct ptx_function *function = warp->function->from;
    frame->call = NULL;
    for (size_t i = 0; i < frame->count; i++)
        uninit_assign(warp->checks, &frame->registers[i], NULL, warp->mask, ~0ull);
    for (size_t k = 0; k < function->param_count && k < UNINIT_PARAMS; k++)
        param_assign(warp->checks, frame, function->params[k].name, &state->passed[k], warp->mask);
}

static void step_return(struct warp *warp, struct uninit_frame *frame)
{
    struct warp_checks *state = state_of(warp);
    const struct ptx_function *function = warp->function->from;
    for (size_t k = 0; k < function->return_count && k < UNINIT_PARAMS; k++) {
        const struct uninit_param *param = param_in(frame, function->returns[k].name);
        if (param && is_undefined(&param->value, warp->active))
            assign_value(warp->checks, &state->returned[k], &param->value, warp->active);
    }
}

// ---- memory --------------------------------------------------------------------------------------------------------

static struct uninit_read *new_read(struct warp_checks *state, struct undefined *value)
{
    struct uninit_read *read = &state->reads[++state->read_count % UNINIT_READS];
    read->number = value->read = state->read_count;
    read->lanes = value->lanes;
    return read;
}

static void transpose(struct undefined *value)
{
    uint32_t bits[LANES];
    for (int i = 0; i < LANES; i++)
        bits[i] = value->lanes >> i & 1 ? (uint32_t)value->bits[i] : 0;
    value->lanes = 0;
    for (unsigned i = 0; i < LANES; i++) {
        value->bits[i] = matrix_transposed(bits, i);
        value->lanes |= (uint32_t)(value->bits[i] != 0) << i;
    }
}

// A step of a matrix instruction loads a register, or bits of it.
static void load_matrix_part(struct warp *warp, struct uninit_frame *frame, const struct matrix_part *part,
                             unsigned k, struct undefined *value)
{
    const struct ptx_operand *to = &warp->function->ops[warp->pc].from->operands[0];
    const struct ptx_operand *one = to->kind == OPERAND_VECTOR && part->first + (int)k < to->part_count
                                        ? &to->parts[part->first + k]
                                        : to;
    for (uint32_t left = value->lanes; left; left &= left - 1)
        value->bits[__builtin_ctz(left)] <<= part->shift;
    if (part->transposed)
        transpose(value);
    if (part->shift && one->kind == OPERAND_REGISTER) // what the steps before have brought stays
        uninit_add(value, undefined_in(frame, one->reg), warp->active, bits_below(part->shift));
    assign_register(warp, frame, one, value, warp->active);
}

void uninit_stored_part(const struct warp *warp, const struct matrix_part *part, unsigned k,
                        struct undefined *out)
{
    *out = state_of(warp)->stored[(part->first + k) % UNINIT_PARTS];
    if (part->transposed)
        transpose(out);
    for (uint32_t left = out->lanes; left; left &= left - 1)
        out->bits[__builtin_ctz(left)] >>= part->shift;
}

void uninit_loaded(const struct access *access, const uint32_t *parts)
{
    const struct ptx_instruction *in = access->touched->op->from;
    struct warp *warp = access->warp;
    struct uninit_frame *frame = in && in->operand_count ? frame_of(warp) : NULL;
    if (!frame)
        return;
    const struct ptx_operand *to = &in->operands[0];
    const struct matrix_part *part = access->touched->part;
    unsigned count = part ? part->count : to->kind == OPERAND_VECTOR ? (unsigned)to->part_count : 1;
    for (unsigned k = 0; k < count && k < UNINIT_PARTS; k++) {
        struct undefined value = { .lanes = parts[k] };
        unsigned width = access->touched->bytes / count;
        struct uninit_read *read = parts[k] ? new_read(state_of(warp), &value) : NULL;
        for (uint32_t left = parts[k]; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint64_t bits = uninit_in_memory(access, lane, k * width, width, &read->source[lane]);
            value.bits[lane] =
                width < 8 ? bits_extended(bits, 8 * width, type_is_signed(in->types[0])) : bits;
        }
        if (parts[k]) {
            value.source = read->source[__builtin_ctz(parts[k])];
            warp->poisoned = true;
        }
        if (part)
            load_matrix_part(warp, frame, part, k, &value);
        else
            assign_register(warp, frame, to->kind == OPERAND_VECTOR ? &to->parts[k] : to, &value,
                            access->mask);
    }
}

// The address operand of an access to the parameters.
static const struct ptx_operand *parameter_of(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count && ptx_has(in, "param"); i++)
        if (in->operands[i].kind == OPERAND_MEMORY && in->operands[i].name)
            return &in->operands[i];
    return NULL;
}

// A structure is passed in pieces, with its padding; which pieces matter is not followed.
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

static void store_parameter(struct warp *warp, const struct op *op, struct uninit_frame *frame,
                            const char *name)
{
    struct warp_checks *state = state_of(warp);
    unsigned parts = op->parts ? op->parts : 1, width = op->bytes / parts;
    struct undefined word[PARAM_WORDS] = { { 0 } };
    struct uninit_value value = { { NULL } };
    for (unsigned k = 0; k < parts && k < UNINIT_PARTS && k * width < 8 * PARAM_WORDS; k++) {
        struct undefined moved = state->stored[k];
        for (uint32_t left = moved.lanes; left; left &= left - 1)
            moved.bits[__builtin_ctz(left)] <<= k * width % 8 * 8;
        uninit_add(&word[k * width / 8], &moved, warp->active, ~0ull);
    }
    for (int w = 0; w < PARAM_WORDS; w++)
        value.word[w] = &word[w];
    param_assign(warp->checks, frame, name, &value, warp->active);
}

static void load_parameter(struct warp *warp, const struct op *op, struct uninit_frame *frame,
                           const struct ptx_operand *parameter)
{
    const struct ptx_operand *to = &op->from->operands[0];
    const struct uninit_value *value = param_value(warp, frame, parameter->name);
    unsigned count = to->kind == OPERAND_VECTOR ? (unsigned)to->part_count : 1, width = op->bytes / count;
    for (unsigned k = 0; value && width && k < count; k++) {
        uint64_t at = (uint64_t)parameter->offset + k * width;
        const struct undefined *word = at < 8 * PARAM_WORDS ? value->word[at / 8] : NULL;
        struct undefined part = { 0 };
        if (word)
            part = *word;
        for (uint32_t left = part.lanes; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint64_t bits = part.bits[lane] >> at % 8 * 8 & bits_below(8 * width);
            part.bits[lane] = bits_extended(bits, 8 * width, type_is_signed(op->from->types[0]));
        }
        assign_register(warp, frame, to->kind == OPERAND_VECTOR ? &to->parts[k] : to, &part, warp->active);
    }
}

// Before a load, a store or an atomic: an undefined address is a finding, undefined values are kept for checks_access,
// and what is loaded is defined until checks_access says otherwise.
static void step_memory(struct warp *warp, const struct op *op, struct uninit_frame *frame)
{
    const struct ptx_instruction *in = op->from;
    struct warp_checks *state = state_of(warp);
    bool loads = in->operands[0].kind != OPERAND_MEMORY;
    for (int k = 0; k < UNINIT_PARTS; k++)
        state->stored[k].lanes = 0;
    for (int i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        if (operand->kind == OPERAND_MEMORY) {
            const struct undefined *address = undefined_in(frame, operand->reg);
            struct undefined coordinates;
            if (operand->part_count) { // of a texture
                coordinates.lanes = 0;
                add_operand(frame, operand, &coordinates);
                address = &coordinates;
            }
            if (address && address->lanes & warp->active)
                uninit_report(warp, op, address, address->lanes & warp->active, "uses it in an address");
        } else if (i > 0 && operand->kind == OPERAND_VECTOR && !loads)
            for (int k = 0; k < operand->part_count && k < UNINIT_PARTS; k++)
                add_operand(frame, &operand->parts[k], &state->stored[k]);
        else if (i > 0)
            add_operand(frame, operand, &state->stored[0]);
    }
    const struct ptx_operand *parameter = parameter_of(in);
    if (loads) {
        clear_operand(warp, frame, &in->operands[0], warp->active);
        if (parameter)
            load_parameter(warp, op, frame, parameter);
    } else if (parameter && is_whole_parameter(warp->function->from, parameter->name, op->bytes))
        store_parameter(warp, op, frame, parameter->name);
}

// ---- lanes with each other -----------------------------------------------------------------------------------------

// The lane that lane i reads from, as lanes_exchange.c computes it.
static int source_lane(const struct ptx_instruction *in, int i, uint32_t b, uint32_t c)
{
    int part = (int)(c >> 8 & 31), by = (int)(b & 31), low = i & part;
    int last = low | ((int)(c & 31) & ~part & 31);
    if (ptx_has(in, "up"))
        return i - by >= last ? i - by : i;
    int from = ptx_has(in, "down") ? i + by : ptx_has(in, "bfly") ? i ^ by : low | (by & ~part & 31);
    return from <= last ? from & 31 : i;
}

static uint64_t bits_in(const struct undefined *value, int lane)
{
    return value && value->lanes >> lane & 1 ? value->bits[lane] : 0;
}

static uint64_t shuffled(const struct warp *warp, const struct op *op, const struct undefined *const *source,
                         int lane, bool predicate)
{
    if (bits_in(source[1], lane) || bits_in(source[2], lane))
        return ~0ull;
    return predicate ? 0
                     : bits_in(source[0], source_lane(op->from, lane, ROW32(warp, op->b)[lane],
                                                      ROW32(warp, op->c)[lane]));
}

// The lanes that take part in a vote, a match or a reduction with this one.
static uint32_t group_of(const struct warp *warp, const struct op *op, int lane)
{
    return op->members ? ROW32(warp, op->members)[lane] & warp->live : warp->active;
}

static uint32_t votes_for(const struct warp *warp, const struct op *op)
{
    return (op->a ? ROWP(warp, op->a) : 0) ^ (uint32_t)op->imm; // as in lanes_exchange.c
}

static uint64_t voted(const struct warp *warp, const struct op *op, const struct undefined *from,
                      uint32_t group)
{
    uint32_t undefined = from->lanes & group, sure = group & ~undefined, ayes = votes_for(warp, op) & sure;
    if (ptx_has(op->from, "ballot"))
        return undefined;
    bool decided = ptx_has(op->from, "any")   ? ayes != 0
                   : ptx_has(op->from, "all") ? ayes != sure
                                              : ayes && ayes != sure;
    return undefined && !decided;
}

// redux: bit by bit where each bit of the result depends on the same bit of the values alone.
static uint64_t reduced(const struct warp *warp, const struct op *op, const struct undefined *from,
                        uint32_t group)
{
    uint64_t undefined = 0, ones = 0, zeros = 0;
    for (uint32_t left = group; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t bits = bits_in(from, lane), value = ROW32(warp, op->a)[lane];
        undefined |= bits;
        ones |= value & ~bits;
        zeros |= ~value & ~bits;
    }
    if (ptx_has(op->from, "and"))
        return undefined & ~zeros;
    if (ptx_has(op->from, "or"))
        return undefined & ~ones;
    if (ptx_has(op->from, "xor") || !undefined)
        return undefined;
    return ptx_has(op->from, "add") ? ~(undefined - 1) | undefined
                                    : ~0ull; // from the lowest undefined bit up
}

typedef uint64_t exchange_rule(const struct warp *warp, const struct op *op, const struct undefined *from,
                               uint32_t group);

static uint64_t matched(const struct warp *warp, const struct op *op, const struct undefined *from,
                        uint32_t group)
{
    return from->lanes & group ? ~0ull : 0;
}

static exchange_rule *exchange_of(const char *base)
{
    static const struct {
        const char *base;
        exchange_rule *rule;
    } rules[] = { { "vote", voted }, { "match", matched }, { "redux", reduced } };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(base, rules[i].base) == 0)
            return rules[i].rule;
    return NULL;
}

// The reason why a lane gets no value from a shuffle; NULL: it gets one. barrier.c reports members that do not arrive, and
// masks without their own lane.
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

void uninit_shuffle(struct warp *warp, const struct op *op, const int source[LANES])
{
    const char *missing[LANES];
    struct undefined value = { 0 };
    for (uint32_t left = warp->active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        missing[lane] = why_nothing(warp, op, lane, source[lane]);
        value.lanes |= missing[lane] ? 1u << lane : 0;
        value.bits[lane] = ~0ull;
    }
    struct uninit_frame *frame = value.lanes ? frame_of(warp) : NULL;
    if (!frame)
        return;
    struct uninit_read *read = new_read(state_of(warp), &value);
    for (uint32_t left = value.lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        read->source[lane] = (struct uninit_source){ .op = op,
                                                     .address = (uint64_t)source[lane],
                                                     .thread = warp->index * LANES + (uint32_t)lane,
                                                     .space = SPACE_REG,
                                                     .missing = missing[lane] };
    }
    value.source = read->source[__builtin_ctz(value.lanes)];
    const struct ptx_operand *to = &op->from->operands[0]; // d|p: p says whether the lane is in range
    assign_register(warp, frame, to->kind == OPERAND_PAIR ? &to->parts[0] : to, &value, value.lanes);
    warp->poisoned = true;
}

// ---- lanes by themselves -------------------------------------------------------------------------------------------

// An instruction: the undefined bits of its sources, and those of its result.
struct uninit_step {
    struct warp *warp;
    const struct op *op;
    struct uninit_frame *frame;
    const struct undefined *source[PTX_OPERANDS];
    const struct undefined *carry; // of addc and its kind; NULL: defined
    int count;
    uint32_t lanes; // active ones with an undefined source
    struct undefined result;
};

static void set_result(struct uninit_step *step, int lane, uint64_t bits)
{
    step->result.bits[lane] = bits;
    step->result.lanes |= (uint32_t)(bits != 0) << lane;
}

static void give_result(struct uninit_step *step, const struct ptx_operand *to)
{
    assign_register(step->warp, step->frame, to, &step->result, step->warp->active);
    step->result.lanes = 0;
}

static int output_count(const struct uninit_step *step)
{
    return step->op->from->operands[0].kind == OPERAND_PAIR ? 2 : 1;
}

// Gives the result to the destination, or to one part of d|p.
static void give_output(struct uninit_step *step, int output)
{
    const struct ptx_operand *to = &step->op->from->operands[0];
    give_result(step, to->kind == OPERAND_PAIR ? &to->parts[output] : to);
}

// {a, b} to a register of twice their width, or back.
static void step_vector(struct uninit_step *step)
{
    const struct ptx_operand *to = &step->op->from->operands[0], *from = &step->op->from->operands[1];
    bool packs = from->kind == OPERAND_VECTOR;
    const struct ptx_operand *vector = packs ? from : to;
    unsigned bits = 8 * type_bytes(step->op->from->types[0]);
    unsigned width = vector->part_count ? bits / (unsigned)vector->part_count : 0;
    for (int k = 0; k < vector->part_count && width && (unsigned)k * width < 64; k++) {
        const struct undefined *part =
            packs
                ? undefined_in(step->frame, from->parts[k].kind == OPERAND_REGISTER ? from->parts[k].reg : -1)
                : step->source[0];
        for (uint32_t left = step->lanes; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint64_t all = bits_in(part, lane);
            if (packs)
                set_result(step, lane,
                           (k ? bits_in(&step->result, lane) : 0) | (all & bits_below(width))
                                                                        << k * (int)width);
            else
                set_result(step, lane, all >> k * (int)width & bits_below(width));
        }
        if (!packs)
            give_result(step, &to->parts[k]);
    }
    if (packs)
        give_result(step, to);
}

static bool is_readable(const struct warp *warp, const struct ptx_operand *operand)
{
    if (operand->kind == OPERAND_REGISTER)
        return operand->reg >= 0 && register_bits(warp, operand->reg) <= 64;
    return operand->kind == OPERAND_IMMEDIATE;
}

static uint64_t value_of(const struct warp *warp, const struct ptx_operand *operand, int lane)
{
    if (operand->kind == OPERAND_IMMEDIATE)
        return operand->negated ? !operand->bits : operand->bits;
    row at = warp->function->register_rows[operand->reg];
    unsigned bits = register_bits(warp, operand->reg);
    if (bits == 1)
        return (ROWP(warp, at) >> lane & 1) ^ operand->negated;
    return bits == 64 ? ROW64(warp, at)[lane] : ROW32(warp, at)[lane];
}

static void step_by_rule(struct uninit_step *step)
{
    const struct ptx_instruction *in = step->op->from;
    bool known = step->count <= DEFINEDNESS_SOURCES;
    for (int i = 0; i < step->count; i++)
        known &= is_readable(step->warp, &in->operands[i + 1]);
    struct definedness how = definedness_of(step->op, known);
    for (int output = 0; output < output_count(step); output++) {
        how.second_output = output == 1;
        for (uint32_t left = step->lanes; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            struct partial_value source[PTX_OPERANDS] = { { 0, 0 } };
            for (int i = 0; i < step->count; i++) {
                uint64_t bits = bits_in(step->source[i], lane);
                uint64_t value = known ? value_of(step->warp, &in->operands[i + 1], lane) : 0;
                source[i] = (struct partial_value){ value & ~bits, bits };
            }
            set_result(step, lane, bits_in(step->carry, lane) ? ~0ull : definedness_result(&how, source));
        }
        give_output(step, output);
    }
}

// Which elements of a matrix are undefined, and the rows and columns that have any.
struct undefined_matrix {
    uint32_t rows, columns;
    uint32_t elements[32]; // of each row
};

static void find_in_fragment(const struct uninit_step *step, int operand, const struct fragment *f,
                             struct undefined_matrix *out)
{
    const struct ptx_operand *from = &step->op->from->operands[operand];
    const unsigned bits = element_bits(f->type);
    *out = (struct undefined_matrix){ .rows = 0 };
    for (unsigned r = 0; r < f->distinct; r++) {
        const struct ptx_operand *one = from->kind == OPERAND_VECTOR ? &from->parts[r] : from;
        const struct undefined *value =
            one->kind == OPERAND_REGISTER ? undefined_in(step->frame, one->reg) : NULL;
        for (uint32_t left = value ? value->lanes : 0; left; left &= left - 1)
            for (unsigned lane = (unsigned)__builtin_ctz(left), at = 0; at < f->elements; at++) {
                if (!(value->bits[lane] >> at * bits & bits_below(bits)))
                    continue;
                const struct fragment_place place = fragment_place(f, lane, r, at);
                out->rows |= 1u << place.row % 32;
                out->columns |= 1u << place.column % 32;
                out->elements[place.row % 32] |= 1u << place.column % 32;
            }
    }
}

// Rows of a sparse A of which it is undefined where an element belongs.
static uint32_t find_in_metadata(const struct uninit_step *step, const struct fragments *of)
{
    const struct undefined *metadata = of->sparsity.held ? step->source[3] : NULL;
    uint32_t rows = 0;
    for (unsigned at = 0; metadata && at < of->a.rows; at++)
        for (unsigned element = 0; element < of->sparsity.held; element++) {
            const struct sparse_place place = sparse_place(&of->sparsity, at, element);
            const bool undefined =
                metadata->lanes >> place.lane & 1 && metadata->bits[place.lane] >> place.bit & 3;
            rows |= (uint32_t)undefined << at;
        }
    return rows;
}

// An undefined element of A makes its row of the result undefined, one of B its column.
static void step_product(struct uninit_step *step)
{
    const struct fragments *of = step->op->fragments;
    const struct fragment *f = &of->d;
    const struct ptx_operand *to = &step->op->from->operands[0];
    const unsigned bits = element_bits(f->type);
    struct undefined_matrix a, b, addend;
    find_in_fragment(step, 1, &of->a, &a);
    find_in_fragment(step, 2, &of->b, &b);
    find_in_fragment(step, 3, &of->c, &addend);
    a.rows |= find_in_metadata(step, of);
    for (unsigned r = 0; r < f->registers; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t undefined = 0;
            for (unsigned at = 0; at < f->elements; at++) {
                const struct fragment_place place = fragment_place(f, lane, r, at);
                const bool touched = (a.rows >> place.row | b.columns >> fragment_factor(f, place) |
                                      addend.elements[place.row % 32] >> place.column) &
                                     1;
                undefined |= touched ? bits_below(bits) << at * bits : 0;
            }
            set_result(step, (int)lane, undefined);
        }
        give_result(step, to->kind == OPERAND_VECTOR ? &to->parts[r] : to);
    }
}

static void step_transposed(struct uninit_step *step)
{
    if (step->source[0]) {
        step->result = *step->source[0];
        transpose(&step->result);
    }
    give_output(step, 0);
}

static bool multiplies(const struct ptx_instruction *in)
{
    return strcmp(in->base, "mma") == 0 || (strcmp(in->base, "wmma") == 0 && ptx_has(in, "mma"));
}

static void step_shuffle(struct uninit_step *step)
{
    for (int output = 0; output < output_count(step); output++) {
        for (uint32_t left = step->warp->active; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            set_result(step, lane, shuffled(step->warp, step->op, step->source, lane, output == 1));
        }
        give_output(step, output);
    }
}

static void step_exchange(struct uninit_step *step, exchange_rule *rule)
{
    for (int output = 0; output < output_count(step); output++) {
        for (uint32_t left = step->source[0] ? step->warp->active : 0; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            set_result(step, lane,
                       rule(step->warp, step->op, step->source[0], group_of(step->warp, step->op, lane)));
        }
        give_output(step, output);
    }
}

// The carry of add.cc and its kind: undefined where any bit of a source is.
static void step_carry(struct uninit_step *step)
{
    struct undefined carry = { .source = step->result.source, .read = step->result.read };
    if (!ptx_has(step->op->from, "cc"))
        return;
    for (uint32_t left = carry.lanes = step->lanes; left; left &= left - 1)
        carry.bits[__builtin_ctz(left)] = 1;
    uninit_assign(step->warp->checks, &state_of(step->warp)->carry, &carry, step->warp->active, 1);
}

static bool takes_carry(const char *base)
{
    static const char *const names[] = { "addc", "subc", "madc", NULL };
    return ptx_is_one_of(base, names);
}

static void add_source(struct uninit_step *step, const struct undefined *source, uint32_t lanes)
{
    if (!step->lanes && source && source->lanes & lanes) {
        step->result.source = source->source;
        step->result.read = source->read;
    }
    step->lanes |= source ? source->lanes & lanes : 0;
}

// The first undefined source, in the lanes that another lane can take from too.
static void find_sources(struct uninit_step *step, uint32_t lanes)
{
    const struct ptx_instruction *in = step->op->from;
    struct warp_checks *state = state_of(step->warp);
    for (int i = 0; i < step->count; i++) {
        const struct ptx_operand *operand = &in->operands[i + 1];
        step->source[i] = operand->kind == OPERAND_REGISTER ? undefined_in(step->frame, operand->reg) : NULL;
        add_source(step, step->source[i], lanes);
        for (int k = 0; k < operand->part_count; k++)
            if (operand->parts[k].kind == OPERAND_REGISTER)
                add_source(step, undefined_in(step->frame, operand->parts[k].reg), lanes);
    }
    step->carry = state->carry && takes_carry(in->base) ? state->carry : NULL;
    add_source(step, step->carry, lanes);
}

static void step_lanes(struct warp *warp, const struct op *op, struct uninit_frame *frame)
{
    const struct ptx_instruction *in = op->from;
    struct uninit_step step;
    step.warp = warp;
    step.op = op;
    step.frame = frame;
    memset(step.source, 0, sizeof step.source); // find_sources sets those that there are
    step.count = in->operand_count - 1;
    step.lanes = step.result.lanes = 0;
    if (step.count < 0)
        return;
    bool shuffles = strcmp(in->base, "shfl") == 0 && step.count >= 3;
    exchange_rule *exchange = step.count ? exchange_of(in->base) : NULL;
    const bool transposes = strcmp(in->base, "movmatrix") == 0;
    find_sources(&step, shuffles || exchange || op->kind == OP_SYNCED ? FULL_MASK : warp->active);
    if (step.lanes == 0)
        clear_operand(warp, frame, &in->operands[0], warp->active);
    else if (shuffles)
        step_shuffle(&step);
    else if (exchange)
        step_exchange(&step, exchange);
    else if (multiplies(in))
        step_product(&step);
    else if (transposes)
        step_transposed(&step);
    else if (strcmp(in->base, "mov") == 0 &&
             (in->operands[0].kind == OPERAND_VECTOR || in->operands[1].kind == OPERAND_VECTOR))
        step_vector(&step);
    else
        step_by_rule(&step);
    if (step.lanes || state_of(warp)->carry)
        step_carry(&step);
}

static bool touches_memory(const struct ptx_instruction *in)
{
    static const char *const names[] = { "ld",       "ldu",      "st",   "atom", "red", "cp",   "prefetch",
                                         "ldmatrix", "stmatrix", "suld", "sust", "tex", "tld4", NULL };
    if (in->base[0] == 'w')
        return strcmp(in->base, "wmma") == 0 && !ptx_has(in, "mma");
    return strchr("lsarcpt", in->base[0]) && ptx_is_one_of(in->base, names);
}

void uninit_follow(struct warp *warp, const struct op *op)
{
    const struct ptx_instruction *in = op->from;
    struct uninit_frame *frame = in ? frame_of(warp) : NULL;
    if (!frame)
        return;
    if (op == warp->function->ops &&
        !warp->function->from->entry) // a call begins; nothing jumps back to its first instruction
        step_into_function(warp, frame);
    const struct undefined *guard = in->guard >= 0 ? undefined_in(frame, in->guard) : NULL;
    if (guard && guard->lanes & warp->mask)
        uninit_report(warp, op, guard, guard->lanes & warp->mask, "uses it to decide what to do");
    if (in->operand_count && touches_memory(in))
        step_memory(warp, op, frame);
    else if (op->kind == OP_LANES || op->kind == OP_SYNCED)
        step_lanes(warp, op, frame);
    else if (op->kind == OP_CALL)
        step_call(warp, op, frame);
    else if (op->kind == OP_RETURN)
        step_return(warp, frame);
    else if (op->kind == OP_INDEXED && in->operand_count) {
        const struct undefined *index =
            in->operands[0].kind == OPERAND_REGISTER ? undefined_in(frame, in->operands[0].reg) : NULL;
        if (index && index->lanes & warp->active)
            uninit_report(warp, op, index, index->lanes & warp->active, "uses it to decide where to go on");
    }
}
