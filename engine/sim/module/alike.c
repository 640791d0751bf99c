// Which memory instructions of a basic block share an address register that nothing writes between them: where the first of
// them has found the lanes' distances, the others need not look at them.
#include "engine/sim/module/module.h"

#include <stdlib.h>

struct shared_registers {
    const struct function *function;
    int32_t *first; // by register: the first access by it, plus 1, since it was written last; 0: none
    int32_t block;  // accesses before this one are those of another basic block
};

static void forget(void *context, int reg)
{
    struct shared_registers *shared = context;
    if ((size_t)reg < shared->function->from->register_count)
        shared->first[reg] = 0;
}

// Only those that every lane of the path executes, and whose addresses are kept.
static int address_register(const struct function *f, const struct op *op)
{
    for (int i = 0; op->kind == OP_LANES && !op->guarded && op->pattern && i < op->from->operand_count; i++)
        if (op->from->operands[i].kind == OPERAND_MEMORY)
            return (size_t)op->from->operands[i].reg < f->from->register_count ? op->from->operands[i].reg
                                                                               : -1;
    return -1;
}

static void note_access(struct shared_registers *shared, struct op *op, int reg, unsigned *used)
{
    struct op *ops = shared->function->ops;
    const int32_t before = shared->first[reg] - 1;
    if (before < shared->block) {
        shared->first[reg] = (int32_t)(op - ops) + 1;
        return;
    }
    if (!ops[before].seen)
        ops[before].seen = (uint8_t)(1 + (*used)++ % SEEN);
    op->seen = ops[before].seen;
    op->alike = ops[before].pattern;
}

// Bits for the ops at which basic blocks begin: where branches lead, and what follows a branch, a call or an exit.
static void find_blocks(const struct function *f, bool *begins, int32_t *next)
{
    for (size_t i = 0; i < f->op_count; i++) {
        const enum op_kind kind = (enum op_kind)f->ops[i].kind;
        if (kind != OP_BRANCH && kind != OP_INDEXED && kind != OP_CALL && !flow_exits(&f->ops[i]))
            continue;
        begins[i + 1] = true;
        for (size_t k = flow_successors(f, (int32_t)i, next); k-- > 0;)
            if ((size_t)next[k] < f->op_count)
                begins[next[k]] = true;
    }
}

bool alike_mark(struct sim_module *module, struct function *function)
{
    struct shared_registers shared = { .function = function };
    bool *begins = calloc(function->op_count + 2, sizeof *begins);
    int32_t *next = malloc(flow_successors_most(function) * sizeof *next);
    unsigned used = 0;
    shared.first = calloc(function->from->register_count + 1, sizeof *shared.first);
    const bool good = begins && next && shared.first;
    if (good)
        find_blocks(function, begins, next);
    for (size_t i = 0; good && i < function->op_count && !deadline_passed(&module->deadline); i++) {
        struct op *op = &function->ops[i];
        const int reg = address_register(function, op);
        shared.block = begins[i] ? (int32_t)i : shared.block;
        if (reg >= 0)
            note_access(&shared, op, reg, &used);
        ptx_each_written(op->from, forget, &shared);
    }
    free(begins);
    free(next);
    free(shared.first);
    return good;
}
