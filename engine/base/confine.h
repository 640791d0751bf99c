// Confinement: the rights that a process gives up before it meets an untrusted kernel. Four parts, each as far as
// the machine's Linux has it: no new privileges, resource limits, Landlock for files, seccomp for system calls.
//
// A confinement is prepared first, while files can be opened and memory can be had, and applied later, in this
// process or in a child between vfork and exec. It can't be taken back, and children inherit it.
#ifndef WARPBOOK_CONFINE_H
#define WARPBOOK_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- confine.c: the whole of it -----------------------------------------------------------------------------

enum confine_calls { // which system calls are left
    CALLS_SCRIPT,    // a tool that may be a script, and starts others: no sockets, no file is changed
    CALLS_TOOL,      // a tool, such as a compiler: the same, and no other process
    CALLS_DRIVER,    // this program with the GPU's driver open: no sockets, no other process
    CALLS_COMPUTE // this program with nothing but memory, threads, clocks and the descriptors that are open
};
enum { CONFINE_PATHS = 48 };
struct confine_plan {
    enum confine_calls calls;
    // Files, and folders with all below them, that may be read; those that may be changed too. Paths that are not
    // there are left out. Everything else is refused, but only where `files` is set.
    bool files;
    bool libraries; // read, where the loader looks for shared ones
    const char *read[CONFINE_PATHS], *change[CONFINE_PATHS];
    size_t read_count, change_count;
    // The one program that is started, once, and none after it (but by CALLS_SCRIPT); NULL: none.
    const char *program;
    bool own;              // it is this program that goes on, or is started again
    uint64_t memory_bytes; // of addresses; 0: not limited
    int cpu_seconds;       // 0: not limited
};
void confine_read(struct confine_plan *plan,
                  const char *path); // adds a path, which must live on; NULL, "" add none
void confine_change(struct confine_plan *plan, const char *path);

struct confinement;
struct confinement *confinement_new(const struct confine_plan *plan); // never NULL
void confinement_free(struct confinement *confinement);
// The program's path, at the only address that execve may be called with; NULL: the plan has none.
const char *confinement_program(const struct confinement *confinement);
// Makes system calls only, so that a child may call it between vfork and exec. Parts that this Linux does not have
// are left out; false when one that it has was refused.
bool confinement_apply(const struct confinement *confinement);

// Our environment without what only other programs need, which may hold secrets, and with `more`, NULL at its end. The
// caller frees the array alone.
const char **confine_environment(const char *const *more);

// Closes all descriptors that this process may have inherited, but stdin, stdout and stderr.
void confine_descriptors(void);

// ---- the parts that this machine has, for doctor ------------------------------------------------------------

struct confine_state {
    int landlock; // its version, 0: not here
    bool seccomp;
    // A sanitizer or profiler needs the rights that a confinement takes; only core files and time are given up:
    bool sanitizer; // one that this program was built with
    bool profiler;  // Nsight or compute-sanitizer, which look into this program and all that it starts
};
struct confine_state confine_state(void);

// ---- confine_filter.c: system calls -------------------------------------------------------------------------

// `landlock` looks after files, as far as it can. `program`: the address that execve may be called with; 0: none.
struct sock_filter;
enum { FILTER_MOST = 512 };
unsigned short confine_filter(enum confine_calls calls, bool landlock, uint64_t program,
                              struct sock_filter *out);

#endif
