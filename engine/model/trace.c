// The sampled warps as an SM would run them: the instructions of a basic block in the order of the assembler, which moves
// loads up and their users down.
#include "engine/model/sm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- registers of all functions, numbered through ---------------------------------------------------------

static int highest(const struct sim_instruction *in)
{
    int most = -1;
    for (int i = 0; i < in->read_count; i++)
        most = in->reads[i] > most ? in->reads[i] : most;
    for (int i = 0; i < in->write_count; i++)
        most = in->writes[i] > most ? in->writes[i] : most;
    return most;
}

static bool number_registers(const struct model_code *code, struct trace *out)
{
    out->ops = malloc((code->count + 1) * sizeof *out->ops);
    if (!out->ops)
        return false;
    int base = TRACE_REGISTERS, most = -1;
    uint32_t chain = 0;
    for (size_t i = 0; i < code->count; i++) {
        bool begins = i && code->code[i].function != code->code[i - 1].function;
        if (begins) {
            base += most + 1;
            most = -1;
        }
        if (begins || (code->code[i].leads && !code->machine[i].joined))
            chain = (uint32_t)i;
        out->ops[i].base = base;
        out->ops[i].chain = chain;
        int here = highest(&code->code[i]);
        most = here > most ? here : most;
    }
    out->registers = base + most + 1;
    return true;
}

// ---- lines that several blocks touch --------------------------------------------------------------------------

// The set while it is made: the block that touched a line first.
struct toucher {
    uint64_t line; // + 1; 0: an empty slot
    uint32_t block;
    bool shared;
};

static size_t slot_of(uint64_t line, size_t slots)
{
    return (size_t)((line * 0x9e3779b97f4a7c15ull) >> 20) & (slots - 1);
}

static void note_toucher(struct toucher *set, size_t slots, uint64_t line, uint32_t block)
{
    size_t at = slot_of(line, slots);
    while (set[at].line && set[at].line != line + 1)
        at = (at + 1) & (slots - 1);
    if (!set[at].line)
        set[at] = (struct toucher){ .line = line + 1, .block = block };
    else
        set[at].shared |= set[at].block != block;
}

static size_t count_touches(const struct sim_sample *sample)
{
    size_t count = 0;
    for (size_t b = 0; b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            count += sample->blocks[b].warps[w].touch_count;
    return count;
}

static bool find_shared(const struct sim_sample *sample, struct trace *out)
{
    if (sample->block_count < 2)
        return true;
    size_t slots = 16, touches = count_touches(sample);
    while (slots < 2 * touches)
        slots *= 2;
    struct toucher *set = calloc(slots, sizeof *set);
    out->shared = calloc(slots, sizeof *out->shared);
    out->shared_slots = slots;
    for (size_t b = 0; set && b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            for (size_t i = 0; i < sample->blocks[b].warps[w].touch_count; i++)
                note_toucher(set, slots, sample->blocks[b].warps[w].touches[i] >> 4, (uint32_t)b);
    for (size_t i = 0; set && out->shared && i < slots; i++)
        out->shared[i] = set[i].shared ? set[i].line : set[i].line ? UINT64_MAX : 0;
    bool made = set && out->shared;
    free(set);
    return made;
}

bool trace_is_shared(const struct trace *trace, uint64_t line)
{
    if (!trace->shared)
        return false;
    size_t at = slot_of(line, trace->shared_slots);
    while (trace->shared[at] && trace->shared[at] != line + 1)
        at = (at + 1) & (trace->shared_slots - 1);
    return trace->shared[at] != 0;
}

// ---- steps ----------------------------------------------------------------------------------------------------

// Counting up by a constant, which an assembler folds into what uses it.
static bool counts_up(const struct sim_instruction *in)
{
    return in->base && in->immediate >= 0 && (strcmp(in->base, "add") == 0 || strcmp(in->base, "sub") == 0);
}

static bool is_barrier(const struct sim_instruction *in)
{
    if (!in->base || (strcmp(in->base, "bar") != 0 && strcmp(in->base, "barrier") != 0))
        return false;
    for (int i = 0; i < in->modifier_count; i++)
        if (strcmp(in->modifiers[i], "warp") == 0 || strcmp(in->modifiers[i], "arrive") == 0)
            return false;
    return true;
}

// Whether it has a modifier that begins so, "cas", "f" for f32.
static bool is_of(const struct sim_instruction *in, const char *begin)
{
    for (int i = 0; i < in->modifier_count; i++)
        if (strncmp(in->modifiers[i], begin, strlen(begin)) == 0)
            return true;
    return false;
}

static unsigned char kind_of(const struct sim_instruction *in)
{
    bool atomic = in->access == SIM_GLOBAL_ATOM || in->access == SIM_GLOBAL_RED;
    bool floats = atomic && is_of(in, "add") && (is_of(in, "f") || is_of(in, "bf"));
    // Machine code multiplies four columns of TF32 at a time, and loads the other four of eight when those have been.
    bool halves = in->base && strcmp(in->base, "wmma") == 0 && is_of(in, "load") && is_of(in, "tf32");
    bool constant = in->base && strcmp(in->base, "ld") == 0 && is_of(in, "const");
    return (unsigned char)((halves ? KIND_HALVES : 0) | (constant ? KIND_CONSTANT : 0) |
                           (counts_up(in) ? KIND_COUNTS_UP : 0) | (is_barrier(in) ? KIND_BARRIER : 0) |
                           (atomic && is_of(in, "cas") ? KIND_SWAP : 0) | (floats ? KIND_ADDS_FLOATS : 0));
}

// Which of its reads an iteration of the loop that is its block writes, before it and after it.
static void find_writers(const struct model_code *code, size_t at, struct trace_op *op)
{
    size_t end = op->chain;
    do
        end++;
    while (end < code->count && !code->code[end].leads &&
           code->code[end].function == code->code[at].function);
    for (size_t i = op->chain; i < end; i++)
        for (int w = 0; w < code->code[i].write_count; w++)
            for (int r = 0; r < op->reads_end - op->reads && r < 64; r++)
                if (code->code[i].writes[w] == op->reads[r])
                    *(i < at ? &op->from_own : &op->from_before) |= 1ull << r;
    op->from_before &= ~op->from_own;
}

// Special functions and conversions are done by one unit: on an H100 either takes a scheduler's part of it 8.0 cycles for a warp, and
// one of each 16.0 (2026-11-28).
static enum pipe unit_of(enum pipe pipe)
{
    return pipe == PIPE_CONVERT ? PIPE_SPECIAL : pipe;
}

static void add_pipes(struct trace_op *op, const struct machine_code *machine, const struct gpu_figures *gpu)
{
    struct op_pipe *end = op->pipes;
    for (int p = PIPE_FMA; p < PIPES; p++) {
        if (machine->on[p] <= 0)
            continue;
        double cycles = (double)machine->on[p] * 32 / model_pipe_rate(gpu, (enum pipe)p) * SCHEDULERS;
        if (end > op->pipes && end[-1].pipe == unit_of((enum pipe)p))
            end[-1].cycles += cycles;
        else
            *end++ = (struct op_pipe){ cycles, unit_of((enum pipe)p) };
    }
    op->pipes_end = end;
    if (end == op->pipes)
        *end = (struct op_pipe){ 0, PIPES };
}

// After a branch that is taken a warp goes on so many cycles later than its machine code says: chains of 12 kinds in a
// loop, one warp of an H200, 2026-11-27.
static const double JUMP = 7;

// Shuffles, barriers and reads of special registers go through the unit of loads and stores, and take a wavefront of it
// (Nsight Compute's documentation, pipeline LSU).
static void make_op(const struct model_code *code, const struct gpu_figures *gpu, size_t at,
                    struct trace_op *out)
{
    const struct sim_instruction *in = &code->code[at];
    const struct machine_code *machine = &code->machine[at];
    *out = (struct trace_op){ .kind = (unsigned char)(kind_of(in) | (machine->answered ? KIND_ANSWERED : 0)),
                              .base = out->base,
                              .chain = out->chain };
    out->reads = in->reads;
    out->writes = in->writes;
    out->reads_end = in->reads + in->read_count;
    out->writes_end = in->writes + in->write_count;
    for (int r = 0; r < TRACE_FIRST_READS; r++)
        out->first_reads[r] = r < in->read_count ? out->base + in->reads[r] : TRACE_NEVER_WRITTEN;
    out->more_reads = in->read_count > TRACE_FIRST_READS ? in->reads + TRACE_FIRST_READS : out->reads_end;
    out->more_writes = in->write_count > 1 ? in->writes + 1 : out->writes_end;
    out->first_write = in->write_count ? out->base + in->writes[0] : TRACE_NEVER_READ;
    if (code->machine[out->chain].unrolled > 1)
        find_writers(code, at, out);
    out->access = in->access;
    out->bytes = in->bytes;
    out->slots = (double)machine->issues * SCHEDULERS / gpu->issue_rate + machine->held;
    for (int b = 0; b < REGISTER_BANKS; b++)
        out->banks[b] = machine->reads[b];
    out->latency = machine->latency;
    out->look_ups = machine->look_ups;
    bool unrolled = code->machine[out->chain].unrolled > 1;
    if (out->kind & KIND_COUNTS_UP && unrolled && machine->issues < 1) // one addition for several iterations
        out->latency *= machine->issues;
    out->beyond = out->slots > 1 ? out->slots - 1 : 0;
    double wait = 1, jump = 0;
    if (!(out->kind & KIND_BARRIER)) // whose latency has it
        wait = fmax(1, machine->stall - out->beyond);
    bool branches = in->base && (strcmp(in->base, "bra") == 0 || strcmp(in->base, "brx") == 0);
    if (branches && (at + 1 == code->count || !code->machine[at + 1].joined))
        jump = JUMP * (machine->issues < 1 ? machine->issues : 1);
    double least = in->write_count ? 0 : out->latency; // what nothing waits for, the warp does
    out->on[0] = fmax(wait, least);
    out->on[1] = fmax(wait + jump, least);
    out->through = (double)(machine->on[PIPE_MEMORY] + machine->on[PIPE_SHUFFLE]) / gpu->shared_rate;
    add_pipes(out, machine, gpu);
}

// A bit for each register, which some share: sets of registers without a common bit have no common register.
static uint64_t bits_of(const int *registers, int count)
{
    uint64_t bits = 0;
    for (int i = 0; i < count; i++)
        bits |= 1ull << (registers[i] & 63);
    return bits;
}

static bool needs(const struct sim_instruction *in, const struct sim_instruction *earlier)
{
    for (int w = 0; w < earlier->write_count; w++)
        for (int r = 0; r < in->read_count; r++)
            if (earlier->writes[w] == in->reads[r])
                return true;
    return false;
}

// Runs of the same instructions have the same order, which is kept: by the first instruction, of the last run.
struct ordering {
    const struct model_code *code;
    const struct gpu_figures *gpu;
    struct trace_op *ops;
    bool *known; // by instruction: its op is filled in
    struct ordered_run {
        uint32_t *indices, *order; // before, and which of them comes when
        size_t count, room;
        int iterations;
    } * runs;
    struct trace_step *steps; // a run as it was
    struct ordered_step {     // what has its place in the run's order
        int rank;
        uint64_t writes; // as bits_of says; 0: it counts up, and nothing waits for it
    } * placed;
    size_t room;
    int sets;       // of registers
    uint32_t *last; // by instruction: the last warp that executed it, counted from 1
    struct trace_sums sums;
    uint32_t warps;
    // The last warp whose steps were made, and what it added to the sums.
    const struct sim_sampled_warp *made_from;
    const struct trace_warp *made;
    struct trace_sums made_sums;
};

static bool is_same_run(const struct ordered_run *run, const struct trace_step *steps, size_t count)
{
    if (run->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (run->indices[i] != steps[i].index)
            return false;
    return true;
}

// Whether the run goes round to the loop's first instruction there.
static bool goes_round(const uint32_t *indices, size_t i)
{
    return i && indices[i] <= indices[i - 1];
}

// None goes before one that it needs.
static void find_order(const struct ordering *ordering, struct ordered_run *run)
{
    const struct model_code *code = ordering->code;
    struct ordered_step *placed = ordering->placed;
    bool by_place = code->machine[run->indices[0]].placed;
    int iteration = 0;
    for (size_t i = 0; i < run->count; i++) {
        uint32_t index = run->indices[i];
        const struct sim_instruction *in = &code->code[index];
        iteration += goes_round(run->indices, i);
        int rank = by_place && run->iterations > 1 ? code->machine[index].place[iteration]
                                                   : code->machine[index].rank;
        uint64_t reads = bits_of(in->reads, in->read_count);
        size_t at = i;
        while (at && placed[at - 1].rank > rank &&
               !(placed[at - 1].writes & reads && needs(in, &code->code[run->indices[run->order[at - 1]]])))
            at--;
        memmove(&placed[at + 1], &placed[at], (i - at) * sizeof *placed);
        memmove(&run->order[at + 1], &run->order[at], (i - at) * sizeof *run->order);
        run->order[at] = (uint32_t)i;
        placed[at].rank =
            at && placed[at - 1].rank > rank ? placed[at - 1].rank : rank; // it waits for that one
        placed[at].writes =
            ordering->ops[index].kind & KIND_COUNTS_UP ? 0 : bits_of(in->writes, in->write_count);
    }
}

static bool make_run_room(struct ordering *ordering, struct ordered_run *run, size_t count)
{
    if (count > ordering->room) {
        free(ordering->steps);
        free(ordering->placed);
        ordering->room = 2 * count;
        ordering->steps = malloc(ordering->room * sizeof *ordering->steps);
        ordering->placed = malloc(ordering->room * sizeof *ordering->placed);
    }
    if (count > run->room) {
        free(run->indices);
        free(run->order);
        run->count = 0;
        run->room = 2 * count;
        run->indices = malloc(run->room * sizeof *run->indices);
        run->order = malloc(run->room * sizeof *run->order);
    }
    return ordering->steps && ordering->placed && run->indices && run->order;
}

// Iterations that are issued as one have registers of their own; those of the last one are what is left after the loop.
static void give_registers(struct ordering *ordering, const struct ordered_run *run, struct trace_step *steps)
{
    int left = run->iterations;
    for (size_t i = 0; i < run->count; i++) {
        left -= !i || goes_round(run->indices, i);
        steps[i].own = (uint8_t)left;
        steps[i].before = (uint8_t)(left + 1 < run->iterations ? left + 1 : 0);
        steps[i].iterates = steps[i].own || steps[i].before;
    }
    ordering->sets = run->iterations > ordering->sets ? run->iterations : ordering->sets;
}

// The steps of one run through a basic block, or of several, by the assembler's order.
static bool order_run(struct ordering *ordering, struct trace_step *steps, size_t count)
{
    struct ordered_run *run = &ordering->runs[steps->index];
    if (!make_run_room(ordering, run, count))
        return false;
    if (!is_same_run(run, steps, count)) {
        run->count = count;
        run->iterations = 1;
        for (size_t i = 0; i < count; i++) {
            run->indices[i] = steps[i].index;
            run->iterations += goes_round(run->indices, i);
        }
        find_order(ordering, run);
    }
    if (run->iterations > 1)
        give_registers(ordering, run, steps);
    memcpy(ordering->steps, steps, count * sizeof *steps);
    for (size_t i = 0; i < count; i++)
        steps[i] = ordering->steps[run->order[i]];
    return true;
}

// Iterations of an unrolled loop follow each other without a branch, and are ordered together.
static bool order_steps(struct ordering *ordering, struct trace_step *steps, size_t count)
{
    const struct model_code *code = ordering->code;
    size_t from = 0;
    int iterations = 1;
    for (size_t i = 1; i <= count; i++) {
        bool ends = i == count || steps[i].index <= steps[i - 1].index ||
                    ordering->ops[steps[i].index].chain != ordering->ops[steps[i - 1].index].chain;
        if (!ends)
            continue;
        bool again = i < count && steps[i].index == steps[from].index && steps[i].lanes == steps[from].lanes;
        if (again && iterations++ < code->machine[steps[from].index].unrolled)
            continue;
        if (i > from && !order_run(ordering, steps + from, i - from))
            return false;
        from = i;
        iterations = 1;
    }
    return true;
}

static unsigned sectors_of(const uint64_t *touches, unsigned count)
{
    static const unsigned char counts[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += counts[touches[i] & 15u];
    return sum;
}

// Between two barriers a warp that accesses no memory only keeps pace with the others.
static void mark_idle(const struct ordering *ordering, struct trace_step *steps, size_t count)
{
    size_t from = count; // the step after the last barrier
    bool works = false;
    for (size_t i = 0; i < count; i++) {
        works |= steps[i].passes || steps[i].touches;
        if (!(ordering->ops[steps[i].index].kind & KIND_BARRIER))
            continue;
        for (size_t k = from; k <= i && !works; k++)
            steps[k].idle = true;
        from = i + 1;
        works = false;
    }
}

static void add_sums(const struct trace_op *op, const struct trace_step *step, struct trace_sums *sums)
{
    if (op->access == SIM_GLOBAL_LOAD) {
        sums->load_lines += step->touches;
        sums->load_sectors += step->sectors;
    } else if (op->access == SIM_GLOBAL_ATOM || op->access == SIM_GLOBAL_RED) {
        sums->atomic_lanes += step->waves;
        sums->atomic_turns += step->passes;
    }
}

// The same steps, with as many sectors of as many lines: all that makes the steps of a trace.
static bool is_same_warp(const struct sim_sampled_warp *a, const struct sim_sampled_warp *b)
{
    uint64_t differ = 0;
    if (a->ran != b->ran || a->step_count != b->step_count || a->touch_count != b->touch_count)
        return false;
    for (size_t i = 0; i < a->step_count && !differ; i++) {
        const struct sim_step *x = &a->steps[i], *y = &b->steps[i];
        differ = (x->index ^ y->index) | (unsigned)(x->passes ^ y->passes) | (unsigned)(x->waves ^ y->waves) |
                 (unsigned)(x->lanes ^ y->lanes) | (unsigned)(x->touches ^ y->touches) |
                 (unsigned)(x->stored ^ y->stored);
    }
    if (differ)
        return false;
    for (size_t i = 0; i < a->touch_count; i++)
        differ |= (a->touches[i] ^ b->touches[i]) & 15;
    return !differ;
}

// Most warps execute what the one before them did.
static bool make_again(const struct sim_sampled_warp *from, struct ordering *ordering, struct trace_warp *out)
{
    const struct trace_sums *sums = &ordering->made_sums;
    if (!ordering->made || !is_same_warp(from, ordering->made_from))
        return false;
    *out = *ordering->made;
    out->touches = from->touches;
    out->alike = false;
    out->borrows = true;
    ordering->sums.load_lines += sums->load_lines;
    ordering->sums.load_sectors += sums->load_sectors;
    ordering->sums.atomic_lanes += sums->atomic_lanes;
    ordering->sums.atomic_turns += sums->atomic_turns;
    return true;
}

static bool make_steps(const struct sim_sampled_warp *from, struct ordering *ordering, struct trace_warp *out)
{
    const struct trace_sums before = ordering->sums;
    size_t instructions = ordering->code->count;
    uint32_t touch = 0;
    uint64_t kind = from->ran;
    out->steps = malloc((from->step_count + 1) * sizeof *out->steps);
    if (!out->steps)
        return false;
    out->touches = from->touches;
    out->count = from->step_count;
    out->more = from->ran > from->step_count ? (double)(from->ran - from->step_count) : 0;
    ordering->warps++;
    for (size_t i = 0; i < from->step_count; i++) {
        const struct sim_step *step = &from->steps[i];
        uint32_t index = step->index < instructions ? step->index : 0;
        if (!ordering->known[index])
            make_op(ordering->code, ordering->gpu, index, &ordering->ops[index]);
        ordering->known[index] = true;
        out->steps[i] =
            (struct trace_step){ .op = &ordering->ops[index],
                                 .index = index,
                                 .touch = touch,
                                 .passes = step->passes,
                                 .waves = step->waves,
                                 .lanes = step->lanes,
                                 .touches = step->touches,
                                 .stored = step->stored,
                                 .sectors = (uint16_t)sectors_of(from->touches + touch, step->touches),
                                 .again = ordering->last[index] == ordering->warps };
        if (i)
            out->steps[i - 1].jumps = index != out->steps[i - 1].index + 1;
        ordering->last[index] = ordering->warps;
        kind = (kind ^ index) * 0x9e3779b97f4a7c15ull + step->touches;
        touch += step->touches;
        add_sums(&ordering->ops[index], &out->steps[i], &ordering->sums);
    }
    out->kind = kind;
    mark_idle(ordering, out->steps, out->count);
    ordering->made_from = from;
    ordering->made = out;
    ordering->made_sums =
        (struct trace_sums){ .load_lines = ordering->sums.load_lines - before.load_lines,
                             .load_sectors = ordering->sums.load_sectors - before.load_sectors,
                             .atomic_lanes = ordering->sums.atomic_lanes - before.atomic_lanes,
                             .atomic_turns = ordering->sums.atomic_turns - before.atomic_turns };
    return order_steps(ordering, out->steps, out->count);
}

static bool make_block(const struct sim_sampled_block *from, struct ordering *ordering,
                       struct trace_block *out)
{
    out->warps = calloc(from->warp_count + 1, sizeof *out->warps);
    for (size_t i = 0; out->warps && i < from->warp_count; i++) {
        out->warp_count++;
        if (!make_again(&from->warps[i], ordering, &out->warps[i]) &&
            !make_steps(&from->warps[i], ordering, &out->warps[i]))
            return false;
        double ran = (double)from->warps[i].ran;
        out->longest = ran > out->longest ? ran : out->longest;
        for (size_t k = 0; k < i && !out->warps[i].alike; k++)
            out->warps[i].alike = out->warps[k].kind == out->warps[i].kind;
    }
    return out->warps != NULL;
}

static void ordering_end(struct ordering *ordering)
{
    for (size_t i = 0; ordering->runs && i < ordering->code->count; i++) {
        free(ordering->runs[i].indices);
        free(ordering->runs[i].order);
    }
    free(ordering->runs);
    free(ordering->last);
    free(ordering->known);
    free(ordering->steps);
    free(ordering->placed);
}

bool trace_make(const struct sim_sample *sample, size_t count, const struct model_code *code,
                const struct gpu_figures *gpu, struct trace *out)
{
    bool copies = count > sample->block_count;
    count = copies ? sample->block_count : count;
    *out = (struct trace){ 0 };
    out->blocks = calloc(count + 1, sizeof *out->blocks);
    bool made = out->blocks && number_registers(code, out) && (!copies || find_shared(sample, out));
    struct ordering ordering = { .code = code,
                                 .gpu = gpu,
                                 .ops = out->ops,
                                 .sets = 1,
                                 .runs = calloc(code->count + 1, sizeof *ordering.runs),
                                 .last = calloc(code->count + 1, sizeof *ordering.last),
                                 .known = calloc(code->count + 1, 1) };
    made = made && ordering.runs && ordering.last && ordering.known;
    for (size_t i = 0; made && i < count; i++) {
        out->block_count++;
        made = make_block(&sample->blocks[i], &ordering, &out->blocks[i]);
        for (size_t w = 0; w < out->blocks[i].warp_count; w++) {
            out->steps += out->blocks[i].warps[w].count;
            out->partly |= out->blocks[i].warps[w].more > 0;
        }
    }
    out->sums = ordering.sums;
    out->sets = ordering.sets;
    ordering_end(&ordering);
    if (!made)
        trace_free(out);
    return made;
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; trace->blocks && i < trace->block_count; i++) {
        for (size_t w = 0; trace->blocks[i].warps && w < trace->blocks[i].warp_count; w++)
            if (!trace->blocks[i].warps[w].borrows)
                free(trace->blocks[i].warps[w].steps);
        free(trace->blocks[i].warps);
    }
    free(trace->blocks);
    free(trace->ops);
    free(trace->shared);
    *trace = (struct trace){ 0 };
}
