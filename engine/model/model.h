// How long a launch would take on a GPU that need not be there, and what limits it: computed from what the simulator
// counted and from the figures of the GPU. Knows no screen, no lab, no worker.
//
//   figures.c      the figures of a GPU, read from assets/gpus
//   machine.c      what each PTX instruction becomes on hardware: how many machine instructions, on which pipe, in which
//                  order (assembler.h)
//   trace.c        the sampled warps, in the order in which an assembler would issue their instructions
//   cache.h        the L1 of an SM, and its share of the L2
//   replay.c       one SM runs the sampled warps: issue, pipes, latencies, barriers, queues of the memory system (replay.h)
//   model.c        from one SM to the whole launch (whole.h); the terms, the limiter, the band
#ifndef WARPBOOK_MODEL_H
#define WARPBOOK_MODEL_H

#include "engine/model/figures.h"
#include "engine/sim/sim.h"

// ---- machine.c -----------------------------------------------------------------------------------------------

// The units of an SM that instructions wait for besides the one that issues them.
enum pipe {
    PIPE_NONE,
    PIPE_FMA,
    PIPE_INT,
    PIPE_MUL,
    PIPE_DOUBLE,
    PIPE_SPECIAL,
    PIPE_CONVERT,
    PIPE_SHUFFLE,
    PIPE_MEMORY,
    PIPE_TENSOR, // in 32 products of halves, which is what a lane does elsewhere
    PIPES
};

enum { UNROLLED_PLACES = 16 };

enum { REGISTER_BANKS = 2 }; // of a scheduler: registers with even and with odd numbers
// What one PTX instruction becomes when an assembler has made machine code of it: each execution of it stands for
// `issues` executed machine instructions.
struct machine_code {
    bool known;                  // false: there is no figure for it
    float issues;                // machine instructions; 0 where it disappears (a move, a parameter)
    float on[PIPES];             // those of them that each pipe takes
    float reads[REGISTER_BANKS]; // cycles for which each bank gives them registers; 0 without machine code
    float held;                  // cycles that they hold the scheduler, besides one for each
    float latency;               // cycles from its issue until its result can be used, without memory's
    bool answered;               // of an atomic: its result is used
    float look_ups;              // of constants, by an index in a uniform register
    float stall; // cycles from its issue until the warp may go on, by the machine code; 0: not known
    int rank;    // its place in the order in which the assembler would issue its basic block, from 0
    // Of the first instruction of a block: the assembler made one block of it and the one before, with a predicate in
    // place of the branch, and ordered both as one.
    bool joined;
    // Of the first instruction of a loop's only block: so many iterations are issued as one, by the places of their
    // instructions, and where those are not known (`placed`) first those of one rank of all of them, then those of the
    // next. 0: they follow each other.
    int unrolled;
    bool placed;
    short place[UNROLLED_PLACES]; // in each of these iterations; -1: it is not in the machine code
};
enum machine_source { MACHINE_NO_MEMORY, MACHINE_TABLE, MACHINE_CUBIN };
// Fills in one for each of the module's instructions (`code`, sim_module_instructions), and says by what.
// `executions`: how often each was executed, by which what is executed more or less often than it was written is
// shared out; NULL: not known. `cubin` is the machine code of the same source, or NULL; where it cannot be read or is
// that of other code, a table says it alone.
enum machine_source machine_code_of(const struct sim_instruction *code, size_t count,
                                    const uint64_t *executions, const void *cubin, size_t cubin_bytes,
                                    const struct gpu_figures *gpu, struct machine_code *out);

// ---- model.c -------------------------------------------------------------------------------------------------

// What a launch can be limited by, and what it takes longer because SMs are not equally full.
enum model_term {
    TERM_ISSUE,    // issuing instructions
    TERM_PIPE,     // the busiest arithmetic pipe
    TERM_SHARED,   // wavefronts of shared memory
    TERM_L1,       // sectors and lines of L1, which is served together with shared memory
    TERM_CONSTANT, // different addresses in loads of constants, which take turns
    TERM_L2,       // sectors between L1 and L2
    TERM_DRAM,     // bytes between L2 and DRAM
    TERM_ATOMICS,  // atomics in L2
    TERM_START,    // starting warps and blocks
    TERM_LATENCY,  // waiting for results with nothing else to do
    TERM_TAIL,     // the fullest SM and the longest block, for other SMs have no work left; never the limiter
    TERMS
};
const char *model_term_name(enum model_term term);                     // "shared memory"
double model_pipe_rate(const struct gpu_figures *gpu, enum pipe pipe); // lanes in a cycle, of an SM

struct model_launch { // a launch that was simulated, with a sample
    const struct sim_result *result;
    uint64_t blocks;   // of the grid
    int block_threads; // of each
    int registers;     // of each thread; -1: not known
    int shared_bytes;  // of each block
};
struct model_code { // of the module that all of its launches run
    const struct sim_instruction *code;
    const struct machine_code *machine;
    size_t count;
    // By what few warps execute that run far longer than all others; NULL: not known apart.
    const struct machine_code *machine_of_long;
};
// A cost that is taken away, to see what that would gain.
enum model_without {
    WITHOUT_CONFLICTS = 1,  // bank conflicts
    WITHOUT_SECTORS = 2,    // sectors beyond the fewest
    WITHOUT_COLLISIONS = 4, // atomics that wait for each other
    WITHOUT_DIVERGENCE = 8, // instructions of warps that are not full
    WITHOUT_LIMITS = 16,    // low occupancy: as many blocks on an SM as threads allow
    // Waiting at barriers, and what a warp executes between two of them without accessing memory: it only keeps pace.
    WITHOUT_BARRIERS = 32,
    WITHOUT_ADDRESSES = 64, // different addresses in loads of constants
    WITHOUT_LAST = WITHOUT_ADDRESSES
};
struct model_time {
    bool known;
    char why[256]; // not known: the reason, a sentence
    double ms, low_ms, high_ms;
    double term_ms[TERMS]; // how long each would take alone
    enum model_term limiter;
    double fixed_ms; // of ms: starting the launches, which no kernel avoids
};
// The launches run one after the other. `without`: bits of enum model_without. False: no memory.
bool model_time(const struct gpu_figures *gpu, const struct model_code *code,
                const struct model_launch *launches, size_t count, unsigned without, struct model_time *out);

#endif
