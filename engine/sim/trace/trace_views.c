// What a stopped launch shows: where its warp is, and its registers, block, findings and last access.
#include "engine/sim/access/access.h"
#include "engine/sim/trace/trace.h"

#include <stdio.h>
#include <string.h>

// ---- the current warp and its place ------------------------------------------------------------------

static const struct block *block_of(const struct sim_trace *t)
{
    return t->warp ? t->warp->block : NULL;
}

void sim_trace_where(const struct sim_trace *t, struct sim_spot *out)
{
    const struct warp *warp = t->warp;
    *out = (struct sim_spot){
        .step = t->steps, .ended = !warp, .stopped = !warp && t->machine.stop, .blocks = t->machine.blocks
    };
    if (!warp)
        return;
    const struct op *op = trace_next_op(warp);
    out->block_number = warp->block->number;
    memcpy(out->block, warp->block->id, sizeof out->block);
    out->warp = warp->index;
    out->warps = warp->block->warp_count;
    out->rank = warp->block->rank;
    out->cluster = t->machine.cluster_size;
    out->function = warp->function->from->name;
    out->text = op->from->text;
    out->ptx_line = op->from->ptx_line;
    out->line = op->from->line;
    out->column = op->from->column;
    out->exists = warp->exists;
    out->live = warp->live;
    out->mask = warp->mask;
    out->active = trace_active_lanes(warp, op);
}

void sim_trace_thread(const struct sim_trace *t, int lane, uint32_t out[3])
{
    memset(out, 0, 3 * sizeof *out);
    if (t->warp)
        warp_thread_of_lane(t->warp, lane & (LANES - 1), out);
}

// ---- registers -----------------------------------------------------------------------------------

static bool reads(const struct ptx_instruction *in, int reg)
{
    return ptx_meets(ptx_each_read, in, reg);
}

static bool writes(const struct ptx_instruction *in, int reg)
{
    return ptx_meets(ptx_each_written, in, reg);
}

static enum sim_number number_of(enum ptx_type type)
{
    switch (type) {
    case TYPE_PRED:
        return SIM_BOOL;
    case TYPE_S8:
    case TYPE_S16:
    case TYPE_S32:
    case TYPE_S64:
        return SIM_SIGNED;
    case TYPE_F32:
    case TYPE_F64:
        return SIM_FLOAT;
    default:
        return SIM_UNSIGNED;
    }
}

static bool is_address(const struct ptx_instruction *in, int reg)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_MEMORY && in->operands[i].reg == reg)
            return true;
    return false;
}

// Registers are declared as bits; what their instructions take them for says how a person would write them.
static enum sim_number as_used(const struct ptx_function *f, int reg)
{
    enum sim_number is = number_of(f->registers[reg].type);
    unsigned bytes = type_bytes(f->registers[reg].type);
    for (size_t i = 0; i < f->instruction_count && is == SIM_UNSIGNED; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        enum ptx_type type = TYPE_NONE;
        if (!in->type_count || is_address(in, reg))
            continue;
        if (writes(in, reg))
            type = in->types[0];
        else if (reads(in, reg))
            type = in->types[in->type_count - 1];
        if (type_bytes(type) == bytes)
            is = number_of(type);
    }
    return is;
}

static void fill(const struct sim_trace *t, int reg, struct sim_register *out)
{
    const struct function *f = t->warp->function;
    const struct ptx_instruction *in = trace_next_op(t->warp)->from;
    row at = f->register_rows[reg];
    *out = (struct sim_register){ .name = f->from->registers[reg].name,
                                  .is = as_used(f->from, reg),
                                  .read = reads(in, reg),
                                  .written = writes(in, reg) };
    enum ptx_type type = f->from->registers[reg].type;
    out->bytes = type == TYPE_PRED ? 1 : type_bytes(type);
    for (int i = 0; i < LANES; i++)
        out->value[i] = type == TYPE_PRED ? ROWP(t->warp, at) >> i & 1
                        : out->bytes == 8 ? ROW64(t->warp, at)[i]
                        : out->bytes < 8  ? ROW32(t->warp, at)[i]
                                          : 0;
}

bool sim_trace_register(const struct sim_trace *t, const char *name, struct sim_register *out)
{
    const struct ptx_function *f = t->warp ? t->warp->function->from : NULL;
    for (size_t i = 0; f && i < f->register_count; i++) {
        const char *own = f->registers[i].name;
        if (strcmp(own, name) == 0 || (*own == '%' && strcmp(own + 1, name) == 0)) {
            fill(t, (int)i, out);
            return true;
        }
    }
    return false;
}

const char *sim_trace_register_name(const struct sim_trace *t, size_t index)
{
    const struct ptx_function *f = t->warp ? t->warp->function->from : NULL;
    return f && index < f->register_count ? f->registers[index].name : NULL;
}

size_t sim_trace_registers(const struct sim_trace *t, struct sim_register *out, size_t room)
{
    const struct ptx_function *f = t->warp ? t->warp->function->from : NULL;
    size_t count = 0;
    for (size_t i = 0; f && i < f->register_count; i++) {
        const struct ptx_instruction *in = trace_next_op(t->warp)->from;
        if (!reads(in, (int)i) && !writes(in, (int)i))
            continue;
        if (count < room)
            fill(t, (int)i, &out[count]);
        count++;
    }
    return count;
}

// ---- the block -----------------------------------------------------------------------------------

size_t sim_trace_shared_bytes(const struct sim_trace *t)
{
    return t->warp ? block_of(t)->shared_bytes : 0;
}

size_t sim_trace_shared(const struct sim_trace *t, size_t from, size_t count, uint32_t *out)
{
    size_t words = sim_trace_shared_bytes(t) / 4;
    size_t there = from < words ? words - from : 0;
    count = count < there ? count : there;
    if (count)
        memcpy(out, block_of(t)->shared + from * 4, count * 4);
    return count;
}

static void show_path(const struct simt_path *path, struct sim_path *out)
{
    const struct function *f = path->frame->function;
    *out = (struct sim_path){ .mask = path->mask,
                              .function = f->from->name,
                              .called = path->call != NULL,
                              .waits = path->waits_at != NULL };
    if (path->pc >= 0 && (size_t)path->pc <= f->op_count) {
        out->text = f->ops[path->pc].from->text;
        out->ptx_line = f->ops[path->pc].from->ptx_line;
        out->line = f->ops[path->pc].from->line;
    }
    if (path->reconverge >= 0 && (size_t)path->reconverge < f->op_count)
        out->meets_ptx_line = f->ops[path->reconverge].from->ptx_line;
}

size_t sim_trace_stack(const struct sim_trace *t, struct sim_path *out, size_t room)
{
    const struct warp *warp = t->warp;
    for (int i = 0; warp && i < warp->depth && (size_t)i < room; i++)
        show_path(&warp->paths[warp->depth - 1 - i], &out[i]);
    return warp ? (size_t)warp->depth : 0;
}

size_t sim_trace_warps(const struct sim_trace *t, struct sim_warp out[32])
{
    const struct block *block = block_of(t);
    for (uint32_t i = 0; block && i < block->warp_count; i++) {
        const struct warp *warp = &block->warps[i];
        out[i] = (struct sim_warp){ .live = warp->live };
        out[i].state = warp == t->warp                  ? SIM_RUNS
                       : warp->state == WARP_READY      ? SIM_READY
                       : warp->state == WARP_AT_BARRIER ? SIM_WAITS
                                                        : SIM_ENDED;
        out[i].barrier = warp->barrier;
        const struct op *op = warp->state == WARP_AT_BARRIER ? warp->barrier_op : NULL;
        if (warp->state == WARP_READY && warp->pc >= 0 && (size_t)warp->pc <= warp->function->op_count)
            op = trace_next_op(warp);
        if (op) {
            out[i].ptx_line = op->from->ptx_line;
            out[i].line = op->from->line;
        }
    }
    return block ? block->warp_count : 0;
}

// ---- findings ------------------------------------------------------------------------------------

size_t sim_trace_findings(const struct sim_trace *t, struct sim_finding **out)
{
    size_t count = 0;
    *out = NULL;
    if (t->machine.findings)
        (void)findings_take(t->machine.findings, out, &count);
    return count;
}

bool sim_trace_latest(const struct sim_trace *t, struct sim_finding *out)
{
    return t->machine.findings && findings_latest(t->machine.findings, out);
}

char *sim_trace_printed(const struct sim_trace *t)
{
    char *text = NULL;
    if (t->machine.threads)
        (void)print_lines(t->machine.threads, machine_seats(&t->machine), &text);
    return text;
}

// ---- the last access -----------------------------------------------------------------------------

// Makes the address an offset where it is in shared or local memory; *rank is that of the block whose shared memory it is.
static enum ptx_space find_space(const struct traced_access *last, uint64_t *at, uint32_t *rank)
{
    const struct block *own = last->warp->block;
    enum ptx_space space = (enum ptx_space)last->op->space;
    const bool generic = space == SPACE_GENERIC;
    *rank = own->rank;
    if (generic)
        space = address_space(*at);
    if (space == SPACE_SHARED && (generic || last->op->cluster)) {
        *rank = cluster_rank(own, *at, generic);
        *at -= generic ? SHARED_WINDOW + cluster_apart(own, *rank) : *at >> CLUSTER_BITS << CLUSTER_BITS;
    } else if (generic && space == SPACE_LOCAL) {
        *at -= LOCAL_WINDOW + own->apart;
    }
    return space;
}

static void show_lane(const struct sim_trace *t, int lane, struct sim_touched *touched)
{
    const struct traced_access *last = &t->last;
    struct sim_touched_lane *out = &touched->lane[lane];
    uint64_t at = last->at[lane];
    const enum ptx_space space = find_space(last, &at, &touched->rank[lane]);
    touched->remote |= touched->rank[lane] != last->warp->block->rank ? 1u << lane : 0;
    struct address_name named;
    finding_name_address(last->warp, space, at, &named);
    *out = (struct sim_touched_lane){ .space = named.space, .address = at, .element = named.element };
    snprintf(out->buffer, sizeof out->buffer, "%s", named.buffer);
    out->sector = (at & OFFSETS) / SECTOR_BYTES;
    out->bank = (unsigned)(at / 4 % 32);
    unsigned part = last->op->bytes / (last->op->parts ? last->op->parts : 1u);
    for (unsigned k = 0; k < SIM_PARTS; k++)
        out->value[k] =
            part >= 8 ? last->values[k][lane] : last->values[k][lane] & (((uint64_t)1 << 8 * part) - 1);
}

bool sim_trace_touched(const struct sim_trace *t, struct sim_touched *out)
{
    const struct traced_access *last = &t->last;
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
    out->remote_sectors = last->remote.passes;
    out->remote_wavefronts = last->remote.conflicts;
    out->brings = last->brings;
    for (int lane = 0; lane < LANES; lane++)
        if (last->lanes >> lane & 1)
            show_lane(t, lane, out);
    return true;
}
