// Whole programs in the simulator: a program, or one that is compiled first, runs with a CUDA runtime of our own
// (engine/exec), and what it launched and did wrong is read afterwards. It is the user's program with the user's rights.
#ifndef WARPBOOK_RUN_EXEC_H
#define WARPBOOK_RUN_EXEC_H

#include <stdatomic.h>

#include "engine/run/modelled.h"

struct exec_wish {
    const char *program;    // a path, a name on $PATH, or FILE.cu
    char *const *arguments; // of the program, up to a NULL
    char *const *flags;     // for the compiler, up to a NULL; NULL: none
    const char *settings;   // what the runtime is told ("check=all,seed=3"): engine/exec/exec.h
    const char *gpu;        // whose times are modelled, "h100"; NULL: those of the usual one
    // Where the first launch that would be counted is kept, for a stepper; the program ends there. NULL: it runs to its end.
    const char *keep;
    // NULL: the program has the terminal while it runs. Else it reads nothing, and this hears what it prints, as it comes.
    void (*hears)(const char *bytes, size_t count, void *context);
    void *context;
    const atomic_bool *stop; // with `hears`: the program is killed soon after this becomes true; may be NULL
};
struct exec_row { // launches of one kernel with one grid and one block
    char *kernel; // as in the source
    uint32_t grid[3], block[3];
    uint64_t *numbers; // of each of them in the program, from 1
    uint64_t launches, counted, incomplete, findings;
    struct sim_counters counters; // of those that were counted
    bool reads_clock;             // the first of them that was modelled did
    double ms;                    // that the simulation took
    struct modelled modelled;     // one launch; without `name`: it was not modelled
};
struct exec_finding { // launches or calls with one cause
    char *severity, *kind, *sentence;
    char *kernel;  // NULL: it is the host's
    char *file;    // "": not known
    char *missing; // the function that is not there; NULL: it is another finding
    char *shared;  // the array in shared memory that it is about; "" or NULL: none
    int line;      // 0: not known
    uint64_t count, launch;
};
struct exec_outcome {
    int status;   // as from waitpid
    bool stopped; // by `stop`; `status` means nothing then
    struct exec_row *rows;
    size_t row_count;
    struct exec_finding *findings; // in the order in which they came
    size_t finding_count;
    uint64_t launches;
    uint64_t timed,
        timed_copies; // times that it took between events around launches alone; around copies too
    uint64_t spoilt;  // copies to the host
    char *last;       // the kernel that was launched last; NULL: none
    char *note;       // about what the program needs; NULL: nothing
    char *gpu;        // whose times were modelled, "NVIDIA H100 80GB HBM3"; NULL: none were
};
// Compiles it if it is a source, runs it, and reads what happened. False: it did not start, and the error says why.
bool exec_run(const struct exec_wish *wish, struct exec_outcome *out, struct error *error);
void exec_outcome_free(struct exec_outcome *outcome);

// A program of a lesson's task. It is as little trusted as a kernel: nvcc and the program are confined, with a folder of
// their own, and what the program prints is kept.
struct exec_task;
struct exec_bounds {
    int limit_ms; // of each run
    // Asked many times a second with what is being done, "compiling" or "running"; false ends it.
    bool (*go_on)(void *context, const char *stage);
    void *context;
};
// `name` is what the file is called, "mine.cu". NULL: EXIT_MISSING where there is no nvcc or it was ended, else what nvcc said.
struct exec_task *exec_task_new(const char *name, const char *text, const struct exec_bounds *bounds,
                                struct error *error);
// False: it did not come to its end, as the error says: EXIT_WRONG where it takes too long, with what happened so far.
bool exec_task_run(struct exec_task *task, const char *argument, const char *settings,
                   struct exec_outcome *out, struct text *printed, struct error *error);
void exec_task_free(struct exec_task *task);
// Whether one of these words, with commas between them, is in its kind ("race", "bounds"), its severity, or "any".
bool exec_finding_is(const struct exec_finding *finding, const char *kinds);

#endif
