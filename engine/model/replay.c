// One SM runs the sampled warps. Each warp issues its instructions in order, as soon as their operands are ready and the
// scheduler and the pipe are free; memory requests wait in queues, each of which serves one after the other: L1 with
// shared memory, this SM's part of L2, of DRAM and of the atomic units. Warps are taken in the order of time.
#include "engine/model/cache.h"
#include "engine/model/sm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What each step does is inline: there are some 100000 of them in a replay, and two to five replays of a launch.
#define INLINE static inline __attribute__((always_inline))

enum {
    SECTOR_BYTES = 32,
    PENDING = 2000, // cycles of stores and reductions that may be on their way before a warp waits
    NEAR = 16,      // lines, within which DRAM serves one after the other as in a row
    LINE_SHIFT = 40 // where a copy of a block differs in its lines from the block that was sampled
};

struct resident { // a warp on the SM
    const struct trace_warp *trace;
    const struct trace_step *step, *end; // the one that it is at
    const struct trace_step *settled;    // from which its pace is measured
    double next;                         // earliest time of its next instruction
    double begun;                        // the time of the step from which its pace is measured
    double issued;                       // when its last instruction was issued
    double *ready;                       // when each register has its value
    double *pipes;                       // of its scheduler
    size_t slot;                         // of its block
    size_t number;                       // among those on the SM
    bool waits;                          // at a barrier
};
struct slot { // a block on the SM
    size_t live, arrived;
    double latest;         // arrival at the barrier
    double begun, longest; // when it began, and the instructions of its longest warp
    uint64_t copy;         // added to its lines that are its own
};
enum sm_queue {
    QUEUE_L1,
    QUEUE_CONSTANT,
    QUEUE_L2, // of what is read and what is stored, which take turns
    QUEUE_DRAM,
    QUEUE_ATOMIC,
    QUEUE_START,
    QUEUE_BARRIER,
    QUEUES
};
struct sm {
    const struct replay_plan *plan;
    struct resident *warps;
    size_t warp_count, warps_of_block;
    struct slot *slots;
    double *ready;       // of all warps
    size_t begun, ended; // blocks
    // A tournament: the warps that can go on are its leaves, and above two of them is the one that goes first. A turn is
    // the bits of a time, which sort as the time does, with the warp's number in the last of them; NOBODY.
    uint64_t *turns;
    size_t leaves; // a power of 2
    // When each pipe of each scheduler can take the next instruction, and, in the place of PIPE_NONE, the scheduler itself; at
    // last that of instructions that need none.
    double pipes[SCHEDULERS][PIPES + 1];
    // Whether the pace of each instruction is wanted, and what each step stands for differs.
    bool paced;
    double queue[QUEUES];
    struct cache l1, l2;
    double dram_owed;  // of a line: the part of the next one that comes from DRAM
    double step_owed;  // the same of one that another SM has just asked for
    int in_step;       // whether the load that is served waits for such a one; -1: not yet known
    double kept_owed;  // the same of one that L1 has kept
    double stands_for; // executions of the instruction that is replayed, for each one
    double *issued;    // by instruction: how often it was issued; in part, where it is as if by fewer lanes
    struct step_pace { // of an instruction: cycles until the warp's next one, of so many
        double cycles, count;
    } (*paces)
        [2]; // by instruction: of those that a warp executes for the first time, and of those that come again
    struct replay_result *out;
};

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

INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

// ---- queues -----------------------------------------------------------------------------------------------------

static const enum model_term term_of_queue[QUEUES] = { TERM_L1,      TERM_CONSTANT, TERM_L2,     TERM_DRAM,
                                                       TERM_ATOMICS, TERM_START,    TERM_LATENCY };

// Serves what arrives at a time; returns when it is done. Free units are not busy.
INLINE double serve_as(struct sm *sm, enum sm_queue queue, enum model_term term, double at, double cycles)
{
    if (sm->plan->free_units)
        return at;
    double begin = sm->queue[queue] > at ? sm->queue[queue] : at;
    sm->out->busy[term] += cycles * sm->stands_for;
    sm->queue[queue] = begin + cycles;
    return begin + cycles;
}

INLINE double serve(struct sm *sm, enum sm_queue queue, double at, double cycles)
{
    return serve_as(sm, queue, term_of_queue[queue], at, cycles);
}

// What is stored goes the way that atomics go to the units of L2: the unit with the most of them has its part of it as well, and
// what goes to others does not wait for that one.
static double serve_stored(struct sm *sm, double at, double cycles)
{
    double *busiest = &sm->queue[QUEUE_ATOMIC];
    if (sm->plan->trace->sums.atomic_turns > 0 && !sm->plan->free_units) {
        *busiest = larger(*busiest, at) + cycles;
        sm->out->stored_cycles += cycles * sm->stands_for;
    }
    return serve(sm, QUEUE_L2, at, cycles);
}

// L1, which holds local memory too, and shared memory are one memory with one queue; their cycles are counted apart.
static double serve_shared(struct sm *sm, enum sim_access access, double at, double cycles)
{
    bool local = access == SIM_LOCAL_LOAD || access == SIM_LOCAL_STORE;
    return serve_as(sm, QUEUE_L1, local ? TERM_L1 : TERM_SHARED, at, cycles);
}

// ---- global memory ----------------------------------------------------------------------------------------------

static unsigned popcount4(uint64_t sectors)
{
    static const unsigned char counts[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
    return counts[sectors & 15u];
}

// The lines of a block that is a copy are its own, but for those that several blocks share.
static uint64_t line_of_copy(const struct sm *sm, uint64_t copy, uint64_t line)
{
    return trace_is_shared(sm->plan->trace, line) ? line : line ^ copy << LINE_SHIFT;
}

static double line_cycles(const struct line_cycles *cycles, unsigned sectors)
{
    return cycles->first + (sectors - 1) * cycles->further;
}

static unsigned pairs_of(unsigned sectors)
{
    return (sectors & 3u ? 3u : 0) | (sectors & 12u ? 12u : 0);
}

// Where nobody asks for them apart, all are in none.
INLINE size_t buffer_of(const struct replay_plan *plan, uint64_t line)
{
    if (!plan->dram_of && !plan->moved_of)
        return plan->buffer_count;
    uint64_t number = line / (SIM_BUFFER_LIMIT / SIM_LINE_BYTES);
    size_t i = 0;
    while (i < plan->buffer_count && plan->buffers[i].number != number)
        i++;
    return i;
}

// Whether a load waits for what another SM has just asked for: with all of its lines, or with none.
static bool is_in_step(struct sm *sm, const struct dram_part *part)
{
    if (sm->in_step < 0) {
        sm->step_owed += part->from_dram < 1 ? part->in_step / (1 - part->from_dram) : 0;
        sm->in_step = sm->step_owed >= 1;
        sm->step_owed -= sm->in_step;
    }
    return sm->in_step;
}

// Sectors of a buffer that missed in L1: when they arrive. `alone`: no line beside this one is asked for. `stored`: the block itself has
// brought them to L2.
INLINE double fetch(struct sm *sm, size_t buffer, uint64_t line, unsigned sectors, bool alone, bool stored,
                    double at)
{
    const struct replay_plan *plan = sm->plan;
    const struct gpu_figures *gpu = plan->gpu;
    bool pairs = plan->whole_pairs || (alone && plan->fetches_pairs);
    unsigned count = popcount4(sectors), brought = pairs ? pairs_of(sectors) : sectors;
    const struct dram_part *part = plan->dram_of ? &plan->dram_of[buffer] : &plan->dram;
    sm->kept_owed += plan->kept;
    if (sm->kept_owed >= 1) {
        sm->kept_owed -= 1;
        sm->out->fresh_sectors += count * sm->stands_for;
        sm->out->moved_sectors += count * plan->pairs * sm->stands_for;
        return at + gpu->l1_latency;
    }
    double ready, served = serve(sm, QUEUE_L2, at, line_cycles(&plan->l2, count));
    unsigned there = cache_look(&sm->l2, line, brought, &ready);
    bool hits = (there & sectors) == sectors;
    if (!hits && !stored)
        sm->dram_owed += part->from_dram;
    sm->out->fresh_sectors += popcount4((plan->whole_pairs ? brought : sectors) & ~there) * sm->stands_for;
    double moved = popcount4(brought & ~there) * (pairs ? 1 : plan->pairs) * sm->stands_for;
    sm->out->moved_sectors += moved;
    if (plan->moved_of)
        plan->moved_of[buffer] += moved;
    if (hits || stored)
        return served + gpu->l2_latency;
    if (sm->dram_owed < 1) {
        return served + (is_in_step(sm, part) ? plan->dram_latency : gpu->l2_latency);
    }
    sm->dram_owed -= 1;
    double cycles = count * plan->dram_cycles * plan->pairs;
    if (alone)
        cycles = fmax(cycles, plan->scattered_cycles);
    served = serve(sm, QUEUE_DRAM, served, cycles);
    return served + plan->dram_latency;
}

INLINE bool is_near(uint64_t touch, uint64_t other)
{
    return (touch >> 4) - (other >> 4) + NEAR <= 2 * NEAR;
}

// Whether the instruction touches several lines, and this one far from those before and after it.
INLINE bool is_alone(const uint64_t *touches, unsigned count, unsigned which)
{
    return count > 1 && !(which && is_near(touches[which], touches[which - 1])) &&
           !(which + 1 < count && is_near(touches[which], touches[which + 1]));
}

// The fewest sectors that the lanes' bytes need.
static unsigned fewest_sectors(const struct trace_step *step, unsigned bytes)
{
    unsigned sectors = (step->lanes * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return sectors ? sectors : 1;
}

// What L1 lacks of a line that a step touches: when it arrives. It is apart because most lines are there.
static __attribute__((noinline)) double load_missing(struct sm *sm, const struct trace_step *step,
                                                     const uint64_t *touches, unsigned which, uint64_t line,
                                                     unsigned missing, double at)
{
    return fetch(sm, buffer_of(sm->plan, touches[which] >> 4), line, missing,
                 is_alone(touches, step->touches, which), which < step->stored, at);
}

static double load(struct sm *sm, const struct resident *warp, const struct trace_step *step, unsigned bytes,
                   double at)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    unsigned sectors = step->sectors, lines = step->touches, left = UINT32_MAX;
    if (sm->plan->without & WITHOUT_SECTORS) {
        left = fewest_sectors(step, bytes);
        sectors = sectors < left ? sectors : left;
        lines = lines < (left + 3) / 4 ? lines : (left + 3) / 4;
    }
    // L1 gives data by banks, as shared memory does, and looks lines up beside that. Words of 64 bits are given to half
    // of a warp at a time, those of 128 bits to a quarter, also where all lanes read one address.
    unsigned fewest = (step->lanes * bytes + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES;
    double waves = larger(sm->plan->without & WITHOUT_SECTORS ? 0 : step->waves, fewest);
    double cycles = larger(larger(sectors / gpu->l1_rate, waves / gpu->shared_rate), lines / gpu->tag_rate);
    double served = serve(sm, QUEUE_L1, at, cycles);
    double done = served + gpu->l1_latency;
    const uint64_t *touches = warp->trace->touches + step->touch;
    uint64_t copy = sm->slots[warp->slot].copy;
    struct cache l1 = sm->l1; // in registers
    sm->in_step = -1;
    for (unsigned i = 0; i < lines; i++) {
        uint64_t line = touches[i] >> 4;
        if (copy)
            line = line_of_copy(sm, copy, line);
        double ready;
        unsigned wanted = (unsigned)touches[i] & 15u, there = cache_look(&l1, line, wanted, &ready);
        done = larger(ready, done);
        if (there == wanted)
            continue;
        double arrives = load_missing(sm, step, touches, i, line, wanted & ~there, served);
        cache_expect(l1.last, arrives);
        done = larger(arrives, done);
    }
    sm->l1 = l1;
    return done;
}

// How long a warp has to wait when too much is on its way already.
static double pressed_back(const struct sm *sm, enum sm_queue queue, double at)
{
    double pending = sm->queue[queue] - at - PENDING;
    return pending > 0 ? at + pending : at;
}

// Whether the warp has stored to the same lines just before.
static bool follows_up(const struct sm *sm, const struct resident *warp, const struct trace_step *step)
{
    enum { STEPS_BACK = 12 };
    const struct trace_step *before = step;
    for (int back = 0; back < STEPS_BACK && before > warp->trace->steps; back++) {
        before--;
        if (!before->touches || sm->plan->trace->ops[before->index].access != SIM_GLOBAL_STORE)
            continue;
        const uint64_t *one = warp->trace->touches + before->touch,
                       *other = warp->trace->touches + step->touch;
        return before->touches == step->touches && one[0] >> 4 == other[0] >> 4 &&
               one[before->touches - 1] >> 4 == other[step->touches - 1] >> 4;
    }
    return false;
}

// Of the time that parts of so many sectors take, what is left where they are put together with those stored just before.
// Fields of structs of 16 bytes, 16 sectors of a warp, took next to no time after the first one, of 24 bytes 0.4 of it, of 28
// bytes 0.75 and of 32 bytes 0.87 (H100, 2026-11-28).
static double left_of_parts(unsigned sectors)
{
    return sectors <= 16 ? 0 : larger(0, (sectors - 16) / 16.0);
}

static double store(struct sm *sm, const struct resident *warp, const struct trace_step *step, unsigned bytes,
                    double at)
{
    const struct replay_plan *plan = sm->plan;
    unsigned sectors = step->sectors, lines = step->touches;
    bool whole = step->lanes * bytes >= sectors * SECTOR_BYTES;
    if (plan->without & WITHOUT_SECTORS && sectors > fewest_sectors(step, bytes)) {
        sectors = fewest_sectors(step, bytes);
        lines = (sectors + 3) / 4;
        whole = true;
    }
    double waves = plan->without & WITHOUT_SECTORS ? 0 : step->waves;
    double served = serve(sm, QUEUE_L1, at,
                          larger(larger(sectors / plan->gpu->l1_rate, waves / plan->gpu->shared_rate),
                                 lines / plan->gpu->tag_rate));
    const struct line_cycles *cycles = whole ? &plan->store : &plan->partial;
    double left = !whole && follows_up(sm, warp, step) ? left_of_parts(sectors) : 1;
    served = serve_stored(
        sm, served,
        left * (lines * cycles->first + (sectors > lines ? sectors - lines : 0) * cycles->further));
    // What is stored in part is read from DRAM as well, before it is written there.
    double dram = 0;
    double in_row = (double)sectors / lines * plan->dram_cycles * plan->stored_pairs;
    for (unsigned i = 0; i < lines && !plan->free_units; i++) {
        dram += is_alone(warp->trace->touches + step->touch, step->touches, i)
                    ? larger(in_row, plan->scattered_cycles)
                    : in_row;
    }
    // Parts of a sector do not wait in L2, and those that come from several requests are put together there.
    bool filled = !whole && plan->part_written > 0.5;
    serve(sm, QUEUE_DRAM, served, dram * (whole ? plan->written : plan->part_written) * (filled ? 2 : 1));
    return larger(pressed_back(sm, QUEUE_L2, at), pressed_back(sm, QUEUE_DRAM, at));
}

// A sector whose floats are added to is ready for the next addition later than the unit is for another sector; a sector
// takes longer for compare and swap, and words that take turns in it no longer.
static double atomic_cycles(const struct replay_plan *plan, const struct trace_step *step, unsigned sectors,
                            unsigned turns)
{
    unsigned char kind = plan->trace->ops[step->index].kind;
    if (kind & KIND_SWAP)
        return plan->tries *
               (sectors * plan->swap_cycles +
                (turns - sectors) * (step->waves > turns ? plan->swap_cycles : plan->atomic_cycles));
    double cycles = turns * (kind & KIND_ANSWERED ? plan->answered_cycles : plan->atomic_cycles);
    return kind & KIND_ADDS_FLOATS && sectors ? larger(cycles, (double)turns / sectors * plan->float_cycles)
                                              : cycles;
}

static double atomic_request(struct sm *sm, const struct resident *warp, const struct trace_step *step,
                             double at, double *done)
{
    const struct replay_plan *plan = sm->plan;
    unsigned sectors = step->sectors;
    // Lanes with one address take turns, which are sectors of the request too.
    unsigned turns = plan->without & WITHOUT_COLLISIONS || step->passes < sectors ? sectors : step->passes;
    double served = serve(sm, QUEUE_L1, at, sectors / plan->gpu->l1_rate);
    served = serve(sm, QUEUE_ATOMIC, served, atomic_cycles(plan, step, sectors, turns));
    bool swaps = plan->trace->ops[step->index].kind & KIND_SWAP;
    *done = served + plan->gpu->atomic_latency * (swaps ? plan->tries : 1);
    return pressed_back(sm, QUEUE_ATOMIC, at);
}

// ---- one instruction --------------------------------------------------------------------------------------------

INLINE unsigned wavefronts(const struct sm *sm, const struct trace_step *step, unsigned bytes)
{
    unsigned fewest = (step->lanes * bytes + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES;
    return sm->plan->without & WITHOUT_CONFLICTS && step->passes > fewest ? (fewest ? fewest : 1)
                                                                          : step->passes;
}

// Loads of constants by an index: a turn for each different address, two for more than 8 bytes. Lines of different addresses may
// be missing in the cache; by one address, warps that go in step share it, but not in the smaller cache of uniform registers. `at` is when it is issued; returns when the value is
// there. Of loads that an assembler has made one, each has its part of the turns.
static double constant(struct sm *sm, const struct trace_step *step, const struct trace_op *op, double at)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    unsigned turns = sm->plan->without & WITHOUT_ADDRESSES ? 1 : step->passes,
             of_each = op->bytes > 8 ? 2 : 1;
    double missing =
        turns > 1 ? step->waves * sm->plan->constant_missing : op->look_ups * sm->plan->look_up_missing;
    double cycles = turns * of_each / gpu->constant_rate + missing * gpu->constant_miss;
    return serve(sm, QUEUE_CONSTANT, at, cycles * fmin(op->slots, 1)) + gpu->constant_latency;
}

// Of a load or store of shared memory: when it is done.
INLINE double access_shared(struct sm *sm, const struct trace_step *step, const struct trace_op *op,
                            double at)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    double cycles = wavefronts(sm, step, op->bytes) / gpu->shared_rate;
    return serve_as(sm, QUEUE_L1, TERM_SHARED, at, cycles) + gpu->shared_latency;
}

// The memory system's part of any other instruction that is issued at `at`: *done, when its result is there. Returns when the warp
// can go on.
static double access(struct sm *sm, const struct resident *warp, const struct trace_step *step,
                     const struct trace_op *op, double at, double *done)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    double served = at, on = at;
    if (op->kind & KIND_CONSTANT) {
        *done = larger(*done, constant(sm, step, op, at));
        return on;
    }
    unsigned waves = wavefronts(sm, step, op->bytes);
    bool global_atomic = (op->access == SIM_GLOBAL_ATOM || op->access == SIM_GLOBAL_RED) && step->touches;
    if (step->passes && !global_atomic) { // shared memory, or local memory, which L1 holds
        served = serve_shared(sm, op->access, at, waves / gpu->shared_rate);
        bool atomic = op->access == SIM_SHARED_ATOM;
        *done = larger(*done, served + (atomic ? gpu->shared_atomic_latency : gpu->shared_latency));
        if (atomic)
            served = serve_shared(sm, op->access, served,
                                  waves * (1 / gpu->shared_atomic_rate - 1 / gpu->shared_rate));
    }
    if (!step->touches)
        return on;
    double there = served;
    if (op->access == SIM_GLOBAL_STORE)
        on = store(sm, warp, step, op->bytes, served);
    else if (global_atomic)
        on = atomic_request(sm, warp, step, served, &there);
    else
        there = load(sm, warp, step, op->bytes, served);
    *done = larger(*done, there);
    return on;
}

// Waits for the scheduler and the pipes, of which it takes a part; returns when the instruction is issued.
static __attribute__((noinline)) double issue_part(double *pipes, const struct trace_op *op, double part,
                                                   double at)
{
    double slots = op->slots * part;
    double begin = larger(pipes[PIPE_NONE], at);
    pipes[PIPE_NONE] = begin + slots;
    for (const struct op_pipe *of = op->pipes; of < op->pipes_end; of++) {
        begin = larger(pipes[of->pipe], begin);
        pipes[of->pipe] = begin + of->cycles * part;
    }
    return begin + (slots > 1 ? slots - 1 : 0);
}

INLINE double issue(double *pipes, const struct trace_op *op, double at)
{
    const struct op_pipe *of = op->pipes;
    double begin = larger(pipes[PIPE_NONE], at);
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
    const double *ready = warp->ready + op->base;
    double at = warp->next;
    if (step->iterates)
        return operands_of_iteration(sm, warp, step);
    for (const int *read = op->reads; read < op->reads_end; read++)
        at = larger(ready[*read], at);
    return at;
}

INLINE void set_ready(const struct sm *sm, const struct resident *warp, const struct trace_step *step,
                      double done)
{
    const struct trace_op *op = step->op;
    double *ready = warp->ready + op->base;
    if (step->own)
        ready += (size_t)step->own * (size_t)sm->plan->trace->registers;
    for (const int *write = op->writes; write < op->writes_end; write++)
        ready[*write] = done;
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
            at = half ? issue_part(warp->pipes, op, part, at) : issue(warp->pipes, op, at);
        }
        done = at + op->latency;
        warp->next = at + op->on[step->jumps];
        bool shared = op->access == SIM_SHARED_LOAD || op->access == SIM_SHARED_STORE;
        if (shared && step->passes && !step->touches)
            done = larger(done, access_shared(sm, step, op, at));
        else if (step->passes || step->touches)
            warp->next = larger(warp->next, access(sm, warp, step, op, at, &done));
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
                                   .pipes = sm->pipes[index % SCHEDULERS] };
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
