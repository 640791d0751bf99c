// Whole programs in the simulator: a program, or one that is compiled first, runs with a CUDA runtime of our own
// (engine/exec), and what it launched and did wrong is read afterwards. It is the user's program with the user's rights,
// and has the terminal while it runs.
#ifndef WARPBOOK_RUN_EXEC_H
#define WARPBOOK_RUN_EXEC_H

#include "engine/base/base.h"
#include "engine/sim/sim.h"

struct exec_wish {
    const char *program;    // a path, a name on $PATH, or FILE.cu
    char *const *arguments; // of the program, up to a NULL
    char *const *flags;     // for the compiler, up to a NULL; NULL: none
    const char *settings;   // what the runtime is told ("check=all,seed=3"): engine/exec/exec.h
};
struct exec_row { // launches of one kernel with one grid and one block
    char *kernel; // as in the source
    uint32_t grid[3], block[3];
    uint64_t launches, counted, incomplete, findings;
    struct sim_counters counters; // of those that were counted
    double ms;                    // that the simulation took
};
struct exec_finding { // launches or calls with one cause
    char *severity, *kind, *sentence;
    char *kernel;  // NULL: it is the host's
    char *file;    // "": not known
    char *missing; // the function that is not there; NULL: it is another finding
    int line;      // 0: not known
    uint64_t count, launch;
};
struct exec_outcome {
    int status; // as from waitpid
    struct exec_row *rows;
    size_t row_count;
    struct exec_finding *findings; // in the order in which they came
    size_t finding_count;
    uint64_t launches;
    char *last; // the kernel that was launched last; NULL: none
    char *note; // about the program, when it failed; NULL: nothing
};
// Compiles it if it is a source, runs it, and reads what happened. False: it did not start, and the error says why.
bool exec_run(const struct exec_wish *wish, struct exec_outcome *out, struct error *error);
void exec_outcome_free(struct exec_outcome *outcome);
// Whether one of its findings has this word in its kind ("race", "bounds") or is its severity; "any": there is one.
bool exec_fails_on(const struct exec_outcome *outcome, const char *kind);

#endif
