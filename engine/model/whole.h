// A launch as the model sees it, between the files that go from one SM to the whole.
//
//   plan.c     what an SM's replay needs to know of the launch: rates shared out, DRAM, atomics, how many blocks
//   launch.c   the replays of a launch, and what follows from them for all of its SMs
//   model.c    what is not known, the fullest SM, all launches, the terms, the limiter, the band
#ifndef WARPBOOK_WHOLE_H
#define WARPBOOK_WHOLE_H

#include "engine/model/sm.h"

enum {
    SECTOR = 32,
    FEW_WAVES = 4 // up to so many are counted in whole blocks, not in an average
};

// The longest warp, where few run far longer than all others, by itself.
struct lone {
    double begins; // the part of the other work that is done when it begins
    double cycles, latency_cycles;
    double fresh;           // sectors that all such warps ask L2 for
    double from_dram, kept; // of them, the parts that come from DRAM, and that L1 still has
    double busy[TERMS];
};
struct whole { // a launch as the model sees it
    const struct gpu_figures *gpu;
    const struct model_code *code;
    const struct model_launch *launch;
    const struct sim_sample *sample;
    unsigned without;
    double earlier;      // bytes that launches before it left in L2
    double refetched;    // bytes that are fetched when what comes again is lost
    double ghz;          // cycles in a ns
    double active;       // SMs with work
    double blocks_an_sm; // of the fullest SM, where that matters
    double uneven;       // instructions of a block on average, for one of a replayed block
    struct trace trace;
    struct replay_plan plan;
    struct lone *lone;   // NULL: no warps run far longer than all others
    struct lone place;   // for it
    double others_fresh; // sectors that all but these ask L2 for
    double cycles, latency_cycles;
    double pace;                  // cycles for an instruction of a block's longest warp, of those replayed
    double tail_cycles;           // of `cycles`: those that SMs with equal work would spare
    double busy[TERMS];           // cycles
    double *stands_for, *missing; // of the plan
    double *moved_of;             // and these
    struct dram_part *dram_of;
};

// ---- plan.c ---------------------------------------------------------------------------------------------------

int plan_resident_blocks(const struct whole *whole); // that fit on an SM; 0: none
bool plan_sm(struct whole *whole);                   // False: a block does not fit on an SM.
// What the recorded steps stand for, where not all were recorded: each instruction has the share of the replayed blocks'
// instructions that it has of the launch's.
bool plan_missing(struct whole *whole); // False: no memory.
// Instructions that the first blocks of the sample executed.
double plan_instructions(const struct sim_sample *sample, size_t blocks);
// Sectors of a line that a load asks for, on average.
double plan_sectors_of_line(const struct whole *whole);
// Visits of lines that come while no other block that runs at the same time has asked for the line.
double plan_first_visits(const struct whole *whole);
// Bytes that the launch brings from DRAM.
double plan_dram_read(const struct whole *whole);
// The same with what comes beside them.
double plan_dram_moved(const struct whole *whole);

// ---- launch.c -------------------------------------------------------------------------------------------------

// Replays the launch: its cycles, what latency alone would take, how busy each unit is. False: no memory.
bool launch_replay(struct whole *whole);

#endif
