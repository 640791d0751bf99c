// Liveness of registers, by backward data flow over the control-flow graph. Registers that are live at the function's
// entry may be read before they are written; they start as zero, so that a run does not depend on what ran before it.
// An atomic whose result is dead counts as a reduction.
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16 << 20 }; // of all sets together: 128 MiB; a function that needs more is not analysed

struct liveness {
    const struct function *function;
    size_t words;   // of a set, one bit per register
    uint64_t *sets; // the registers that are live before each instruction
    uint64_t *now;  // scratch, one set
};

static void set_live(struct liveness *live, int reg, bool is_live_now)
{
    if ((size_t)reg >= live->function->from->register_count)
        return;
    uint64_t bit = (uint64_t)1 << (reg & 63);
    live->now[reg >> 6] = is_live_now ? live->now[reg >> 6] | bit : live->now[reg >> 6] & ~bit;
}

static void visit_written(void *live, int reg)
{
    set_live(live, reg, false);
}

static void visit_read(void *live, int reg)
{
    set_live(live, reg, true);
}

// The transfer function: from what is live after the instruction to what is live before it.
static void step_back(struct liveness *live, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        ptx_each_written(in, visit_written, live);
    ptx_each_read(in, visit_read, live);
}

static void live_after(struct liveness *live, int32_t pc, int32_t *next)
{
    memset(live->now, 0, live->words * sizeof *live->now);
    size_t count = flow_successors(live->function, pc, next);
    for (size_t i = 0; i < count; i++)
        if ((size_t)next[i] < live->function->op_count)
            for (size_t w = 0; w < live->words; w++)
                live->now[w] |= live->sets[(size_t)next[i] * live->words + w];
}

static bool find_live_sets(struct liveness *live, struct deadline *deadline, int32_t *next)
{
    size_t bytes = live->words * sizeof *live->now;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = live->function->op_count; pc-- > 0;) {
            if (deadline_passed(deadline))
                return false;
            live_after(live, (int32_t)pc, next);
            step_back(live, live->function->ops[pc].from);
            uint64_t *set = live->sets + pc * live->words;
            if (memcmp(set, live->now, bytes) != 0) {
                memcpy(set, live->now, bytes);
                changed = true;
            }
        }
    }
    return true;
}

static bool is_live(const struct liveness *live, int reg)
{
    return live->now[reg >> 6] >> (reg & 63) & 1;
}

// Whether the result may be read after the instruction.
static bool is_wanted(const struct liveness *live, const struct ptx_operand *to)
{
    if (to->kind == OPERAND_REGISTER)
        return to->reg < 0 || (size_t)to->reg >= live->function->from->register_count ||
               is_live(live, to->reg);
    bool wanted = to->kind != OPERAND_SINK && to->kind != OPERAND_VECTOR;
    for (int i = 0; to->kind == OPERAND_VECTOR && i < to->part_count; i++)
        wanted |= is_wanted(live, &to->parts[i]);
    return wanted;
}

static void mark_dead(struct liveness *live, struct function *f, int32_t *next)
{
    for (size_t pc = 0; pc < f->op_count; pc++) {
        const struct ptx_instruction *in = f->ops[pc].from;
        if (!in->base || strcmp(in->base, "atom") != 0 || !in->operand_count)
            continue;
        live_after(live, (int32_t)pc, next);
        f->ops[pc].dead = !is_wanted(live, &in->operands[0]);
    }
}

// Lists the rows of registers that are live at the entry; with `live` NULL nothing is known and all are listed.
static bool list_cleared(struct sim_module *module, struct function *f, const struct liveness *live)
{
    size_t count = f->from->register_count;
    f->cleared = arena_take(module->arena, (count + 1) * sizeof *f->cleared);
    if (!f->cleared)
        return false;
    for (size_t i = 0; i < count; i++) {
        unsigned bytes = type_bytes(f->from->registers[i].type);
        bool predicate = f->from->registers[i].type == TYPE_PRED;
        if (live && !(live->sets[i >> 6] >> (i & 63) & 1))
            continue;
        f->cleared[f->cleared_count++] =
            (struct constant_row){ .at = f->register_rows[i],
                                   .bits = predicate ? 4 : (uint64_t)LANES * (bytes < 4 ? 4 : bytes) };
    }
    return true;
}

bool liveness_mark(struct sim_module *module, struct function *f)
{
    struct liveness live = { .function = f, .words = (f->from->register_count + 63) / 64 };
    if (!f->op_count || !live.words || live.words * f->op_count > MOST_WORDS)
        return list_cleared(module, f, NULL);
    live.sets = calloc(f->op_count * live.words, sizeof *live.sets);
    live.now = calloc(live.words, sizeof *live.now);
    int32_t *next = malloc(flow_successors_most(f) * sizeof *next);
    bool good = live.sets && live.now && next && find_live_sets(&live, &module->deadline, next);
    if (good) {
        mark_dead(&live, f, next);
        good = list_cleared(module, f, &live);
    }
    free(live.sets);
    free(live.now);
    free(next);
    return good;
}
