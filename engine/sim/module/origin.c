// Which shared variable an address is made from. A register whose value is one variable's address plus numbers may
// only point into that variable: one element too far is in its neighbour, which is the block's memory all the same.
//
// A register is judged by all instructions that write it, in whatever order they run. What is made from two
// variables, or from one in a way that is no plain offset, may point anywhere in shared memory.
#include "engine/sim/access/access.h"
#include "engine/sim/module/module.h"

#include <string.h>

enum { ROUNDS = 64 }; // of the fixed point: a function that needs more has no origins

struct origin {
    enum { UNSEEN, NUMBER, ADDRESS, ANYTHING } is; // NUMBER: made from no shared variable
    uint32_t low, high;                            // of an ADDRESS: the variable's bytes
};
struct origins {
    const struct sim_module *module;
    const struct function *function;
    struct origin *registers;
};

// ---- variables ----------------------------------------------------------------------------------------------

static struct origin origin_of_variable(const struct sim_module *module, const struct ptx_variable *variable,
                                        uint64_t at)
{
    if (variable->unsized)
        return (struct origin){ ADDRESS, (uint32_t)module->shared_bytes, UINT32_MAX };
    return (struct origin){ variable->bytes ? ADDRESS : ANYTHING, (uint32_t)at,
                            (uint32_t)(at + variable->bytes) };
}

static struct origin origin_of_name(const struct origins *o, const char *name)
{
    const struct ptx_function *from = o->function->from;
    for (size_t i = from->variable_count; i-- > 0;)
        if (from->variables[i].space != SPACE_PARAM && strcmp(from->variables[i].name, name) == 0)
            return from->variables[i].space == SPACE_SHARED
                       ? origin_of_variable(o->module, &from->variables[i], o->function->variable_at[i])
                       : (struct origin){ .is = NUMBER };
    for (size_t i = 0; i < o->module->variable_count; i++) {
        const struct module_variable *v = &o->module->variables[i];
        if (strcmp(v->from->name, name) == 0 && v->from->space == SPACE_SHARED)
            return origin_of_variable(o->module, v->from, v->address);
    }
    return (struct origin){ .is = NUMBER };
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

// ---- what instructions make of origins ------------------------------------------------------------------------

// Either of two values arrives.
static struct origin either(struct origin a, struct origin b)
{
    if (a.is == UNSEEN)
        return b;
    bool same = a.is == b.is && a.low == b.low && a.high == b.high;
    return b.is == UNSEEN || same ? a : (struct origin){ .is = ANYTHING };
}

// An address and a number make an address.
static struct origin sum(struct origin a, struct origin b)
{
    if (a.is == UNSEEN || b.is == UNSEEN)
        return (struct origin){ .is = UNSEEN };
    if (a.is == NUMBER)
        return b;
    return b.is == NUMBER ? a : (struct origin){ .is = ANYTHING };
}

// What keeps numbers numbers and makes nothing that is known of addresses.
static struct origin mixed(struct origin a)
{
    return a.is == ADDRESS ? (struct origin){ .is = ANYTHING } : a;
}

static bool is_declared(const struct origins *o, int reg)
{
    return reg >= 0 && (size_t)reg < o->function->from->register_count;
}

static struct origin origin_of(const struct origins *o, const struct ptx_operand *operand)
{
    struct origin all = { .is = NUMBER }, unknown = { .is = ANYTHING };
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
    case OPERAND_SYMBOL:
        return origin_of_name(o, operand->name);
    case OPERAND_MEMORY:
        if (operand->reg >= 0)
            return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
        return operand->name ? origin_of_name(o, operand->name) : all;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            all = sum(all, mixed(origin_of(o, &operand->parts[i])));
        return all;
    default:
        return all;
    }
}

static struct origin result_of(const struct origins *o, const struct ptx_instruction *in)
{
    static const char *const copies[] = { "mov", "cvta", "cvt", NULL };
    static const char *const sums[] = { "add", "or", "xor", "and", NULL };
    static const char *const choices[] = { "selp", "min", "max", NULL };
    static const char *const loads[] = { "ld", "ldu", "atom", "setp", NULL };
    struct origin source[PTX_OPERANDS] = { { .is = UNSEEN } }, all = { .is = NUMBER };
    int count = in->operand_count - 1;
    for (int i = 0; i < count; i++)
        source[i] = origin_of(o, &in->operands[i + 1]);
    if (ptx_is_one_of(in->base, loads))
        return all;
    if (count == 1 && ptx_is_one_of(in->base, copies))
        return source[0];
    if (count == 2 && ptx_is_one_of(in->base, sums))
        return sum(source[0], source[1]);
    if (count == 2 && strcmp(in->base, "sub") == 0)
        return sum(source[0], mixed(source[1]));
    if (count == 3 && strcmp(in->base, "mad") == 0)
        return sum(source[2], sum(mixed(source[0]), mixed(source[1])));
    if (count >= 2 && ptx_is_one_of(in->base, choices))
        return either(source[0], source[1]);
    for (int i = 0; i < count; i++)
        all = sum(all, mixed(source[i]));
    return all;
}

// ---- the fixed point --------------------------------------------------------------------------------------------

static bool add_to(struct origins *o, const struct ptx_operand *operand, struct origin origin)
{
    bool changed = false;
    for (int i = 0; i < operand->part_count; i++)
        changed |= add_to(o, &operand->parts[i], mixed(origin));
    if (operand->kind != OPERAND_REGISTER || !is_declared(o, operand->reg))
        return changed;
    struct origin *to = &o->registers[operand->reg], now = either(*to, origin);
    changed |= now.is != to->is;
    *to = now;
    return changed;
}

static bool round_over(struct origins *o)
{
    const struct ptx_function *from = o->function->from;
    bool changed = false;
    for (size_t i = 0; i < from->instruction_count; i++) {
        const struct ptx_instruction *in = &from->instructions[i];
        if (!in->base || in->broken)
            continue;
        for (int k = 0; k < in->call_return_count; k++)
            changed |= add_to(o, &in->call_returns[k], (struct origin){ .is = NUMBER });
        if (ptx_writes_first(in))
            changed |= add_to(o, &in->operands[0], result_of(o, in));
    }
    return changed;
}

// The operand in brackets that lies in shared memory; of an asynchronous copy that is the first one.
static const struct ptx_operand *address_operand(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_MEMORY)
            return &in->operands[i];
    return NULL;
}

static void mark(const struct origins *o, struct op *op)
{
    const struct ptx_instruction *in = op->from;
    bool copies = in && in->base && strcmp(in->base, "cp") == 0;
    bool reaches = op->space == SPACE_SHARED || op->space == SPACE_GENERIC || copies;
    const struct ptx_operand *operand = in && op->bytes && reaches ? address_operand(in) : NULL;
    struct origin origin = operand ? origin_of(o, operand) : (struct origin){ .is = ANYTHING };
    if (origin.is != ADDRESS)
        return;
    op->low = origin.low;
    op->high = origin.high;
}

bool origin_mark(struct sim_module *module, struct function *function)
{
    struct origins o = { .module = module, .function = function };
    if (!has_shared_variables(module, function->from))
        return true;
    o.registers = arena_take(module->arena, (function->from->register_count + 1) * sizeof *o.registers);
    if (!o.registers)
        return false;
    int round = 0;
    while (round < ROUNDS && !deadline_passed(&module->deadline) && round_over(&o))
        round++;
    for (size_t i = 0; round < ROUNDS && i < function->op_count; i++)
        mark(&o, &function->ops[i]);
    return true;
}
