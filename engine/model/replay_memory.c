// The memory system of the SM that is replayed: what loads, stores, atomics and constants take, and when they are done. Requests
// wait in queues, each of which serves one after the other: L1 with shared memory, this SM's part of L2, of DRAM and of the
// atomic units.
#include "engine/model/replay.h"

#include <math.h>

enum {
    SECTOR_BYTES = 32,
    PENDING = 2000, // cycles of stores and reductions that may be on their way before a warp waits
    NEAR = 16,      // lines, within which DRAM serves one after the other as in a row
    LINE_SHIFT = 40 // where a copy of a block differs in its lines from the block that was sampled
};

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

// What is read or stored goes the way that atomics go to the units of L2: the unit with the most of them has its part of it as well, and
// what goes to others does not wait for that one. Of a line that is read, looking it up keeps an atomic waiting. Six scattered
// loads and an addition to one of 10240 words, a million times, take 59.6 us of an H200, 41.1 without the addition and 20.4
// without the loads (2026-11-28).
static double serve_l2(struct sm *sm, double at, double cycles, double for_atomics)
{
    double *busiest = &sm->queue[QUEUE_ATOMIC];
    if (sm->plan->trace->sums.atomic_turns > 0 && !sm->plan->free_units) {
        *busiest = larger(*busiest, at) + for_atomics;
        sm->out->beside_cycles += for_atomics * sm->stands_for;
    }
    return serve(sm, QUEUE_L2, at, cycles);
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
    double ready, served = serve_l2(sm, at, line_cycles(&plan->l2, count), plan->l2.first);
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
    double l2 = left * (lines * cycles->first + (sectors > lines ? sectors - lines : 0) * cycles->further);
    served = serve_l2(sm, served, l2, l2);
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

// ---- constants --------------------------------------------------------------------------------------------------

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

// ---- any of them ------------------------------------------------------------------------------------------------

double replay_access(struct sm *sm, const struct resident *warp, const struct trace_step *step,
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
