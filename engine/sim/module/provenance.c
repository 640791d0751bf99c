// Provenance of shared addresses: which shared variable an address is derived from. A register whose value is one
// variable's address plus numbers may only point into that variable. Without this, an index that is one too large
// would go unnoticed, because the next variable is the block's memory, too.
//
// The analysis is flow-insensitive: a register's provenance is the join over all instructions that write it. A value
// that is derived from two variables, or from one by more than an offset, may point anywhere in shared memory.
#include "engine/sim/access/access.h"
#include "engine/sim/module/module.h"

#include <string.h>

enum { ROUNDS = 64 }; // until the fixed point: in a function that needs more, no provenance is known

struct provenance {
    enum { NOT_SEEN, NUMBER, ADDRESS, ANYTHING } is; // NUMBER: made from no shared variable
    uint32_t low, high;                              // of an ADDRESS: the variable's bytes
};
struct provenance_state {
    const struct sim_module *module;
    const struct function *function;
    struct provenance *registers;
};

// ---- variables ----------------------------------------------------------------------------------------------

static struct provenance variable_provenance(const struct sim_module *module,
                                             const struct ptx_variable *variable, uint64_t at)
{
    if (variable->unsized)
        return (struct provenance){ ADDRESS, (uint32_t)module->shared_bytes, UINT32_MAX };
    return (struct provenance){ variable->bytes ? ADDRESS : ANYTHING, (uint32_t)at,
                                (uint32_t)(at + variable->bytes) };
}

static struct provenance name_provenance(const struct provenance_state *o, const char *name)
{
    const struct ptx_function *from = o->function->from;
    for (size_t i = from->variable_count; i-- > 0;)
        if (from->variables[i].space != SPACE_PARAM && strcmp(from->variables[i].name, name) == 0)
            return from->variables[i].space == SPACE_SHARED
                       ? variable_provenance(o->module, &from->variables[i], o->function->variable_at[i])
                       : (struct provenance){ .is = NUMBER };
    for (size_t i = 0; i < o->module->variable_count; i++) {
        const struct module_variable *v = &o->module->variables[i];
        if (strcmp(v->from->name, name) == 0 && v->from->space == SPACE_SHARED)
            return variable_provenance(o->module, v->from, v->address);
    }
    return (struct provenance){ .is = NUMBER };
}

static bool has_shared_variables(const struct sim_module *module, const struct ptx_function *function)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].from->space == SPACE_SHARED)
            return true;
    for (size_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].space == SPACE_SHARED)
            return true;
    return false;
}

// ---- transfer functions ------------------------------------------------------------------------

// The join of two values of which either may arrive.
static struct provenance join(struct provenance a, struct provenance b)
{
    if (a.is == NOT_SEEN)
        return b;
    bool same = a.is == b.is && a.low == b.low && a.high == b.high;
    return b.is == NOT_SEEN || same ? a : (struct provenance){ .is = ANYTHING };
}

// The sum of an address and a number is an address.
static struct provenance sum(struct provenance a, struct provenance b)
{
    if (a.is == NOT_SEEN || b.is == NOT_SEEN)
        return (struct provenance){ .is = NOT_SEEN };
    if (a.is == NUMBER)
        return b;
    return b.is == NUMBER ? a : (struct provenance){ .is = ANYTHING };
}

// The result of an operation that leaves a number a number but makes an address unknown.
static struct provenance altered(struct provenance a)
{
    return a.is == ADDRESS ? (struct provenance){ .is = ANYTHING } : a;
}

static bool is_declared(const struct provenance_state *o, int reg)
{
    return reg >= 0 && (size_t)reg < o->function->from->register_count;
}

static struct provenance operand_provenance(const struct provenance_state *o,
                                            const struct ptx_operand *operand)
{
    struct provenance all = { .is = NUMBER }, unknown = { .is = ANYTHING };
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
    case OPERAND_SYMBOL:
        return name_provenance(o, operand->name);
    case OPERAND_MEMORY:
        if (operand->reg >= 0)
            return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
        return operand->name ? name_provenance(o, operand->name) : all;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            all = sum(all, altered(operand_provenance(o, &operand->parts[i])));
        return all;
    default:
        return all;
    }
}

static struct provenance result_provenance(const struct provenance_state *o, const struct ptx_instruction *in)
{
    static const char *const copies[] = { "mov", "cvta", "cvt", NULL };
    static const char *const sums[] = { "add", "or", "xor", "and", NULL };
    static const char *const choices[] = { "selp", "min", "max", NULL };
    static const char *const loads[] = { "ld", "ldu", "atom", "setp", NULL };
    struct provenance source[PTX_OPERANDS] = { { .is = NOT_SEEN } }, all = { .is = NUMBER };
    int count = in->operand_count - 1;
    for (int i = 0; i < count; i++)
        source[i] = operand_provenance(o, &in->operands[i + 1]);
    if (ptx_is_one_of(in->base, loads))
        return all;
    if (count == 1 && ptx_is_one_of(in->base, copies))
        return source[0];
    if (count == 2 && ptx_is_one_of(in->base, sums))
        return sum(source[0], source[1]);
    if (count == 2 && strcmp(in->base, "sub") == 0)
        return sum(source[0], altered(source[1]));
    if (count == 3 && strcmp(in->base, "mad") == 0)
        return sum(source[2], sum(altered(source[0]), altered(source[1])));
    if (count >= 2 && ptx_is_one_of(in->base, choices))
        return join(source[0], source[1]);
    for (int i = 0; i < count; i++)
        all = sum(all, altered(source[i]));
    return all;
}

// ---- the fixed point --------------------------------------------------------------------------------------------

static bool join_into(struct provenance_state *o, const struct ptx_operand *operand, struct provenance from)
{
    bool changed = false;
    for (int i = 0; i < operand->part_count; i++)
        changed |= join_into(o, &operand->parts[i], altered(from));
    if (operand->kind != OPERAND_REGISTER || !is_declared(o, operand->reg))
        return changed;
    struct provenance *to = &o->registers[operand->reg], now = join(*to, from);
    changed |= now.is != to->is;
    *to = now;
    return changed;
}

static bool propagate(struct provenance_state *o)
{
    const struct ptx_function *from = o->function->from;
    bool changed = false;
    for (size_t i = 0; i < from->instruction_count; i++) {
        const struct ptx_instruction *in = &from->instructions[i];
        if (!in->base || in->broken)
            continue;
        for (int k = 0; k < in->call_return_count; k++)
            changed |= join_into(o, &in->call_returns[k], (struct provenance){ .is = NUMBER });
        if (ptx_writes_first(in))
            changed |= join_into(o, &in->operands[0], result_provenance(o, in));
    }
    return changed;
}

// The memory operand that is in shared memory; of an asynchronous copy it is the first one.
static const struct ptx_operand *address_operand(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_MEMORY)
            return &in->operands[i];
    return NULL;
}

static void mark(const struct provenance_state *o, struct op *op)
{
    const struct ptx_instruction *in = op->from;
    bool copies = in && in->base && strcmp(in->base, "cp") == 0;
    bool reaches = op->space == SPACE_SHARED || op->space == SPACE_GENERIC || copies;
    const struct ptx_operand *operand = in && op->bytes && reaches ? address_operand(in) : NULL;
    struct provenance from = operand ? operand_provenance(o, operand) : (struct provenance){ .is = ANYTHING };
    if (from.is != ADDRESS)
        return;
    op->low = from.low;
    op->high = from.high;
}

bool provenance_mark(struct sim_module *module, struct function *function)
{
    struct provenance_state o = { .module = module, .function = function };
    if (!has_shared_variables(module, function->from))
        return true;
    o.registers = arena_take(module->arena, (function->from->register_count + 1) * sizeof *o.registers);
    if (!o.registers)
        return false;
    int round = 0;
    while (round < ROUNDS && !deadline_passed(&module->deadline) && propagate(&o))
        round++;
    for (size_t i = 0; round < ROUNDS && i < function->op_count; i++)
        mark(&o, &function->ops[i]);
    return true;
}
