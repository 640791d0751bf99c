// One SM runs the sampled warps. Each warp issues its instructions in order, as soon as their operands are ready and the
// scheduler and the pipe are free; memory requests wait in queues (replay_memory.c). Warps are taken in the order of time.
#include "engine/model/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- warps in the order of time --------------------------------------------------------------------------------

static const uint64_t NOBODY = UINT64_MAX;

static uint64_t time_bits(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

// Of warps with the same time the one with the lower number goes first. Which of two it is, no branch could foretell.
INLINE void set_first(struct sm *sm, size_t number, uint64_t first)
{
    size_t at = sm->leaves + number;
    uint64_t *turns = sm->turns;
    turns[at] = first;
    while (at > 1) {
        uint64_t other = turns[at ^ 1];
        first = other < first ? other : first;
        at /= 2;
        turns[at] = first;
    }
}

INLINE void set_turn(struct sm *sm, const struct resident *warp)
{
    set_first(sm, warp->number, (time_bits(warp->next) & -(uint64_t)sm->leaves) | warp->number);
}

static void enter(struct sm *sm, const struct resident *warp)
{
    set_turn(sm, warp);
}

static void leave(struct sm *sm, const struct resident *warp)
{
    set_first(sm, warp->number, NOBODY);
}

// ---- one instruction --------------------------------------------------------------------------------------------

// An instruction begins to read its registers when all banks that it reads have served those before it, and holds the scheduler
// until then.
INLINE double read_registers(double *banks, const struct trace_op *op, double part, double at)
{
    double begin = at;
    for (int b = 0; b < REGISTER_BANKS; b++)
        begin = op->banks[b] > 0 ? larger(banks[b], begin) : begin;
    for (int b = 0; b < REGISTER_BANKS; b++)
        banks[b] = op->banks[b] > 0 ? begin + op->banks[b] * part : banks[b];
    return begin;
}

// Waits for the scheduler, the registers and the pipes, of which it takes a part; returns when the instruction is issued.
static __attribute__((noinline)) double issue_part(double *pipes, double *banks, const struct trace_op *op,
                                                   double part, double at)
{
    double slots = op->slots * part;
    double begin = read_registers(banks, op, part, larger(pipes[PIPE_NONE], at));
    pipes[PIPE_NONE] = begin + slots;
    for (const struct op_pipe *of = op->pipes; of < op->pipes_end; of++) {
        begin = larger(pipes[of->pipe], begin);
        pipes[of->pipe] = begin + of->cycles * part;
    }
    return begin + (slots > 1 ? slots - 1 : 0);
}

INLINE double issue(double *pipes, double *banks, const struct trace_op *op, double at)
{
    const struct op_pipe *of = op->pipes;
    double begin = read_registers(banks, op, 1, larger(pipes[PIPE_NONE], at));
    pipes[PIPE_NONE] = begin + op->slots;
    do {
        begin = larger(pipes[of->pipe], begin);
        pipes[of->pipe] = begin + of->cycles;
    } while (++of < op->pipes_end);
    return begin + op->beyond;
}

// How long what was issued kept the schedulers and the fullest pipe busy.
static void add_issued(const struct sm *sm)
{
    const struct replay_plan *plan = sm->plan;
    double *busy = sm->out->busy, pipes[PIPES] = { 0 };
    for (size_t i = 0; i < plan->code->count; i++) {
        const struct trace_op *op = &plan->trace->ops[i];
        double issued = sm->issued[i] * (plan->stands_for ? plan->stands_for[i] : 1);
        if (issued <= 0)
            continue;
        busy[TERM_ISSUE] += op->slots / SCHEDULERS * issued;
        for (const struct op_pipe *of = op->pipes; of < op->pipes_end; of++)
            pipes[of->pipe] += of->cycles / SCHEDULERS * issued;
    }
    for (int p = PIPE_FMA; p < PIPES; p++)
        busy[TERM_PIPE] = fmax(busy[TERM_PIPE], pipes[p]);
}

// When the scheduler and the pipes can take the instruction.
INLINE double units_are_free(const double *pipes, const struct trace_op *op)
{
    if (op->slots <= 0)
        return 0;
    const struct op_pipe *of = op->pipes;
    double at = pipes[PIPE_NONE];
    do
        at = larger(at, pipes[of->pipe]);
    while (++of < op->pipes_end);
    return at;
}

// Of an iteration among others that are issued as one.
static double operands_of_iteration(const struct sm *sm, const struct resident *warp,
                                    const struct trace_step *step)
{
    const struct trace_op *op = step->op;
    const double *ready = warp->ready + op->base;
    double at = warp->next;
    size_t own = (size_t)step->own * (size_t)sm->plan->trace->registers,
           before = (size_t)step->before * (size_t)sm->plan->trace->registers;
    for (int i = 0, count = (int)(op->reads_end - op->reads); i < count; i++) {
        size_t set = op->from_own >> (i & 63) & 1 ? own : op->from_before >> (i & 63) & 1 ? before : 0;
        at = larger(ready[set + (size_t)op->reads[i]], at);
    }
    return at;
}

INLINE double operands_ready(const struct sm *sm, const struct resident *warp, const struct trace_step *step)
{
    const struct trace_op *op = step->op;
    const double *ready = warp->ready;
    double at = warp->next;
    if (step->iterates)
        return operands_of_iteration(sm, warp, step);
    _Static_assert(TRACE_FIRST_READS == 3, "they are listed");
    at = larger(ready[op->first_reads[0]], at);
    at = larger(ready[op->first_reads[1]], at);
    at = larger(ready[op->first_reads[2]], at);
    for (const int *read = op->more_reads; read < op->reads_end; read++)
        at = larger(ready[op->base + *read], at);
    return at;
}

INLINE void set_ready(const struct sm *sm, const struct resident *warp, const struct trace_step *step,
                      double done)
{
    const struct trace_op *op = step->op;
    double *ready = warp->ready;
    if (step->own)
        ready += (size_t)step->own * (size_t)sm->plan->trace->registers;
    ready[op->first_write] = done;
    for (const int *write = op->more_writes; write < op->writes_end; write++)
        ready[op->base + *write] = done;
}

// A load that an assembler puts together with others into one of 16 bytes: four that all lanes make of one place take two
// wavefronts.
static const double MERGED = 1. / 3;

INLINE bool is_merged(const struct trace_step *step)
{
    return step->op->access == SIM_SHARED_LOAD && step->passes == 1;
}

// Whether the step disappears: it takes no time and no unit.
INLINE bool is_nothing(const struct trace_step *step)
{
    return step->op->slots <= 0 && !is_merged(step) && !(step->op->kind & KIND_BARRIER);
}

// Sets when the warp can issue the instruction that it is at. Those that disappear before it are passed, unless their pace is
// wanted.
INLINE void look_ahead(const struct sm *sm, struct resident *warp, bool paced)
{
    for (; warp->step != warp->end; warp->step++) {
        const struct trace_step *step = warp->step;
        if (step->op->slots > 0) {
            warp->next = operands_ready(sm, warp, step);
            return;
        }
        if (paced || !is_nothing(step))
            return;
        if (!(step->idle && sm->plan->without & WITHOUT_BARRIERS))
            set_ready(sm, warp, step, operands_ready(sm, warp, step));
    }
}

INLINE void run_step(struct sm *sm, struct resident *warp, const struct trace_step *step, bool free_units)
{
    const struct replay_plan *plan = sm->plan;
    const struct trace_op *op = step->op;
    double done, at = warp->next; // which has waited for its operands, if it is issued
    if (step->idle && plan->without & WITHOUT_BARRIERS)
        return;
    if (op->slots > 0) {
        bool half = plan->without & WITHOUT_DIVERGENCE && step->lanes && op->access == SIM_ACCESSES;
        double part = half ? step->lanes / 32.0 : 1;
        if (!free_units) {
            sm->issued[step->index] += part;
            at = half ? issue_part(warp->pipes, warp->banks, op, part, at)
                      : issue(warp->pipes, warp->banks, op, at);
        }
        done = at + op->latency;
        warp->next = at + op->on[step->jumps];
        bool shared = op->access == SIM_SHARED_LOAD || op->access == SIM_SHARED_STORE;
        if (shared && step->passes && !step->touches)
            done = larger(done, access_shared(sm, step, op, at));
        else if (step->passes || step->touches)
            warp->next = larger(warp->next, replay_access(sm, warp, step, op, at, &done));
        else if (op->through > 0)
            serve(sm, QUEUE_L1, at, op->through);
        if (op->kind & KIND_HALVES)
            done += done - at;
    } else {
        done = operands_ready(sm, warp, step);
        if (is_merged(step))
            done = serve_shared(sm, op->access, done, MERGED) + plan->gpu->shared_latency;
    }
    set_ready(sm, warp, step, done);
}

// ---- barriers ---------------------------------------------------------------------------------------------------

static void release(struct sm *sm, size_t slot)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    struct slot *block = &sm->slots[slot];
    double at = block->latest + gpu->barrier_latency;
    block->arrived = 0;
    block->latest = 0;
    for (size_t i = 0; i < sm->warps_of_block; i++) {
        struct resident *warp = &sm->warps[slot * sm->warps_of_block + i];
        if (!warp->waits)
            continue;
        warp->waits = false;
        warp->next = at;
        look_ahead(sm, warp, sm->paced);
        enter(sm, warp);
    }
}

static void arrive(struct sm *sm, struct resident *warp)
{
    struct slot *block = &sm->slots[warp->slot];
    warp->waits = true;
    leave(sm, warp);
    block->arrived++;
    // One after the other of all the SM's warps that arrive.
    double at =
        sm->plan->free_units ? warp->next : serve(sm, QUEUE_BARRIER, warp->next, sm->plan->gpu->barrier_warp);
    block->latest = at > block->latest ? at : block->latest;
    if (block->arrived == block->live)
        release(sm, warp->slot);
}

// ---- blocks -----------------------------------------------------------------------------------------------------

static void begin_block(struct sm *sm, size_t slot, double at)
{
    const struct replay_plan *plan = sm->plan;
    const struct trace *trace = plan->trace;
    const struct trace_block *block = &trace->blocks[sm->begun % trace->block_count];
    at = serve(sm, QUEUE_START, at, plan->block_cycles);
    sm->slots[slot] =
        (struct slot){ .copy = sm->begun / trace->block_count, .begun = at, .longest = block->longest };
    sm->begun++;
    sm->stands_for = 1;
    for (size_t i = 0; i < block->warp_count; i++) {
        size_t index = slot * sm->warps_of_block + i;
        struct resident *warp = &sm->warps[index];
        at += WARP_START_CYCLES;
        if (plan->free_units && block->warps[i].alike)
            continue;
        sm->slots[slot].live++;
        size_t registers = (size_t)trace->registers * (size_t)trace->sets;
        double *ready = sm->ready + index * registers;
        *warp = (struct resident){ .trace = &block->warps[i],
                                   .step = block->warps[i].steps,
                                   .end = block->warps[i].steps + block->warps[i].count,
                                   .settled = block->warps[i].steps + block->warps[i].count / 4,
                                   .slot = slot,
                                   .number = index,
                                   .next = at,
                                   .begun = at,
                                   .issued = at,
                                   .ready = ready,
                                   .pipes = sm->pipes[index % SCHEDULERS],
                                   .banks = sm->banks[index % SCHEDULERS] };
        for (size_t r = 0; r < registers; r++)
            ready[r] = 0;
        look_ahead(sm, warp, sm->paced);
        enter(sm, warp);
    }
}

// Cycles until the next step, of the instruction that the warp replayed last, after the first quarter.
INLINE void note_pace(const struct sm *sm, struct resident *warp)
{
    if (warp->step > warp->settled) {
        const struct trace_step *step = warp->step - 1;
        struct step_pace *pace = &sm->paces[step->index][step->again];
        pace->cycles += warp->next - warp->issued;
        pace->count++;
    } else if (warp->step == warp->settled) {
        warp->begun = warp->next;
    }
    warp->issued = warp->next;
}

// How much slower the instructions are that were not recorded than those that were, by the pace of each. What a warp
// executes for the first time may wait for what came before it, as at the first barrier after a loop of loads; what was
// not recorded comes later.
static double slower(const struct sm *sm)
{
    double missing = 0, missing_count = 0, measured = 0, measured_count = 0;
    for (size_t i = 0; sm->plan->missing && i < sm->plan->code->count; i++) {
        const struct step_pace *once = &sm->paces[i][0], *again = &sm->paces[i][1];
        const struct step_pace *pace = again->count > 0 ? again : once;
        if (pace->count <= 0)
            continue;
        missing += sm->plan->missing[i] * (pace->cycles / pace->count);
        missing_count += sm->plan->missing[i];
        measured += once->cycles + again->cycles;
        measured_count += once->count + again->count;
    }
    return missing > 0 && measured > 0 ? missing / missing_count / (measured / measured_count) : 1;
}

// Instructions that were not recorded go on at the pace of the warp's others, measured without the first quarter.
static double end_of(const struct sm *sm, const struct resident *warp)
{
    double measured = (double)warp->trace->count * 3 / 4;
    double pace = measured > 0 ? (warp->next - warp->begun) / measured : 0;
    return warp->next + (warp->trace->more > 0 ? warp->trace->more * pace * slower(sm) : 0);
}

static void end_warp(struct sm *sm, struct resident *warp)
{
    struct slot *block = &sm->slots[warp->slot];
    leave(sm, warp);
    double end = end_of(sm, warp);
    block->live--;
    if (block->live && block->arrived == block->live)
        release(sm, warp->slot);
    if (end > sm->out->cycles)
        sm->out->cycles = end;
    if (block->live)
        return;
    sm->out->ends[sm->ended++] = end;
    sm->out->lived += end - block->begun;
    sm->out->ran += block->longest;
    if (sm->begun < sm->plan->blocks)
        begin_block(sm, warp->slot, end + sm->plan->turnover_cycles);
}

// ---- the whole --------------------------------------------------------------------------------------------------

// Runs a warp's next steps as long as it stays the first, for those that disappear take no time; where units are free, and
// nothing that it does delays another one, up to its next barrier.
INLINE void run_warp(struct sm *sm, struct resident *warp, bool free_units, bool paced)
{
    static const double WORTH_WAITING = 0.5;
    const double *stands_for = sm->plan->stands_for;
    uint64_t turn = time_bits(warp->next);
    do {
        const struct trace_step *step = warp->step;
        if (step == warp->end) {
            if (paced)
                note_pace(sm, warp);
            end_warp(sm, warp);
            return;
        }
        const struct trace_op *op = step->op;
        const double free = free_units ? 0 : units_are_free(warp->pipes, op);
        if (free > warp->next + WORTH_WAITING) { // what other warps send meanwhile goes first in all queues
            warp->next = free;
            break;
        }
        if (paced) {
            note_pace(sm, warp);
            sm->stands_for = stands_for ? stands_for[step->index] : 1;
        }
        run_step(sm, warp, step, free_units);
        warp->step++;
        if (op->kind & KIND_BARRIER && !(sm->plan->without & WITHOUT_BARRIERS)) {
            arrive(sm, warp);
            return;
        }
        look_ahead(sm, warp, paced);
    } while (time_bits(warp->next) == turn || free_units);
    set_turn(sm, warp);
}

// A loop of its own for each case.
INLINE void run_all(struct sm *sm, bool free_units, bool paced)
{
    while (sm->turns[1] != NOBODY)
        run_warp(sm, &sm->warps[sm->turns[1] & (sm->leaves - 1)], free_units, paced);
}

static void run(struct sm *sm)
{
    const struct replay_plan *plan = sm->plan;
    sm->paced = plan->trace->partly || plan->stands_for;
    for (size_t slot = 0; slot < (size_t)plan->resident && slot < plan->blocks; slot++)
        begin_block(sm, slot, 0);
    if (sm->paced)
        plan->free_units ? run_all(sm, true, true) : run_all(sm, false, true);
    else
        plan->free_units ? run_all(sm, true, false) : run_all(sm, false, false);
}

static bool make_turns(struct sm *sm)
{
    for (sm->leaves = 1; sm->leaves < sm->warp_count;)
        sm->leaves *= 2;
    sm->turns = malloc(2 * sm->leaves * sizeof *sm->turns);
    for (size_t i = 0; sm->turns && i < 2 * sm->leaves; i++)
        sm->turns[i] = NOBODY;
    return sm->turns != NULL;
}

static bool prepare(struct sm *sm, const struct replay_plan *plan, struct replay_result *out)
{
    const struct trace *trace = plan->trace;
    sm->plan = plan;
    sm->out = out;
    for (size_t i = 0; i < trace->block_count; i++)
        if (trace->blocks[i].warp_count > sm->warps_of_block)
            sm->warps_of_block = trace->blocks[i].warp_count;
    size_t slots = (size_t)plan->resident < plan->blocks ? (size_t)plan->resident : plan->blocks;
    sm->warp_count = slots * sm->warps_of_block;
    sm->warps = calloc(sm->warp_count + 1, sizeof *sm->warps);
    sm->slots = calloc(slots + 1, sizeof *sm->slots);
    out->ends = calloc(plan->blocks + 1, sizeof *out->ends);
    sm->ready = malloc(((size_t)trace->registers * (size_t)trace->sets + 1) * (sm->warp_count + 1) *
                       sizeof *sm->ready);
    sm->paces = calloc(plan->code->count + 1, sizeof *sm->paces);
    sm->issued = calloc(plan->code->count + 1, sizeof *sm->issued);
    bool caches = cache_make(&sm->l1, plan->l1_bytes);
    caches &= cache_make(&sm->l2, plan->gpu->l2_keeps * plan->gpu->l2_bytes / plan->gpu->sms);
    return sm->warps && sm->slots && make_turns(sm) && out->ends && caches && sm->ready && sm->paces &&
           sm->issued;
}

static int by_time(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return (*x > *y) - (*x < *y);
}

bool replay(const struct replay_plan *plan, struct replay_result *out)
{
    struct sm sm = { 0 };
    *out = (struct replay_result){ 0 };
    bool prepared = prepare(&sm, plan, out);
    if (prepared) {
        run(&sm);
        out->block_count = sm.ended;
        qsort(out->ends, sm.ended, sizeof *out->ends, by_time);
        add_issued(&sm);
        for (int q = 0; q < QUEUES; q++) // what was sent and needs no answer ends too
            out->cycles = fmax(out->cycles, q == QUEUE_START ? 0 : sm.queue[q]);
    }
    free(sm.paces);
    free(sm.issued);
    free(sm.ready);
    cache_free(&sm.l1);
    cache_free(&sm.l2);
    free(sm.warps);
    free(sm.slots);
    free(sm.turns);
    if (!prepared) {
        free(out->ends);
        out->ends = NULL;
    }
    return prepared;
}
