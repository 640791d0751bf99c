// Which registers are read later: those that are read before they are written start as zero in each block, so that
// a run does not depend on what ran before it; an atomic whose result nobody reads counts as a reduction.
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16 << 20 }; // of all sets together: 128 MiB

struct live {
    const struct function *function;
    size_t words;   // per set of registers
    uint64_t *sets; // alive before each instruction
    uint64_t *now;  // scratch, one set
};

static void mark(struct live *live, int reg, bool alive)
{
    if ((size_t)reg >= live->function->from->register_count)
        return;
    uint64_t bit = (uint64_t)1 << (reg & 63);
    live->now[reg >> 6] = alive ? live->now[reg >> 6] | bit : live->now[reg >> 6] & ~bit;
}

static void written(void *live, int reg)
{
    mark(live, reg, false);
}

static void used(void *live, int reg)
{
    mark(live, reg, true);
}

// From what is alive after the instruction to what is alive before it.
static void step_back(struct live *live, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        ptx_each_written(in, written, live);
    ptx_each_read(in, used, live);
}

static void alive_after(struct live *live, int32_t pc, int32_t *next)
{
    memset(live->now, 0, live->words * sizeof *live->now);
    size_t count = flow_next(live->function, pc, next);
    for (size_t i = 0; i < count; i++)
        if ((size_t)next[i] < live->function->op_count)
            for (size_t w = 0; w < live->words; w++)
                live->now[w] |= live->sets[(size_t)next[i] * live->words + w];
}

static bool settle(struct live *live, struct deadline *deadline, int32_t *next)
{
    size_t bytes = live->words * sizeof *live->now;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = live->function->op_count; pc-- > 0;) {
            if (deadline_passed(deadline))
                return false;
            alive_after(live, (int32_t)pc, next);
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

static bool is_alive(const struct live *live, int reg)
{
    return live->now[reg >> 6] >> (reg & 63) & 1;
}

// Whether somebody may read the result after the instruction.
static bool is_wanted(const struct live *live, const struct ptx_operand *to)
{
    if (to->kind == OPERAND_REGISTER)
        return to->reg < 0 || (size_t)to->reg >= live->function->from->register_count ||
               is_alive(live, to->reg);
    bool wanted = to->kind != OPERAND_SINK && to->kind != OPERAND_VECTOR;
    for (int i = 0; to->kind == OPERAND_VECTOR && i < to->part_count; i++)
        wanted |= is_wanted(live, &to->parts[i]);
    return wanted;
}

static void mark_dead(struct live *live, struct function *f, int32_t *next)
{
    for (size_t pc = 0; pc < f->op_count; pc++) {
        const struct ptx_instruction *in = f->ops[pc].from;
        if (!in->base || strcmp(in->base, "atom") != 0 || !in->operand_count)
            continue;
        alive_after(live, (int32_t)pc, next);
        f->ops[pc].dead = !is_wanted(live, &in->operands[0]);
    }
}

// `rows`: where each register lies; all of them are cleared when there is no knowledge (live NULL).
static bool list_cleared(struct sim_module *module, struct function *f, const struct live *live)
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

bool live_mark(struct sim_module *module, struct function *f)
{
    struct live live = { .function = f, .words = (f->from->register_count + 63) / 64 };
    if (!f->op_count || !live.words || live.words * f->op_count > MOST_WORDS)
        return list_cleared(module, f, NULL);
    live.sets = calloc(f->op_count * live.words, sizeof *live.sets);
    live.now = calloc(live.words, sizeof *live.now);
    int32_t *next = malloc(flow_next_most(f) * sizeof *next);
    bool good = live.sets && live.now && next && settle(&live, &module->deadline, next);
    if (good) {
        mark_dead(&live, f, next);
        good = list_cleared(module, f, &live);
    }
    free(live.sets);
    free(live.now);
    free(next);
    return good;
}
