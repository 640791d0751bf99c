// What the last memory instruction of a trace touched. Taken raw at every one, made readable when somebody asks.
#include "engine/sim/access/access.h"
#include "engine/sim/trace/trace.h"

#include <stdio.h>
#include <string.h>

// ---- taking it ------------------------------------------------------------------------------------------------

static bool is_access(const struct op *op)
{
    return op->kind == OP_LANES && op->access < SIM_ACCESSES && op->bytes;
}

static struct cost costs_so_far(const struct warp *warp, const struct op *op)
{
    struct cost sum = { 0 };
    const struct tally *tally = &warp->tallies[op->tally];
    for (int i = 0; i < COST_SPACES; i++) {
        sum.requests += tally->cost[i].requests;
        sum.passes += tally->cost[i].passes;
        sum.ideal += tally->cost[i].ideal;
        sum.conflicts += tally->cost[i].conflicts;
    }
    return sum;
}

static bool is_atomic(const struct op *op)
{
    return op->access == SIM_GLOBAL_RED || op->access == SIM_GLOBAL_ATOM || op->access == SIM_SHARED_ATOM ||
           strcmp(op->from->base, "atom") == 0 || strcmp(op->from->base, "red") == 0;
}

static bool brings(const struct op *op)
{
    if (is_atomic(op))
        return op->rows && op->rows[0] && !op->dead;
    return strncmp(op->from->base, "ld", 2) == 0;
}

// The operand that holds the values: the destination of what brings some, else what is written.
static const struct ptx_operand *operand_of(const struct op *op)
{
    int at = strncmp(op->from->base, "st", 2) == 0 || strcmp(op->from->base, "red") == 0 ? 1
             : is_atomic(op) && !brings(op)                                              ? 2
                                                                                         : 0;
    return &op->from->operands[at];
}

bool trace_is_wide(const struct function *function, const struct ptx_operand *operand, unsigned bytes)
{
    if (operand->kind == OPERAND_VECTOR && operand->part_count)
        operand = &operand->parts[0];
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0)
        return bytes == 8;
    return type_bytes(function->from->registers[operand->reg].type) == 8;
}

void trace_before(struct sim_trace *t, const struct op *op, uint32_t active)
{
    struct last_access *last = &t->last;
    if (!is_access(op) || !active)
        return;
    reach_addresses(t->warp, op, last->at);
    last->op = op;
    last->step = t->steps;
    last->lanes = active;
    last->warp = t->warp;
    memcpy(last->block, t->warp->block->id, sizeof last->block);
    last->cost = costs_so_far(t->warp, op);
}

void trace_after(struct sim_trace *t)
{
    struct last_access *last = &t->last;
    const struct op *op = last->op;
    if (!op || last->step != t->steps)
        return;
    struct cost now = costs_so_far(last->warp, op), before = last->cost;
    last->cost = (struct cost){ now.requests - before.requests, now.passes - before.passes,
                                now.ideal - before.ideal, now.conflicts - before.conflicts };
    unsigned parts = op->rows ? op->parts < SIM_PARTS ? op->parts : SIM_PARTS : 0;
    const row *rows = parts && is_atomic(op) && !brings(op) ? op->rows + op->parts : op->rows;
    bool wide = parts && trace_is_wide(last->warp->function, operand_of(op), op->bytes / op->parts);
    for (unsigned k = 0; k < parts; k++)
        for (int i = 0; i < LANES; i++)
            last->values[k][i] = wide ? ROW64(last->warp, rows[k])[i] : ROW32(last->warp, rows[k])[i];
}

// ---- showing it -----------------------------------------------------------------------------------------------

static void show_lane(const struct sim_trace *t, int lane, struct sim_touched_lane *out)
{
    const struct last_access *last = &t->last;
    enum ptx_space space = (enum ptx_space)last->op->space;
    uint64_t at = last->at[lane];
    if (space == SPACE_GENERIC) {
        space = reach_space(at);
        uint64_t apart = last->warp->block->apart;
        at -= space == SPACE_SHARED ? SHARED_WINDOW + apart : space == SPACE_LOCAL ? LOCAL_WINDOW + apart : 0;
    }
    struct named named;
    name_address(last->warp, space, at, &named);
    *out = (struct sim_touched_lane){ .space = named.space, .address = at, .element = named.element };
    snprintf(out->buffer, sizeof out->buffer, "%s", named.buffer);
    out->sector = (at & (((uint64_t)1 << OFFSET_BITS) - 1)) / SECTOR_BYTES;
    out->bank = (unsigned)(at / 4 % 32);
    unsigned part = last->op->bytes / (last->op->parts ? last->op->parts : 1u);
    for (unsigned k = 0; k < SIM_PARTS; k++)
        out->value[k] =
            part >= 8 ? last->values[k][lane] : last->values[k][lane] & (((uint64_t)1 << 8 * part) - 1);
}

bool sim_trace_touched(const struct sim_trace *t, struct sim_touched *out)
{
    const struct last_access *last = &t->last;
    const struct op *op = last->op;
    memset(out, 0, sizeof *out);
    if (!op)
        return false;
    out->step = last->step;
    memcpy(out->block, last->block, sizeof out->block);
    out->warp = last->warp->index;
    out->text = op->from->text;
    out->ptx_line = op->from->ptx_line;
    out->line = op->from->line;
    out->access = (enum sim_access)op->access;
    out->bytes = op->bytes;
    out->parts = op->rows ? op->parts < SIM_PARTS ? op->parts : SIM_PARTS : 0;
    out->lanes = last->lanes;
    out->requests = last->cost.requests;
    out->passes = last->cost.passes;
    out->ideal = last->cost.ideal;
    out->conflicts = last->cost.conflicts;
    out->brings = brings(op);
    for (int lane = 0; lane < LANES; lane++)
        if (last->lanes >> lane & 1)
            show_lane(t, lane, &out->lane[lane]);
    return true;
}
