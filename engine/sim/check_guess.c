// Loads that only guess: atomics that people write themselves begin with a plain load of what is there, and a compare and
// swap then tries whether it still is. Such a load does not race with the swaps of other threads.
#include "engine/sim/check.h"

#include <string.h>

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

struct place { // an address as the code makes it: a register and a number
    int reg;
    int64_t offset;
};

struct writer { // of a register: the only instruction that writes it
    int reg;
    const struct ptx_instruction *at, *only;
    bool several;
};

static void note_writer(void *context, int reg)
{
    struct writer *writer = context;
    if (reg != writer->reg)
        return;
    writer->several |= writer->only != NULL;
    writer->only = writer->at;
}

// Back through additions of numbers, as far as each register has one value only.
static struct place place_of(const struct ptx_function *function, const struct ptx_operand *operand)
{
    enum { MOST_STEPS = 4 };
    struct place place = { operand->kind == OPERAND_MEMORY ? operand->reg : -1, operand->offset };
    for (int step = 0; place.reg >= 0 && step < MOST_STEPS; step++) {
        struct writer writer = { .reg = place.reg };
        for (size_t i = 0; i < function->instruction_count; i++) {
            writer.at = &function->instructions[i];
            ptx_each_written(writer.at, note_writer, &writer);
        }
        const struct ptx_instruction *in = writer.several ? NULL : writer.only;
        if (!in || strcmp(in->base, "add") != 0 || in->operand_count != 3 ||
            in->operands[1].kind != OPERAND_REGISTER || in->operands[2].kind != OPERAND_IMMEDIATE)
            break;
        place.reg = in->operands[1].reg;
        place.offset += (int64_t)in->operands[2].bits;
    }
    return place;
}

// A plain load of what a compare and swap is then tried on: whatever it brings is only a guess, which the swap tries.
bool race_is_guess(const struct sim_module *module, const struct ptx_instruction *in)
{
    const struct ptx_function *function = strcmp(in->base, "ld") == 0 ? function_of(module, in) : NULL;
    struct place place = { -1, 0 }, tried;
    for (size_t i = 0; function && i < function->instruction_count; i++) {
        const struct ptx_instruction *swap = &function->instructions[i];
        if (!swap->base || strcmp(swap->base, "atom") != 0 || !ptx_has(swap, "cas"))
            continue;
        if (place.reg < 0)
            place = place_of(function, &in->operands[1]);
        tried = place_of(function, &swap->operands[1]);
        if (place.reg >= 0 && place.reg == tried.reg && place.offset == tried.offset)
            return true;
    }
    return false;
}
