// The cells that hold undefined bits of registers: taken when they are needed, and part of snapshots.
#include "engine/sim/sanitize/checks.h"

#include <stddef.h>
#include <string.h>

static struct warp_checks *state_of(const struct warp *warp)
{
    return &warp->checks->warps[warp->index];
}

// ---- undefined bits: cells that are taken when needed -----------------------------------------------------------

enum { CHUNK = 32 };
struct undefined_chunk {
    struct undefined_chunk *next;
    struct undefined cells[CHUNK];
};

static struct undefined *cell_take(struct checks *c)
{
    if (!c->pools.free_cells) {
        struct undefined_chunk *chunk = budget_take(&c->machine->memory->budget, FOR_CHECKS, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = c->pools.chunks;
        c->pools.chunks = chunk;
        for (int i = 0; i < CHUNK; i++) {
            chunk->cells[i].next = c->pools.free_cells;
            c->pools.free_cells = &chunk->cells[i];
        }
    }
    struct undefined *cell = c->pools.free_cells;
    c->pools.free_cells = cell->next;
    cell->lanes = 0;
    return cell;
}

static void cell_give(struct checks *c, struct undefined **cell)
{
    if (!*cell)
        return;
    (*cell)->next = c->pools.free_cells;
    c->pools.free_cells = *cell;
    *cell = NULL;
}

void uninit_end(struct checks *c)
{
    struct budget *budget = &c->machine->memory->budget;
    for (uint32_t w = 0; w < c->warp_count; w++)
        for (int f = 0; f < UNINIT_FRAMES; f++)
            budget_give(budget, c->warps[w].frames[f].registers);
    for (struct undefined_chunk *chunk = c->pools.chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        budget_give(budget, chunk);
    }
    c->pools.chunks = NULL;
    c->pools.free_cells = NULL;
}

// Adds the undefined bits of these lanes. The source stays that of the first undefined value.
void uninit_add(struct undefined *to, const struct undefined *from, uint32_t lanes, uint64_t mask)
{
    uint32_t had = to->lanes;
    for (uint32_t left = from ? from->lanes & lanes : 0; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t bits = from->bits[lane] & mask;
        if (bits && !to->lanes) {
            to->source = from->source;
            to->read = from->read;
        }
        if (bits)
            to->bits[lane] = had >> lane & 1 ? to->bits[lane] | bits : bits;
        to->lanes |= (uint32_t)(bits != 0) << lane;
    }
}

// Copies the undefined bits of these lanes; `from` NULL: the lanes are defined.
void uninit_assign(struct checks *c, struct undefined **to, const struct undefined *from, uint32_t lanes,
                   uint64_t mask)
{
    uint32_t undefined = from ? from->lanes & lanes : 0;
    if (from && from == *to) // a register that is copied to itself
        return;
    if (*to)
        (*to)->lanes &= ~lanes;
    if (undefined && (*to || (*to = cell_take(c))))
        uninit_add(*to, from, lanes, mask);
    if (*to && !(*to)->lanes)
        cell_give(c, to);
}

// ---- all cells of a warp: reset, snapshots ------------------------------------------------------------------------

typedef void visit_cell(void *context, struct undefined **cell);

static void each_cell(struct warp_checks *state, visit_cell *visit, void *context)
{
    for (unsigned f = 0; f < state->frame_count; f++) {
        struct uninit_frame *frame = &state->frames[f];
        for (size_t i = 0; i < frame->count; i++)
            visit(context, &frame->registers[i]);
        for (unsigned p = 0; p < frame->param_count; p++)
            for (int w = 0; w < PARAM_WORDS; w++)
                visit(context, &frame->params[p].value.word[w]);
    }
    for (int k = 0; k < UNINIT_PARAMS; k++)
        for (int w = 0; w < PARAM_WORDS; w++) {
            visit(context, &state->passed[k].word[w]);
            visit(context, &state->returned[k].word[w]);
        }
    visit(context, &state->carry);
}

static void release(void *context, struct undefined **cell)
{
    cell_give(context, cell);
}

void uninit_reset(struct warp *warp)
{
    struct warp_checks *state = state_of(warp);
    warp->poisoned = false;
    if (state->frame_count == 0) // nothing was followed in the block before
        return;
    each_cell(state, release, warp->checks);
    state->frame_count = 0;
    for (int k = 0; k < UNINIT_PARTS; k++)
        state->stored[k].lanes = 0;
}

struct cells_transfer { // of cells to or from a snapshot
    struct checks *checks;
    bool loads, failed;
    checks_pass *pass;
    void *context;
};

static void pass_cell(void *context, struct undefined **cell)
{
    struct cells_transfer *passing = context;
    if (!*cell)
        return;
    if (passing->loads) // the image holds the old address of the cell
        *cell = cell_take(passing->checks);
    if (*cell)
        passing->pass(passing->context, *cell, offsetof(struct undefined, next));
    else
        passing->failed = true;
}

bool uninit_pass(struct checks *c, struct warp_checks *state, bool loads, checks_pass *pass, void *context)
{
    struct cells_transfer passing = { c, loads, false, pass, context };
    struct undefined **registers[UNINIT_FRAMES];
    size_t room[UNINIT_FRAMES];
    if (loads)
        each_cell(state, release, c);
    for (int f = 0; f < UNINIT_FRAMES; f++) {
        registers[f] = state->frames[f].registers;
        room[f] = state->frames[f].room;
    }
    pass(context, state, sizeof *state);
    for (unsigned f = 0; f < UNINIT_FRAMES; f++) {
        struct uninit_frame *frame = &state->frames[f];
        frame->registers = registers[f];
        frame->room = room[f];
        if (f < state->frame_count)
            pass(context, frame->registers, frame->count * sizeof *frame->registers);
    }
    each_cell(state, pass_cell, &passing);
    return !passing.failed;
}
