// One SM of the model: what it replays, and how it runs.
#ifndef WARPBOOK_SM_H
#define WARPBOOK_SM_H

#include "engine/model/model.h"

enum {
    SCHEDULERS = 4,       // of an SM, each with its part of the pipes
    WARP_START_CYCLES = 2 // from the start of a warp to that of the next one of its block
};

// ---- trace.c: what an SM replays ---------------------------------------------------------------------------

struct trace_step {
    const struct trace_op *op;
    uint32_t index;  // of the instruction
    uint32_t touch;  // of its first line among the warp's touches
    uint16_t passes; // as of struct sim_step
    uint16_t waves;
    uint8_t lanes, touches, stored;
    uint16_t sectors; // of its touches, together
    bool idle;        // the warp does nothing between the barriers around it
    bool again;       // the warp has executed the instruction before
    bool jumps;       // not the instruction after it came next
    // In iterations that are issued as one: which set of registers holds the values of its own, and of the iteration before.
    uint8_t own, before;
    bool iterates; // either is not the first set
};
struct trace_warp {
    struct trace_step *steps;
    const uint64_t *touches;
    size_t count;
    double more;   // instructions besides those in `steps`
    uint64_t kind; // of what it executes
    bool alike;    // an earlier warp of its block executes the same
    bool borrows;  // `steps` are those of an earlier warp
};
struct trace_block {
    struct trace_warp *warps;
    size_t warp_count;
    double longest; // instructions of its longest warp, recorded or not
};
enum trace_kind {
    KIND_COUNTS_UP = 1,
    KIND_BARRIER = 2,
    KIND_SWAP = 4,
    KIND_ADDS_FLOATS = 8,
    KIND_HALVES = 16,   // a matrix of which half is loaded when the other half has been multiplied
    KIND_CONSTANT = 32, // a load of constants, with turns where it is by an index
    KIND_ANSWERED = 64  // an atomic whose result is used
};                      // of an instruction
enum { TRACE_NEVER_WRITTEN, TRACE_NEVER_READ, TRACE_REGISTERS, TRACE_FIRST_READS = 3 };
struct trace_op {       // an instruction that was executed, for the GPU that replays it
    unsigned char kind; // enum trace_kind
    enum sim_access access;
    unsigned bytes;
    int base; // added to the numbers of its registers
    // The first of them, with that; where it has fewer, TRACE_NEVER_WRITTEN and TRACE_NEVER_READ, so that no branch depends on
    // how many there are.
    int first_reads[TRACE_FIRST_READS], first_write;
    const int *more_reads, *more_writes; // the others
    uint32_t chain; // the first instruction of its block, or of the one that this is joined to
    const int *reads, *reads_end, *writes, *writes_end;
    uint64_t from_own,
        from_before; // in a loop's only block: a bit for each read that an iteration writes earlier, or later
    double slots, latency;        // of the schedulers; 0: it disappears
    double beyond;                // slots after the first
    double banks[REGISTER_BANKS]; // cycles for which it reads registers of each bank
    double on[2];    // cycles from its last slot until the warp may go on, and where the warp jumps
    double look_ups; // of constants, by an index in a uniform register
    double through;  // cycles of the unit of loads and stores, without what memory takes
    // The first one is there also where it needs none: PIPES, which takes no time, so that most instructions have one.
    struct op_pipe {
        double cycles; // of one of its parts, of which each scheduler has one
        enum pipe pipe;
    } pipes[PIPES];
    const struct op_pipe *pipes_end;
};
struct trace {
    struct trace_block *blocks;
    size_t block_count;
    size_t steps; // of all
    bool partly;  // warps execute more than their steps
    struct trace_sums {
        double load_lines, load_sectors;   // that loads of global memory ask for
        double atomic_lanes, atomic_turns; // of atomics there
    } sums;
    int registers; // numbers that instructions of all functions use, each function its own from TRACE_REGISTERS on
    int sets;      // of registers, of which iterations that are issued as one need several
    struct trace_op *ops; // by instruction; only those of the steps are filled in
    uint64_t *shared;     // a set of the lines that several of the blocks touch; NULL: none, or not asked for
    size_t shared_slots;  // a power of 2
};
// Of so many blocks that are replayed; where they are more than the sample has, copies of those.
bool trace_make(const struct sim_sample *sample, size_t count, const struct model_code *code,
                const struct gpu_figures *gpu, struct trace *out);
void trace_free(struct trace *trace);
bool trace_is_shared(const struct trace *trace, uint64_t line); // several sampled blocks touch it

// ---- lag.c: when others ask for the same line -----------------------------------------------------------------

// Of the wait for a line that another warp has asked for before, the part that is left on average, where a warp takes so many
// steps meanwhile; 1: no two warps load the same line, or there is no memory.
double sample_in_step(const struct sim_sample *sample, const struct model_code *code, double steps);

// ---- replay.c ------------------------------------------------------------------------------------------------

// Times are in cycles. What the memory system does for the whole GPU is shared out: an SM's part of each rate.
struct replay_plan {
    const struct gpu_figures *gpu;
    const struct model_code *code;
    const struct trace *trace;
    unsigned without;
    int resident;        // blocks on the SM at a time
    size_t blocks;       // that it runs
    double l1_bytes;     // left by shared memory
    struct line_cycles { // for a line of which so many sectors are asked for: one, and each further one
        double first, further;
    } l2, store, partial;    // read by this SM; stored; stored in part
    double dram_cycles;      // for a sector fetched
    double scattered_cycles; // for a sector fetched alone
    bool fetches_pairs;      // and for the one beside it, which comes with it
    // DRAM gives sectors in pairs: how many it gives for one that is loaded, or stored.
    double pairs, stored_pairs;
    double dram_latency;    // under the load that there is
    double part_written;    // the same of sectors stored in part: those that are not stored again before
    double written;         // of the sectors stored, the part that goes on to DRAM before the launch ends
    double atomic_cycles;   // for a sector of an atomic request
    double answered_cycles; // the same where the result is used
    double swap_cycles;     // and of compare and swap
    double tries;           // of compare and swap on hardware, for one of the simulator
    double float_cycles;    // for one sector after itself, where floats are added
    double block_cycles;    // for starting a block
    // From the end of a block until one that takes its place begins.
    double turnover_cycles;
    struct dram_part {
        double from_dram; // of the sectors that L2 is asked for, the part that comes from DRAM
        double in_step;   // the part that waits for DRAM because another SM has just asked for it
    } dram;
    // Of each buffer, and at last of what is in none: the same, NULL: `dram` is for all; and what is added to its moved sectors
    // (below), NULL: they are not asked for.
    const struct sim_loaded *buffers;
    size_t buffer_count;
    const struct dram_part *dram_of;
    double *moved_of;
    double kept;      // of the sectors that miss in L1, the part that L1 has had since before the replay
    bool whole_pairs; // what comes from DRAM brings its neighbour to L2
    double constant_missing; // of the lines of constants, the part that the first cache lacks
    double look_up_missing;  // the same of the cache that look-ups go to
    // Every unit takes no time: what is left is latency. Of a block's warps that execute the same, one is replayed.
    bool free_units;
    // By instruction, where not all steps were recorded: executions for each one that was, and executions that were not
    // recorded. NULL: all were.
    const double *stands_for, *missing;
};
struct replay_result {
    double cycles; // until the last block has ended
    double *ends;  // when each block ended, in order; the caller frees
    size_t block_count;
    double lived, ran;    // cycles of all blocks, and the instructions of the longest warp of each
    double busy[TERMS];   // cycles that each unit was busy; 0 where they are free
    double beside_cycles; // of TERM_L2: those for which atomics wait
    double fresh_sectors; // that missed in L1, and were not in this SM's share of L2 either
    double moved_sectors; // that DRAM gives, were it asked for all of these: with what comes beside them
};
bool replay(const struct replay_plan *plan, struct replay_result *out);

#endif
