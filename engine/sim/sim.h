// A SIMT simulator: PTX in; results, counters, findings and a trace out. A library of its own: it includes
// nothing of the rest of warpbook, prints nothing and never exits.
//
// A kernel's way: lex.c, parse.c (text → ptx.h) → flow.c (where paths meet again) → decode.c (→ machine.h)
// → execute.c (warps in lockstep, with the lanes' work in lanes_*.c and access_*.c) → count.c, finding.c.
#ifndef WARPBOOK_SIM_H
#define WARPBOOK_SIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- what can go wrong ------------------------------------------------------------------------------

struct sim_fault { // a sentence for a person; `line` counts from 1 in the PTX, 0 when it is about no line
    int line;
    bool no_kernel; // of a PTX text in which nothing else is wrong
    char text[512];
};

// ---- module.c: a PTX text, parsed and decoded ----------------------------------------------------------

struct sim_module;
// Unknown instructions do not stop the reading: they are named when they are reached. `length` bytes, which
// need not be terminated; the text is copied.
bool sim_module_read(const char *ptx, size_t length, struct sim_module **out, struct sim_fault *fault);
void sim_module_free(struct sim_module *module);
size_t sim_module_bytes(const struct sim_module *module); // of memory that it takes

// ---- kernels.c: the kernels of a PTX text, and what they take ------------------------------------------

struct sim_parameter {
    size_t offset, bytes; // among all that a launch gives; as cuFuncGetParamInfo counts
    bool real;            // one .f32 or .f64
    bool structure;       // bytes that no single type covers: a struct, and so are CUDA's half and float2
};
struct sim_kernel {
    const char *name; // in the PTX: what cuModuleGetFunction takes
    const struct sim_parameter *parameters;
    size_t parameter_count;
};
struct sim_kernels { // numbered in the order of the text
    const struct sim_kernel *all;
    size_t count;
    void *owner; // of all that they point to; NULL: a module
};
// Only this of a text, as sim_module_read takes it.
bool sim_kernels_read(const char *ptx, size_t length, struct sim_kernels *out, struct sim_fault *fault);
void sim_kernels_free(struct sim_kernels *kernels);
const struct sim_kernels *sim_module_kernels(const struct sim_module *module);
int sim_kernel_find(const struct sim_module *module, const char *name); // its number; -1: none

// ---- memory.c, loaded.c: what kernels can touch --------------------------------------------------------

typedef uint64_t sim_address;
struct sim_memory;
enum sim_role { SIM_IN, SIM_OUT, SIM_INOUT, SIM_SCRATCH }; // SIM_OUT and SIM_SCRATCH start uninitialised
struct sim_memory *sim_memory_new(void);
void sim_memory_free(struct sim_memory *memory);
// Gives kernels `bytes` of the caller's memory under a name for findings; element_bytes is for naming
// elements. The address is a multiple of 256. Nothing outside of what was added can be touched. 0: it is too large, or
// there is no memory.
#define SIM_BUFFER_LIMIT (1ull << 36) // bytes; every buffer is smaller
sim_address sim_memory_add(struct sim_memory *memory, const char *name, void *host, size_t bytes,
                           size_t element_bytes, enum sim_role role);
// Takes away what was added; its address is never given out again, so that a later use of it is found.
void sim_memory_remove(struct sim_memory *memory, sim_address address);
// A module's variables keep what kernels wrote there, from launch to launch. This forgets them: they start anew with
// the next launch. Needed before sim_module_free when the memory lives on.
void sim_memory_unload(struct sim_memory *memory, const struct sim_module *module);

// ---- run.c: a launch --------------------------------------------------------------------------------------

enum sim_check { SIM_CHECK_NONE, SIM_CHECK_COUNTERS, SIM_CHECK_ALL };
struct sim_options {
    enum sim_check check;
    // Host threads; 0: one per core. Every check takes one, and so do atomics that show in which order they come.
    int threads;
    uint64_t seed;              // of the order of blocks and warps; 0: as numbered
    uint64_t instruction_limit; // warp instructions; 0: 20 G
    int limit_ms;               // 0: 60 s
    // Bytes that the launch may take, together with what the memory keeps of launches before it, apart from the buffers
    // and the module. 0: what the system gives.
    size_t memory_limit;
};
struct sim_argument {
    const void *at;
    size_t bytes;
};
struct sim_launch {
    int kernel; // its number among the module's
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;                // dynamic
    const struct sim_argument *arguments; // as many as the kernel has parameters, each in its size
    size_t argument_count;
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
    uint64_t warp_inst, thread_inst; // PTX instructions, not SASS
    uint64_t branches, divergent;    // executed by warps; of them those that split a warp
    uint64_t barriers;               // by warps
    uint64_t requests[SIM_ACCESSES]; // warp instructions with at least one active lane
    uint64_t passes[SIM_ACCESSES];   // sectors of 32 bytes in global and local, wavefronts in shared memory
    uint64_t ideal[SIM_ACCESSES];    // the fewest passes that these lanes and widths could need
    // Shared: what ncu calls bank conflicts. Global: sectors taken again as lanes of an atomic name one address,
    // so that passes - conflicts are the sectors by address alone.
    uint64_t conflicts[SIM_ACCESSES];
    // Of whole launches, 0 for a part of one: instructions of the warp that ran the most, and of each warp if all had
    // run as many. Launches that come one after the other add up.
    uint64_t longest, even;
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
    SIM_OTHER // it was stopped for another reason
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
    int index;    // of the instruction in its module, so that those of several launches can be added up
    int ptx_line, line;
    const char *text; // the PTX; the module's
    struct sim_counters counters;
};
struct sim_result {
    struct sim_counters counters;
    struct sim_line *instructions; // those that were executed, in the order of the PTX
    size_t instruction_count;
    struct sim_finding *findings; // worst first, then by line
    size_t finding_count;
    // What the kernel printed, as a GPU would print it; NULL: nothing. And the same in lines for people, which begin
    // with whose they are: "thread 3 of block 1: ", "threads 0 to 31 of block 0: " when they say the same.
    char *printed, *printed_lines;
    bool complete; // every block ran to its end
    double exec_ms;
    int threads;
};
// False when the launch could not start (bad grid, arguments that are not what the kernel takes, missing memory); a
// kernel that misbehaves leaves findings.
bool sim_run(const struct sim_module *module, struct sim_memory *memory, const struct sim_launch *launch,
             const struct sim_options *options, struct sim_result *out, struct sim_fault *fault);

// ---- check_output.c, result.c, count.c, finding.c: what it left ------------------------------------------

// After the last launch of a sequence that ran with every check: one finding per SIM_OUT buffer with elements that
// no thread wrote. The caller frees; returns how many.
size_t sim_memory_never_written(const struct sim_memory *memory, struct sim_finding **out);
void sim_result_free(struct sim_result *result);
void sim_counters_add(struct sim_counters *to, const struct sim_counters *from);
// The counters by the lines of the source; the caller frees. Returns how many.
size_t sim_result_lines(const struct sim_result *result, struct sim_line **out);
const char *sim_kind_name(enum sim_kind kind); // "out of bounds"
// One cause in several launches is one finding: counts in `known` what a later launch found again, and moves the
// others to the front of `later`. Returns how many those are.
size_t sim_findings_again(struct sim_finding *known, size_t known_count, struct sim_finding *later,
                          size_t later_count);

// ---- trace.c: a launch, one instruction after the other ---------------------------------------------------

// Runs on one host thread in the order of the seed, with every check unless the options want less. What it shows is
// the current warp: the one that runs next. Going back starts from the nearest of the states that it keeps, or over,
// and stops one step earlier; so the buffers are copied when it opens, and what changes of them now and then. The
// module, the memory and the launch with its arguments must stay until it closes.
struct sim_trace;
bool sim_trace_open(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_trace **out, struct sim_fault *fault);
void sim_trace_close(struct sim_trace *trace); // the buffers keep what the steps so far made of them

// ---- trace_move.c: where to ------------------------------------------------------------------------------

// Moves say where they ended: there, or why not.
enum { SIM_TRACE_MOST = 5000000 }; // steps from the start; a trace goes no further
enum sim_arrival {
    SIM_THERE,
    SIM_AT_START,
    SIM_AT_END,
    SIM_TOO_FAR,
    SIM_NO_SUCH_WARP,
    SIM_NO_MEMORY,
    SIM_STOPPED
};
// A move ends soon after *stop becomes true; NULL: none does. It is left wherever it is then.
void sim_trace_stop_when(struct sim_trace *trace, const atomic_bool *stop);
enum sim_arrival sim_trace_forward(struct sim_trace *trace, uint64_t steps);
enum sim_arrival sim_trace_back(struct sim_trace *trace, uint64_t steps);
enum sim_arrival sim_trace_line(struct sim_trace *trace); // until this warp is at another line of the source
// To where this warp came to its line; when it has just come there, to where it came to the one before.
enum sim_arrival sim_trace_line_back(struct sim_trace *trace);
enum sim_arrival sim_trace_barrier(struct sim_trace *trace); // until the next instruction is a barrier
// Until an access has needed more passes than its lanes and widths could; sim_trace_touched is about it then.
enum sim_arrival sim_trace_conflict(struct sim_trace *trace);
enum sim_arrival sim_trace_finding(struct sim_trace *trace); // until something new is found
// Until this warp of this block (linear numbers) runs next; from the start when that is over.
enum sim_arrival sim_trace_goto(struct sim_trace *trace, uint64_t block, uint32_t warp);
enum sim_arrival sim_trace_end(struct sim_trace *trace);

// ---- trace_view.c, trace_access.c: what there is to see --------------------------------------------------

struct sim_spot {  // the current warp and its next instruction
    uint64_t step; // instructions that were run so far, by all warps
    bool ended;    // nobody runs any more; the rest is empty
    bool stopped;  // it ended before every block ran to its end
    uint64_t block_number, blocks;
    uint32_t block[3], warp, warps;
    const char *function, *text; // the PTX of the instruction
    int ptx_line, line, column;
    // Lanes that exist in this warp, that have not ended, that are on this path, that the guard lets through.
    uint32_t exists, live, mask, active;
};
void sim_trace_where(const struct sim_trace *trace, struct sim_spot *out);
void sim_trace_thread(const struct sim_trace *trace, int lane, uint32_t out[3]); // its index in the block

enum sim_number { SIM_UNSIGNED, SIM_SIGNED, SIM_FLOAT, SIM_BOOL };
struct sim_register {
    const char *name;
    unsigned bytes;     // 1, 2, 4, 8, 16
    enum sim_number is; // as the instructions that use it see it
    bool read, written; // by the next instruction
    uint64_t value[32]; // bits by lane
};
// Of the function that the current warp runs. `name` with or without its %; false: there is none.
bool sim_trace_register(const struct sim_trace *trace, const char *name, struct sim_register *out);
// Those that the next instruction reads or writes; returns how many there are, of which `room` are filled in.
size_t sim_trace_registers(const struct sim_trace *trace, struct sim_register *out, size_t room);
// The name of the index-th register of the function; NULL behind the last.
const char *sim_trace_register_name(const struct sim_trace *trace, size_t index);

enum { SIM_PARTS = 8 };
struct sim_touched { // a memory instruction that was run
    uint64_t step;
    uint32_t block[3], warp;
    const char *text;
    int ptx_line, line;
    enum sim_access access;
    unsigned bytes, parts; // of one lane; values per lane
    uint32_t lanes;
    uint64_t requests, passes, ideal, conflicts; // as in struct sim_counters, of this one execution
    bool brings;                                 // values are what it read; else what it wrote
    struct sim_touched_lane {
        const char *space; // "global", "shared", "local"
        char buffer[64];   // "" when it is nobody's
        int64_t element;
        uint64_t address; // in shared and local memory the offset
        uint64_t sector;  // of 32 bytes, counted from the buffer's start; global
        unsigned bank;    // of the first word; shared
        uint64_t value[SIM_PARTS];
    } lane[32];
};
bool sim_trace_touched(const struct sim_trace *trace, struct sim_touched *out); // false: none yet

// Words of the current block's shared memory; returns how many of `count` there are behind `from`.
size_t sim_trace_shared(const struct sim_trace *trace, size_t from, size_t count, uint32_t *out);
size_t sim_trace_shared_bytes(const struct sim_trace *trace);

struct sim_path { // top first: the path that runs
    uint32_t mask;
    int ptx_line, line, meets_ptx_line; // where it goes on; where it meets its sisters, 0: at the end
    const char *function, *text;
    bool called, waits; // the bottom path of a call; waits for lanes at a *.sync
};
size_t sim_trace_stack(const struct sim_trace *trace, struct sim_path *out, size_t room);

enum sim_waiting { SIM_RUNS, SIM_READY, SIM_WAITS, SIM_ENDED };
struct sim_warp {
    enum sim_waiting state;
    int barrier; // SIM_WAITS: its number
    int ptx_line, line;
    uint32_t live;
};
size_t sim_trace_warps(const struct sim_trace *trace, struct sim_warp out[32]);
size_t sim_trace_findings(const struct sim_trace *trace, struct sim_finding **out); // the caller frees
bool sim_trace_latest(const struct sim_trace *trace, struct sim_finding *out);
// By the kernel so far, as printed_lines; the caller frees; NULL: nothing.
char *sim_trace_printed(const struct sim_trace *trace);

// ---- pattern.c: what a warp's addresses cost, by themselves -------------------------------------------------

// Distinct 32-byte sectors that the lanes in `mask` touch with `bytes` each, and the fewest that as many
// different addresses could need.
unsigned sim_sectors(const uint64_t address[32], uint32_t mask, unsigned bytes);
unsigned sim_sectors_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes);
// Passes of one shared-memory load or store: 32 banks of 4 bytes; 8-byte accesses are judged in halves of the
// warp, 16-byte ones in quarters, merged where neighbours read the same. Ideal: the same without conflicts.
unsigned sim_wavefronts(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store);
unsigned sim_wavefronts_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store);

#endif
