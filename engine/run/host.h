// Host programs: whole CUDA programs with a `main`, compiled by nvcc and run, and the time line that they print.
//
// Such a program is as little trusted as a kernel. nvcc may start the compilers that belong to it, and write into a
// folder of its own; the program has an open GPU, and neither the network nor other processes nor a file to write to.
// Compiler and program run on this machine, whatever WARPBOOK_WORKER says.
//
// Its memory is watched from here, and it is ended when it has taken too much. A limit of addresses would not do, as
// CUDA reserves terabytes of them, nor one of data: what cudaMallocHost takes is none. So both its own memory and what is
// left in the machine are looked at.
#ifndef WARPBOOK_HOST_H
#define WARPBOOK_HOST_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"

// ---- the time line: lines "timeline: ..." of what a program prints, as assets/programs/streams/streams.h does --------

enum { TIMELINE_SPANS = 1024, TIMELINE_STREAMS = 16 };
struct time_span {
    int stream;      // -1: the default stream
    char what[16];   // "copy in", "kernel", ...; "": the CPU was in a call of CUDA
    double from, to; // ms since the beginning
};
struct timeline {
    char gpu[80];
    char date[16];   // "2026-11-23": recorded then; "": just now
    double total_ms; // NAN: not said
    char wrong[160]; // what is wrong with the result; "": nothing
    bool right;      // it was checked
    struct time_span *spans;
    size_t count;
    struct text said; // what else it printed, cleaned
};
// Reads what a program printed. What makes no sense is left out.
void timeline_read(const char *printed, struct timeline *out);
void timeline_free(struct timeline *timeline);

// ---- programs ----------------------------------------------------------------------------------------------------

// A step of a lab of host programs, or a file of one's own.
struct host_program {
    const char *lab; // NULL: none
    char *name;      // "3-streams", or the file's path
    char *title, *why;
    char *source;  // as it is written; NULL of a file
    char *text;    // with what it includes of the lab, and without its //@ lines: it stands alone
    char code[20]; // a hash of the text; "" of a file
    bool shipped;  // else it is a copy of one's own in the place of what ships, or a file
    char *path;    // where it was read
};
struct host_programs {
    struct host_program *list;
    size_t count;
    const char *lab;
};
// Reads the lab's programs in the order of their steps, with the learner's own copies. `lab` has to live as long as they do.
bool host_programs_read(const char *lab, struct host_programs *out, struct error *error);
void host_programs_free(struct host_programs *programs);
// Finds a program by its name, number or word: "3-streams", "3", "streams"; NULL: there is none, and the error says so.
const struct host_program *host_program_find(const struct host_programs *programs, const char *name,
                                             struct error *error);
struct host_terms {
    int64_t memory_bytes; // of the machine, which it may take; 0: as a simulation may
    void (*begins)(const struct host_program *program); // called before it is compiled
    const atomic_bool *stop;                            // ends it soon; NULL: nothing does
};
bool host_nvcc(char *out, size_t size); // the path of nvcc; false: there is none
// Runs nvcc as `argv` says, in a folder that it may write into, confined like all that it starts. `go_on` (NULL: nothing) is
// asked many times a second. False: it could not, or it found something; the error's second line begins what it said.
bool host_build(const char *folder, const char *const *argv, bool (*go_on)(pid_t nvcc, void *context),
                void *context, const atomic_bool *stop, struct error *error);
bool host_ready(struct error *error); // whether there is a GPU, and a compiler for host programs
// Whether it is worth compiling without a GPU: what somebody changed may be wrong, and nvcc is there to say so.
bool host_compiles(const struct host_program *program);
bool host_recorded(const struct host_program *program, struct timeline *out); // false: nothing is
// Compiles and runs it; where that is not possible, what was recorded of a step as it ships: that has a date, and the
// error says why. False: what the compiler or the program said, or why there is nothing. Where only the GPU is missing, one's
// own program is compiled, and EXIT_MISSING says that it does compile.
bool host_obtain(const struct host_program *program, const struct host_terms *terms, struct timeline *out,
                 struct error *error);

// A run, as the workbook keeps it among those of kernels.
json_t *host_event(const struct host_program *program, const struct timeline *timeline);

// ---- host_child.c --------------------------------------------------------------------------------------------------

int host_child_main(const char *library); // worker --program

#endif
