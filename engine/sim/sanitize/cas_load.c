// Loads that feed a compare-and-swap. An atomic written as a loop begins with a plain load, and a compare-and-swap of the
// same place then expects that value: if another thread changed it, the swap fails and the loop tries again. Such a load
// does not race with the atomics of other threads.
#include "engine/sim/sanitize/checks.h"

#include <stdlib.h>
#include <string.h>

struct cas_loads { // about one function
    const struct ptx_function *function;
    const struct ptx_instruction **writers; // of each register the only one; NULL: there are none, or several
    const struct ptx_instruction *looked_at; // while they are gathered
};

// ---- definitions of registers ------------------------------------------------------------------------------------------

static const struct ptx_instruction several; // stands for more than one

static void note_writer(void *context, int reg)
{
    struct cas_loads *g = context;
    if ((size_t)reg < g->function->register_count)
        g->writers[reg] = g->writers[reg] ? &several : g->looked_at;
}

static bool gather(struct cas_loads *g, const struct ptx_function *function)
{
    cas_loads_drop(g);
    g->writers = calloc(function->register_count + 1, sizeof *g->writers);
    if (!g->writers)
        return false;
    g->function = function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        g->looked_at = &function->instructions[i];
        ptx_each_written(g->looked_at, note_writer, g);
    }
    for (size_t i = 0; i < function->register_count; i++)
        if (g->writers[i] == &several)
            g->writers[i] = NULL;
    return true;
}

void cas_loads_drop(struct cas_loads *g)
{
    free(g->writers);
    *g = (struct cas_loads){ 0 };
}

static const struct ptx_function *function_of(const struct sim_module *module,
                                              const struct ptx_instruction *in)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *from = module->functions[f].from;
        if (from->instruction_count && in >= from->instructions &&
            in < from->instructions + from->instruction_count)
            return from;
    }
    return NULL;
}

// ---- symbolic addresses --------------------------------------------------------------------------------------------------

struct symbolic_address { // an address as the code makes it: a register or a variable, and a number
    int reg;
    const char *name;
    int64_t offset;
};

static bool is_known(const struct cas_loads *g, const struct symbolic_address *place)
{
    return place->reg >= 0 && (size_t)place->reg < g->function->register_count;
}

// One step back, from a register to what its only writer computes it from. False: that is no register plus number, nor a
// variable.
static bool step_back(const struct ptx_instruction *in, struct symbolic_address *place)
{
    const struct ptx_operand *from = in->operand_count > 1 ? &in->operands[1] : NULL;
    bool sum =
        strcmp(in->base, "add") == 0 && in->operand_count == 3 && in->operands[2].kind == OPERAND_IMMEDIATE;
    // A generic address and that of one space lead to the same place.
    bool copy = (strcmp(in->base, "mov") == 0 || strcmp(in->base, "cvta") == 0) && in->operand_count == 2;
    if (!from || (!sum && !copy))
        return false;
    if (from->kind == OPERAND_SYMBOL && copy) {
        place->reg = -1;
        place->name = from->name;
        place->offset += from->offset;
        return true;
    }
    if (from->kind != OPERAND_REGISTER)
        return false;
    place->reg = from->reg;
    place->offset += sum ? (int64_t)in->operands[2].bits : 0;
    return true;
}

// Back through copies and additions of numbers, as far as each register has one value only.
static struct symbolic_address place_of(const struct cas_loads *g, const struct ptx_operand *operand)
{
    enum { MOST_STEPS = 8 };
    struct symbolic_address place = { .reg = -1 };
    if (operand->kind == OPERAND_MEMORY)
        place = (struct symbolic_address){ operand->reg, operand->reg < 0 ? operand->name : NULL,
                                           operand->offset };
    for (int step = 0; is_known(g, &place) && step < MOST_STEPS; step++)
        if (!g->writers[place.reg] || !step_back(g->writers[place.reg], &place))
            break;
    return place;
}

static bool same_place(const struct symbolic_address *a, const struct symbolic_address *b)
{
    bool name = a->name && b->name && strcmp(a->name, b->name) == 0;
    return a->offset == b->offset && (a->reg >= 0 ? a->reg == b->reg : name && b->reg < 0);
}

// ---- where the value goes ----------------------------------------------------------------------------------------------

static bool is_register(const struct ptx_function *function, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= 0 &&
           (size_t)operand->reg < function->register_count;
}

// From the load's register through a few copies: a loop has one for its first round. `after` counts them for every
// register that has the value, plus 1.
static void follow(const struct ptx_function *function, const struct ptx_instruction *load, uint8_t *after)
{
    enum { MOST_COPIES = 3 };
    after[load->operands[0].reg] = 1;
    for (int copies = 1; copies <= MOST_COPIES; copies++)
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct ptx_instruction *in = &function->instructions[i];
            bool copy = in->base && strcmp(in->base, "mov") == 0 && in->operand_count == 2;
            if (copy && is_register(function, &in->operands[0]) && is_register(function, &in->operands[1]) &&
                after[in->operands[1].reg] == copies && !after[in->operands[0].reg])
                after[in->operands[0].reg] = (uint8_t)(copies + 1);
        }
}

static bool is_swap(const struct ptx_instruction *in)
{
    return in->base && strcmp(in->base, "atom") == 0 && in->operand_count > 2 && ptx_has(in, "cas");
}

static bool knows(struct cas_loads *g, const struct sim_module *module, const struct ptx_instruction *in)
{
    const struct ptx_function *function = in->operand_count > 1 ? function_of(module, in) : NULL;
    return function && (g->function == function || gather(g, function));
}

static bool is_compared(const struct cas_loads *g, const struct ptx_instruction *load, const uint8_t *after)
{
    struct symbolic_address place = place_of(g, &load->operands[1]);
    for (size_t i = 0; i < g->function->instruction_count; i++) {
        const struct ptx_instruction *swap = &g->function->instructions[i];
        if (!is_swap(swap) || !is_register(g->function, &swap->operands[2]) || !after[swap->operands[2].reg])
            continue;
        struct symbolic_address tried = place_of(g, &swap->operands[1]);
        if (same_place(&place, &tried))
            return true;
    }
    return false;
}

bool cas_load_is(struct cas_loads *g, const struct sim_module *module, const struct ptx_instruction *in)
{
    if (strcmp(in->base, "ld") != 0 || !knows(g, module, in) || !is_register(g->function, &in->operands[0]))
        return false;
    uint8_t *after = calloc(g->function->register_count + 1, sizeof *after);
    if (!after)
        return false;
    follow(g->function, in, after);
    bool tried = is_compared(g, in, after);
    free(after);
    return tried;
}

// Of a plain load the operand in brackets, or of a plain store; NULL: it is neither.
static const struct ptx_operand *address_of(const struct ptx_instruction *in, bool *stores)
{
    if (!in->base || in->operand_count < 2)
        return NULL;
    *stores = strcmp(in->base, "st") == 0;
    return *stores ? &in->operands[0] : strcmp(in->base, "ld") == 0 ? &in->operands[1] : NULL;
}

bool cas_load_is_update(struct cas_loads *g, const struct sim_module *module,
                        const struct ptx_instruction *in)
{
    bool stores, also_stores;
    const struct ptx_operand *address = address_of(in, &stores);
    if (!address || in->line <= 0 || !knows(g, module, in))
        return false;
    struct symbolic_address place = place_of(g, address);
    for (size_t i = 0; i < g->function->instruction_count; i++) {
        const struct ptx_instruction *other = &g->function->instructions[i];
        const struct ptx_operand *at = other->line == in->line ? address_of(other, &also_stores) : NULL;
        if (!at || also_stores == stores)
            continue;
        struct symbolic_address there = place_of(g, at);
        if (same_place(&place, &there))
            return true;
    }
    return false;
}

struct cas_loads *cas_loads_new(void)
{
    return calloc(1, sizeof(struct cas_loads));
}
