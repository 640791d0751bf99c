// Between the files of a replay: an SM while it runs.
//
//   replay.c          warps in the order of time, what each step does, barriers, blocks, the whole
//   replay_memory.c   loads, stores, atomics and constants: L1, L2, DRAM
#ifndef WARPBOOK_REPLAY_H
#define WARPBOOK_REPLAY_H

#include "engine/model/cache.h"
#include "engine/model/sm.h"

// What each step does is inline: there are some 100000 of them in a replay, and two to five replays of a launch.
#define INLINE static inline __attribute__((always_inline))

struct resident { // a warp on the SM
    const struct trace_warp *trace;
    const struct trace_step *step, *end; // the one that it is at
    const struct trace_step *settled;    // from which its pace is measured
    double next;                         // earliest time of its next instruction
    double begun;                        // the time of the step from which its pace is measured
    double issued;                       // when its last instruction was issued
    double *ready;                       // when each register has its value
    double *pipes;                       // of its scheduler
    double *banks;                       // of registers, the same
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
    double banks[SCHEDULERS][REGISTER_BANKS]; // when each can give registers to the next instruction
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

// L1, which holds local memory too, and shared memory are one memory with one queue; their cycles are counted apart.
INLINE double serve_shared(struct sm *sm, enum sim_access access, double at, double cycles)
{
    bool local = access == SIM_LOCAL_LOAD || access == SIM_LOCAL_STORE;
    return serve_as(sm, QUEUE_L1, local ? TERM_L1 : TERM_SHARED, at, cycles);
}

// ---- shared memory ----------------------------------------------------------------------------------------------

INLINE unsigned wavefronts(const struct sm *sm, const struct trace_step *step, unsigned bytes)
{
    unsigned fewest = (step->lanes * bytes + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES;
    return sm->plan->without & WITHOUT_CONFLICTS && step->passes > fewest ? (fewest ? fewest : 1)
                                                                          : step->passes;
}

// Of a load or store of shared memory: when it is done.
INLINE double access_shared(struct sm *sm, const struct trace_step *step, const struct trace_op *op,
                            double at)
{
    const struct gpu_figures *gpu = sm->plan->gpu;
    double cycles = wavefronts(sm, step, op->bytes) / gpu->shared_rate;
    return serve_as(sm, QUEUE_L1, TERM_SHARED, at, cycles) + gpu->shared_latency;
}

// ---- replay_memory.c --------------------------------------------------------------------------------------------

// The memory system's part of any other instruction that is issued at `at`: *done, when its result is there. Returns when the warp
// can go on.
double replay_access(struct sm *sm, const struct resident *warp, const struct trace_step *step,
                     const struct trace_op *op, double at, double *done);

#endif
