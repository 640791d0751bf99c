// Loads that only guess: atomics that people write themselves begin with a plain load of what is there, and a compare and
// swap then tries whether it still is. Such a load does not race with the swaps of other threads.
#include "engine/sim/check.h"

#include <stdlib.h>
#include <string.h>

struct guesses { // about one function
    const struct ptx_function *function;
    const struct ptx_instruction **writers; // of each register the only one; NULL: there are none, or several
    const struct ptx_instruction *looked_at; // while they are gathered
};

// ---- who writes the registers ------------------------------------------------------------------------------------------

static const struct ptx_instruction several; // stands for more than one

static void note_writer(void *context, int reg)
{
    struct guesses *g = context;
    if ((size_t)reg < g->function->register_count)
        g->writers[reg] = g->writers[reg] ? &several : g->looked_at;
}

static bool gather(struct guesses *g, const struct ptx_function *function)
{
    guesses_drop(g);
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

void guesses_drop(struct guesses *g)
{
    free(g->writers);
    *g = (struct guesses){ 0 };
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

// ---- where they point --------------------------------------------------------------------------------------------------

struct place { // an address as the code makes it: a register and a number
    int reg;
    int64_t offset;
};

// Back through additions of numbers, as far as each register has one value only.
static struct place place_of(const struct guesses *g, const struct ptx_operand *operand)
{
    enum { MOST_STEPS = 8 };
    struct place place = { operand->kind == OPERAND_MEMORY ? operand->reg : -1, operand->offset };
    for (int step = 0; place.reg >= 0 && (size_t)place.reg < g->function->register_count && step < MOST_STEPS;
         step++) {
        const struct ptx_instruction *in = g->writers[place.reg];
        if (!in || strcmp(in->base, "add") != 0 || in->operand_count != 3 ||
            in->operands[1].kind != OPERAND_REGISTER || in->operands[2].kind != OPERAND_IMMEDIATE)
            break;
        place.reg = in->operands[1].reg;
        place.offset += (int64_t)in->operands[2].bits;
    }
    return place;
}

static bool is_swap(const struct ptx_instruction *in)
{
    return in->base && strcmp(in->base, "atom") == 0 && in->operand_count > 1 && ptx_has(in, "cas");
}

bool guesses_has(struct guesses *g, const struct sim_module *module, const struct ptx_instruction *in)
{
    if (strcmp(in->base, "ld") != 0 || in->operand_count < 2)
        return false;
    const struct ptx_function *function = function_of(module, in);
    if (!function || (g->function != function && !gather(g, function)))
        return false;
    struct place place = place_of(g, &in->operands[1]);
    for (size_t i = 0; place.reg >= 0 && i < function->instruction_count; i++) {
        if (!is_swap(&function->instructions[i]))
            continue;
        struct place tried = place_of(g, &function->instructions[i].operands[1]);
        if (tried.reg == place.reg && tried.offset == place.offset)
            return true;
    }
    return false;
}

struct guesses *guesses_new(void)
{
    return calloc(1, sizeof(struct guesses));
}
