// A SIMT simulator: PTX in; results, counters, findings and a trace out. A library of its own: it includes
// nothing of the rest of warpbook, prints nothing and never exits.
//
// A kernel's way: lex.c, parse.c (text → ptx.h) → flow.c (where paths meet again) → decode.c (→ machine.h)
// → execute.c (warps in lockstep, with the lanes' work in lanes_*.c and access_*.c) → count.c, finding.c.
#ifndef WARPBOOK_SIM_H
#define WARPBOOK_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- what can go wrong ------------------------------------------------------------------------------

struct sim_fault { // a sentence for a person; `line` counts from 1 in the PTX, 0 when it is about no line
    int line;
    char text[512];
};

// ---- module.c: a PTX text, parsed and decoded ----------------------------------------------------------

struct sim_module;
// Unknown instructions do not stop the reading: they are named when they are reached. `length` bytes, which
// need not be terminated; the text is copied.
bool sim_module_read(const char *ptx, size_t length, struct sim_module **out, struct sim_fault *fault);
void sim_module_free(struct sim_module *module);
size_t sim_kernel_count(const struct sim_module *module);
const char *sim_kernel_name(const struct sim_module *module, size_t index);
// The kernel that CUDA C's NAME became: itself, or its C++ name; -1: none.
int sim_kernel_find(const struct sim_module *module, const char *name);

// ---- memory.c: what kernels can touch -------------------------------------------------------------------

typedef uint64_t sim_address;
struct sim_memory;
enum sim_role { SIM_IN, SIM_OUT, SIM_INOUT, SIM_SCRATCH }; // SIM_OUT and SIM_SCRATCH start uninitialised
struct sim_memory *sim_memory_new(void);
void sim_memory_free(struct sim_memory *memory);
// Gives kernels `bytes` of the caller's memory under a name for findings; element_bytes is for naming
// elements. The address is a multiple of 256. Nothing outside of what was added can be touched.
sim_address sim_memory_add(struct sim_memory *memory, const char *name, void *host, size_t bytes,
                           size_t element_bytes, enum sim_role role);

// ---- run.c: a launch --------------------------------------------------------------------------------------

enum sim_check { SIM_CHECK_NONE, SIM_CHECK_COUNTERS, SIM_CHECK_ALL };
struct sim_options {
    enum sim_check check;
    int threads;                // host threads; 0: one per core. Findings and traces do not depend on it
    uint64_t seed;              // of the order of blocks and warps; 0: as numbered
    uint64_t instruction_limit; // warp instructions; 0: 20 G
    int limit_ms;               // 0: 60 s
};
struct sim_launch {
    int kernel; // as sim_kernel_find gives it
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;        // dynamic
    const void *const *arguments; // one per parameter, in its size
};

// Memory is counted apart by what does it. The order is that of the arrays below.
enum sim_access {
    SIM_GLOBAL_LOAD,
    SIM_GLOBAL_STORE,
    SIM_GLOBAL_RED,
    SIM_GLOBAL_ATOM,
    SIM_SHARED_LOAD,
    SIM_SHARED_STORE,
    SIM_SHARED_ATOM,
    SIM_LOCAL_LOAD,
    SIM_LOCAL_STORE,
    SIM_ACCESSES
};
struct sim_counters {
    uint64_t warp_inst, thread_inst;  // PTX instructions, not SASS
    uint64_t branches, divergent;     // executed by warps; of them those that split a warp
    uint64_t barriers;                // by warps
    uint64_t requests[SIM_ACCESSES];  // warp instructions with at least one active lane
    uint64_t passes[SIM_ACCESSES];    // sectors of 32 bytes in global and local, wavefronts in shared memory
    uint64_t ideal[SIM_ACCESSES];     // the fewest passes that these lanes and widths could need
    uint64_t conflicts[SIM_ACCESSES]; // shared: what ncu calls bank conflicts
};

enum sim_severity { SIM_NOTE, SIM_WARNING, SIM_ERROR };
enum sim_kind {
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_UNINITIALISED,
    SIM_RACE_SHARED,
    SIM_RACE_GLOBAL,
    SIM_BARRIER,      // not every thread reaches it
    SIM_SYNC_MASK,    // names lanes that are not there
    SIM_DOUBLE_WRITE, // two threads leave different values in one element of an output
    SIM_NEVER_WRITTEN,
    SIM_ENDLESS,
    SIM_DEADLOCK,
    SIM_UNKNOWN, // an instruction that the simulator does not know
    SIM_ASSERT,
    SIM_TRAP,
    SIM_OTHER
};
struct sim_place {
    int ptx_line, line, column; // line, column: of the CUDA source; 0 unknown
    uint32_t block[3], thread[3];
    bool known;
};
struct sim_finding {
    enum sim_kind kind;
    enum sim_severity severity;
    struct sim_place here, there; // there: the other side of a race
    char space[8];                // "global", "shared", "local"
    char buffer[64];              // the buffer or variable; "" unknown
    uint64_t address;
    int64_t element; // of the buffer; negative: before its start
    uint64_t count;  // how often, by this cause
    char sentence[400];
};

struct sim_line { // per PTX instruction; `line` is that of the source
    int ptx_line, line;
    struct sim_counters counters;
};
struct sim_result {
    struct sim_counters counters;
    struct sim_line *instructions; // those that were executed, in the order of the PTX
    size_t instruction_count;
    struct sim_finding *findings; // worst first, then by line
    size_t finding_count;
    char *printed; // what the kernel printed; NULL: nothing
    bool complete; // every block ran to its end
    double exec_ms;
    int threads;
};
// False when the launch could not start (bad grid, missing memory); a kernel that misbehaves leaves findings.
bool sim_run(const struct sim_module *module, struct sim_memory *memory, const struct sim_launch *launch,
             const struct sim_options *options, struct sim_result *out, struct sim_fault *fault);
void sim_result_free(struct sim_result *result);
void sim_counters_add(struct sim_counters *to, const struct sim_counters *from);
// The counters by the lines of the source; the caller frees. Returns how many.
size_t sim_result_lines(const struct sim_result *result, struct sim_line **out);
const char *sim_kind_name(enum sim_kind kind); // "out of bounds"

// ---- pattern.c: what a warp's addresses cost, by themselves -------------------------------------------------

// Distinct 32-byte sectors that the lanes in `mask` touch with `bytes` each.
unsigned sim_sectors(const uint64_t address[32], uint32_t mask, unsigned bytes);
unsigned sim_sectors_ideal(uint32_t mask, unsigned bytes);
// Passes of one shared-memory load or store: 32 banks of 4 bytes; 8-byte accesses are judged in halves of the
// warp, 16-byte ones in quarters, merged where neighbours read the same.
unsigned sim_wavefronts(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store);
unsigned sim_wavefronts_ideal(uint32_t mask, unsigned bytes);

#endif
