// How long a launch would take on a GPU that need not be there, and what limits it: computed from what the simulator
// counted and from the figures of the GPU. Knows no screen, no lab, no worker.
//
//   figures.c      the figures of a GPU, read from assets/gpus
//   machine.c      what each PTX instruction becomes on hardware: how many machine instructions, on which pipe
#ifndef WARPBOOK_MODEL_H
#define WARPBOOK_MODEL_H

#include "engine/model/figures.h"
#include "engine/sim/sim.h"

// ---- machine.c -----------------------------------------------------------------------------------------------

// The units of an SM that instructions wait for besides the one that issues them.
enum pipe { PIPE_NONE, PIPE_FMA, PIPE_INT, PIPE_MUL, PIPE_DOUBLE, PIPE_SPECIAL, PIPE_CONVERT, PIPE_SHUFFLE, PIPE_MEMORY, PIPES };

// What one PTX instruction becomes when an assembler has made machine code of it.
struct machine_code {
    bool known;       // false: there is no figure for it
    float issues;     // machine instructions, 0 where it disappears (a move, a parameter)
    float on[PIPES];  // those of them that each pipe takes
    float latency;    // cycles from its issue until its result can be used, without memory's
    int rank;         // its place in the order in which the assembler would issue its basic block, from 0
};
// Fills in one for each of the module's instructions (`code`, sim_module_instructions). `cubin` is the machine code of the same source, or NULL:
// then a table says it alone.
void machine_code_of(const struct sim_instruction *code, size_t count, const void *cubin, size_t cubin_bytes,
                     const struct gpu_figures *gpu, struct machine_code *out);

#endif
