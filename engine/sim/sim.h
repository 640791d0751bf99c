// A SIMT simulator: PTX in; results, counters, findings and a trace out. It is a library of its own, and this header is
// all of its interface: it includes nothing of the rest of warpbook, prints nothing and never exits.
//
// Its floors, each of which calls only those before it:
//   ptx/       text to syntax trees: lexer, parser
//   machine/   the state: decoded instructions, warps, blocks, memory, the budget
//   sanitize/  shadow memory, races, uninitialised values; findings and their sentences
//   decode/    operands to register rows, names, uniformity
//   lanes/     arithmetic on the 32 lanes of a warp
//   access/    loads, stores and atomics: lane addresses, and what an access costs
//   module/    a module: variables, functions, control flow, liveness; the variables of the source
//   schedule/  launches, blocks, warps, SIMT stacks, barriers, printf
//   trace/     stepping, forward and back
#ifndef WARPBOOK_SIM_H
#define WARPBOOK_SIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- faults -----------------------------------------------------------------------------------------

struct sim_fault { // a sentence for a person; `line` counts from 1 in the PTX, 0: none applies
    int line;
    bool no_kernel; // the PTX is valid but contains no kernel
    char text[512];
    int code; // CUDA's number of an error that has one of its own; 0: none
};
enum { SIM_COOPERATIVE_TOO_LARGE = 720, SIM_INVALID_CLUSTER = 912 };

// ---- a PTX text, parsed and decoded ----------------------------------------------------------

struct sim_module;
// Reads `length` bytes, which need not be terminated, and copies them. An unknown instruction is no error; it is reported
// when a warp reaches it.
bool sim_module_read(const char *ptx, size_t length, struct sim_module **out, struct sim_fault *fault);
// sim_module_read for a module that may take at most memory_limit bytes, as sim_module_bytes counts them; 0: no limit but the reader's
// own, which grows with the text.
bool sim_module_read_within(const char *ptx, size_t length, size_t memory_limit, struct sim_module **out,
                            struct sim_fault *fault);
void sim_module_free(struct sim_module *module);
size_t sim_module_bytes(const struct sim_module *module); // memory that it takes

// ---- the kernels of a PTX text, and their parameters ------------------------------------------

struct sim_parameter {
    size_t offset, bytes; // in the block of parameters, as cuFuncGetParamInfo gives them
    bool real;            // one .f32 or .f64
    bool structure;       // bytes that are not one scalar: a struct, which CUDA's half and float2 are too
};
struct sim_kernel {
    const char *name; // its name in PTX, which cuModuleGetFunction takes
    const struct sim_parameter *parameters;
    size_t parameter_count;
};
struct sim_kernels { // numbered in the order of the text
    const struct sim_kernel *all;
    size_t count;
    void *owner; // owns what they point to; NULL: a module does
};
// Reads only the kernels of a text; arguments as of sim_module_read.
bool sim_kernels_read(const char *ptx, size_t length, struct sim_kernels *out, struct sim_fault *fault);
void sim_kernels_free(struct sim_kernels *kernels);
const struct sim_kernels *sim_module_kernels(const struct sim_module *module);
int sim_kernel_find(const struct sim_module *module, const char *name); // its number; -1: none
struct sim_kernel_needs {
    size_t shared_bytes, constant_bytes; // static shared memory; constants of its module
    size_t local_bytes;                  // per thread, without functions that it calls
    int max_threads;                     // of a block, as __launch_bounds__ says; 0: it does not
};
struct sim_kernel_needs sim_kernel_needs(const struct sim_module *module, int kernel);

// ---- the memory that kernels can address --------------------------------------------------------

typedef uint64_t sim_address;
struct sim_memory;
enum sim_role { SIM_IN, SIM_OUT, SIM_INOUT, SIM_SCRATCH }; // SIM_OUT and SIM_SCRATCH start uninitialised
struct sim_memory *sim_memory_new(void);
void sim_memory_free(struct sim_memory *memory);
// Makes `bytes` of the caller's memory addressable by kernels. Findings use the name, and element_bytes to number
// elements. The address is a multiple of 256; kernels cannot access anything that was not added. 0: the buffer is too
// large, or memory is exhausted.
#define SIM_BUFFER_LIMIT (1ull << 36) // bytes; every buffer is smaller
sim_address sim_memory_add(struct sim_memory *memory, const char *name, void *host, size_t bytes,
                           size_t element_bytes, enum sim_role role);
// The same at an address of the caller's choice, so that host and kernels can have one address for a buffer: a multiple of
// SIM_BUFFER_LIMIT below 2^47. False: it is none, is in use, or the buffer is too large. Such an address can be used again
// once it was removed.
bool sim_memory_add_at(struct sim_memory *memory, sim_address address, const char *name, void *host,
                       size_t bytes, size_t element_bytes, enum sim_role role);
// The bytes of a buffer's elements that hold nothing, and need not be written: `padding` is not 0 at those. It has as many as
// an element, and must stay as long as the buffer.
void sim_memory_padding(struct sim_memory *memory, sim_address address, const unsigned char *padding);
// The size of the heap that malloc, free, new and delete of kernels use: 8 MB where nothing is said. False: a kernel that
// uses it was launched.
bool sim_memory_heap(struct sim_memory *memory, size_t bytes);
// Who knows whether an address that is in no buffer is memory of the caller's process; findings then say so. At first nobody.
void sim_memory_host(struct sim_memory *memory, bool (*is_host)(sim_address));
// What the caller has written into a buffer by itself: it is not uninitialised any more. Kernels' writes are seen anyway.
void sim_memory_written(struct sim_memory *memory, sim_address address, size_t bytes);
// Whether the byte at an address of a buffer has content, and in *bytes how many from it on are alike, up to the buffer's
// end. What a launch without checks may have written counts as content. False and 0: it is in no buffer.
bool sim_memory_has_content(const struct sim_memory *memory, sim_address address, size_t *bytes);
// Removes a buffer. Its address is never reused, so that a later access to it is found.
void sim_memory_remove(struct sim_memory *memory, sim_address address);
// A .global or .const variable of a module, by its name in PTX, between launches. The content can be read and written
// until sim_memory_unload. False: there is none, or no memory.
struct sim_module_variable {
    void *at;
    size_t bytes;
    sim_address address; // for kernels of this module
};
bool sim_memory_variable(struct sim_memory *memory, const struct sim_module *module, const char *name,
                         struct sim_module_variable *out);
// A module's variables keep their content from launch to launch. This discards them, so that the next launch starts with
// the initial values. Required before sim_module_free when the memory outlives the module.
void sim_memory_unload(struct sim_memory *memory, const struct sim_module *module);

// ---- textures and surfaces -----------------------------------------------------------------------

// What a kernel reaches through a handle: texels in a buffer, row after row. A kernel gets the handle as an argument of 64 bits.
enum sim_texel { SIM_TEXEL_UNSIGNED, SIM_TEXEL_SIGNED, SIM_TEXEL_FLOAT };
enum sim_edge { SIM_EDGE_WRAP, SIM_EDGE_CLAMP, SIM_EDGE_MIRROR, SIM_EDGE_BORDER }; // what lies outside
struct sim_image {
    bool surface;  // read and written by byte, not fetched: what concerns filters does not count
    bool cube;     // six layers are the faces of a cube
    bool seamless; // a linear filter goes over the edges of its faces
    bool linear, normalised, unit;         // a linear filter; coordinates, and results, from 0 or -1 to 1
    sim_address at;                        // of the first texel
    uint64_t pitch, slice;                 // bytes from row to row, and from one layer or depth to the next
    uint32_t width, height, depth, layers; // 0: it has no such dimension
    enum sim_texel kind;
    unsigned channels, bits; // of each channel: 8, 16, 32
    enum sim_edge edge[3];
    float border[4];
    bool srgb; // the first three channels, of 8 bits, are decoded
    // Levels of a mipmap, each half as large as the one before, one after the other from `at` on without gaps; 0: there is one.
    uint32_t levels;
    bool level_linear; // a linear filter between levels
    float level_bias, level_least, level_most;
};
// Its handle; 0: no memory. Accesses after its buffer was removed, or the handle, are found.
uint64_t sim_image_add(struct sim_memory *memory, const struct sim_image *image);
void sim_image_remove(struct sim_memory *memory, uint64_t handle);

// ---- a launch ----------------------------------------------------------------------------------------------

enum { SIM_LIMITS = 3 };
enum sim_check { SIM_CHECK_NONE, SIM_CHECK_COUNTERS, SIM_CHECK_ALL };
struct sim_options {
    enum sim_check check;
    // Host threads; 0: one per core. A kernel whose atomics reveal their order uses one, and so does one in which
    // SIM_CHECK_ALL finds something.
    int threads;
    uint64_t seed;              // permutes the order of blocks and warps; 0: ascending
    uint64_t instruction_limit; // warp instructions; 0: 20 G
    // 0: 60 s. What SIM_CHECK_ALL has run in vain (sanitize/guess.c) does not count: all of it takes at most SIM_LIMITS limits.
    int limit_ms;
    // Bytes that the launch may take, including what the memory keeps from earlier launches, without the buffers and
    // the module. 0: no limit but the system's.
    size_t memory_limit;
    bool sample; // the result has a sample, for a model of time; not with SIM_CHECK_NONE
};
struct sim_argument {
    const void *at;
    size_t bytes;
};
struct sim_launch {
    int kernel; // index in the module's sim_kernels
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;                // dynamic
    const struct sim_argument *arguments; // one for each parameter, of its size
    size_t argument_count;
    uint32_t cluster[3]; // blocks of a cluster; 0: as the kernel says, or none
    bool cooperative;    // all blocks are resident at once, and may wait for each other
};

// The kinds of access that are counted separately; they index the arrays below.
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
// Accesses to the shared memory of other blocks of the cluster, which none of the above counts.
enum sim_remote { SIM_REMOTE_LOAD, SIM_REMOTE_STORE, SIM_REMOTE_ATOM, SIM_REMOTES };
struct sim_counters {
    uint64_t warp_inst, thread_inst; // PTX instructions, not SASS
    uint64_t branches, divergent;    // executed by warps; those that diverged
    uint64_t barriers;               // by warps
    uint64_t tensor;                 // instructions of tensor cores, by warps
    uint64_t requests[SIM_ACCESSES]; // warp instructions with at least one active lane
    uint64_t passes[SIM_ACCESSES];   // sectors of 32 bytes in global and local, wavefronts in shared memory
    uint64_t ideal[SIM_ACCESSES];    // the fewest passes that accesses of as many lanes and bytes could need
    // Shared memory: bank conflicts, as ncu counts them. Global memory: sectors processed again because lanes of an atomic
    // have one address, so that passes - conflicts are the sectors by address alone.
    uint64_t conflicts[SIM_ACCESSES];
    // Whole launches only, else 0: instructions of the warp that executed the most, and of each warp if all had executed
    // equally many. Consecutive launches add up.
    uint64_t longest, even;
    // Warp instructions with at least one such lane; sectors of 32 bytes, those of an atomic once in each turn of its lanes.
    uint64_t remote_requests[SIM_REMOTES], remote_sectors[SIM_REMOTES];
    uint64_t remote_wavefronts[SIM_REMOTES]; // of an atomic, the turns of the unit that has the most
    // Loads of constants by an index: warp instructions with at least one active lane; turns, one for each different address.
    uint64_t constant_requests, constant_turns;
};

enum sim_severity { SIM_NOTE, SIM_WARNING, SIM_ERROR };
enum sim_kind {
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_UNINITIALISED,
    SIM_RACE_SHARED,
    SIM_RACE_GLOBAL,
    SIM_BARRIER,      // a barrier that not every thread reaches
    SIM_SYNC_MASK,    // a mask with lanes that do not arrive
    SIM_DOUBLE_WRITE, // two threads leave different values in one element of an output
    SIM_NEVER_WRITTEN,
    SIM_ENDLESS,
    SIM_DEADLOCK,
    SIM_UNKNOWN, // an instruction that the simulator does not know
    SIM_ASSERT,
    SIM_TRAP,
    SIM_FRAGMENT,    // an operand of a product that was filled as another one
    SIM_NOT_STARTED, // shared memory of another block of the cluster, which may not have started yet
    SIM_HAS_ENDED,   // … which may have ended by then
    SIM_OTHER        // stopped for another reason
};
struct sim_place {
    int ptx_line, line, column; // line, column: of the CUDA source; 0: unknown
    uint32_t block[3], thread[3];
    bool known;
};
struct sim_finding {
    enum sim_kind kind;
    enum sim_severity severity;
    struct sim_place here, there; // there: the other side of a race
    char space[8];                // "global", "shared", "local"
    char buffer[64];              // the buffer or variable; "": unknown
    uint64_t address;
    int64_t element;    // of the buffer; negative: before its start
    uint64_t count;     // occurrences of this cause
    char sentence[800]; // whole, also with names as long as they may be
};

struct sim_line { // one PTX instruction; `line` is that of the source
    int index;    // of the instruction in its module, so that several launches can be added up
    int ptx_line, line;
    const char *text; // the PTX, owned by the module
    struct sim_counters counters;
};
// What a few blocks of a launch did, one step after the other, and what memory the whole launch touched. It does not depend
// on the number of host threads.
enum {
    SIM_LINE_BYTES = 128,
    SIM_LAUNCH_PARTS = 64,
    SIM_WINDOWS = 7
};                  // a launch's blocks in parts, in their order
struct sim_step {   // a warp instruction
    uint32_t index; // as in struct sim_line
    uint16_t
        passes; // wavefronts of shared memory, sectors of local memory or of an atomic request, turns of constants
    uint16_t
        waves; // of global memory: wavefronts by its addresses' banks, as in shared memory; of an atomic, its lanes; of constants, lines
    uint8_t lanes;   // active
    uint8_t touches; // lines of global memory that it touched; they follow each other in the warp's touches
    uint8_t
        stored; // of a load, as many of them: the block itself had stored the sectors before, not long ago
};
struct sim_sampled_warp {
    struct sim_step *steps; // those from the start, up to a limit for all and one for each instruction
    uint64_t *touches;      // line number << 4 | its sectors
    size_t step_count, touch_count;
    uint64_t ran; // instructions, with those that were not recorded
};
struct sim_sampled_block {
    uint64_t number;
    struct sim_sampled_warp *warps;
    size_t warp_count;
};
// Few warps that run far longer than all others. They are neither in the sampled blocks nor in `work`.
struct sim_long {
    // Of the longest one, one part after the other: the first steps of each, and in `ran` the instructions that it stands for.
    struct sim_sampled_warp *windows;
    size_t window_count; // 0: no warps run far longer than others
    uint64_t block;      // the longest one's
    uint64_t blocks;     // that have such warps
    uint64_t beside;     // such warps in its block, with itself
    uint64_t ran, work;  // its instructions, and those of all such warps
    uint64_t rest;       // instructions of the longest of the other warps
};
struct sim_sample {
    struct sim_sampled_block *blocks;
    size_t block_count;
    bool footprint; // false: there was no memory to note what was touched, and the next five are 0
    uint64_t lines; // of 128 bytes that were touched
    // Of global memory, each counted once: sectors that were loaded (or loaded to be changed by an atomic) and stored, and
    // pairs of sectors, which DRAM gives together.
    uint64_t loaded, stored, loaded_pairs, stored_pairs;
    // `loaded` by buffers and variables, where an address / SIM_BUFFER_LIMIT is their number.
    struct sim_loaded {
        uint64_t number, sectors;
    } * loaded_of;
    size_t loaded_count;
    // Sectors of atomic requests, those processed again included: in all, and to the unit of L2 that got the most of them
    // in each window of 1, 2, 4 ... parts of the launch, summed over its windows.
    uint64_t atomics, hottest[SIM_WINDOWS];
    // Compares and swaps of lanes, those that swapped, and the sum over all words of the squares of the latter.
    uint64_t swap_tries, swaps, swap_squares;
    // In how many parts lines were loaded (visits), and by how many parts two visits of a line that follow each other are
    // apart.
    uint64_t visits, apart[SIM_LAUNCH_PARTS];
    uint64_t constant_bytes; // of all variables of constant memory
    // Instructions of the longest warp of a block: over all blocks, and the most.
    uint64_t longest_sum, longest_most;
    uint32_t *work;    // by block: instructions of its warps; NULL: there are too many blocks
    size_t work_count; // blocks
    struct sim_long longest;
};

struct sim_result {
    struct sim_counters counters;
    struct sim_line *instructions; // those that were executed, in PTX order
    size_t instruction_count;
    struct sim_finding *findings; // worst first, then by line
    size_t finding_count;
    // The text that the kernel printed, as a GPU prints it; NULL: none. And in lines that begin with the threads that
    // printed them: "thread 3 of block 1: ", "threads 0 to 31 of block 0: "; there also what failed assertions say.
    char *printed, *printed_lines;
    struct sim_sample *sample; // NULL: not asked for
    bool complete;             // every block ran to its end
    double exec_ms;
    int threads;
    size_t shared_bytes; // of a block, static and dynamic
    char *asserted;      // what failed assertions say, which a GPU writes to stderr; NULL: none failed
};
// False when the launch cannot start (a bad grid, arguments that do not fit the parameters, too little memory). What a
// kernel does wrong is reported by findings.
bool sim_run(const struct sim_module *module, struct sim_memory *memory, const struct sim_launch *launch,
             const struct sim_options *options, struct sim_result *out, struct sim_fault *fault);

// ---- results and findings ------------------------------------------

// After the last of a sequence of launches with SIM_CHECK_ALL: one finding for each SIM_OUT buffer with elements that no
// thread wrote. The caller frees the array; returns how many.
size_t sim_memory_never_written(const struct sim_memory *memory, struct sim_finding **out);
void sim_result_free(struct sim_result *result);
void sim_sample_free(struct sim_sample *sample); // NULL is nothing
void sim_counters_add(struct sim_counters *to, const struct sim_counters *from);
// Sums the counters by source line. The caller frees the array; returns how many.
size_t sim_result_lines(const struct sim_result *result, struct sim_line **out);
const char *sim_kind_name(enum sim_kind kind); // "out of bounds"
// Merges findings of a later launch that have a cause in `known` into its counts, and moves the other ones to the front
// of `later`. Returns how many those are.
size_t sim_findings_again(struct sim_finding *known, size_t known_count, struct sim_finding *later,
                          size_t later_count);

// ---- the instructions of a module, as they are written ------------------------------------------

struct sim_instruction {
    const char *text, *base; // "mad.lo.s32 %r5, %r2, %r3, %r4;", "mad"
    const char *const *modifiers;
    int modifier_count;
    int function;              // its number in the PTX; instructions of one follow each other
    int ptx_line, line;        // line: of the source; 0: unknown
    enum sim_access access;    // SIM_ACCESSES: it accesses no memory, or parameters and constants only
    unsigned bytes;            // that it accesses for a lane
    bool leads;                // control can arrive here from elsewhere than the instruction before
    int target;                // the instruction that a branch leads to; -1: it is no branch, or has a table
    const int *reads, *writes; // numbers of the function's registers; reads: with the guard
    int read_count, write_count;
    int immediate; // the operand that is a constant, counted from 0; -1: none
    bool guarded;
    bool
        outside; // a call of what is no part of the program: printing, the heap of kernels; a fetch from a texture
};
// All instructions, numbered as in struct sim_line; the implicit end of a function is `ret`. The caller frees *out as one
// piece, before the module. Returns how many; 0: no memory.
size_t sim_module_instructions(const struct sim_module *module, struct sim_instruction **out);

// ---- a trace: a launch, one instruction after the other ---------------------------------------------------

// A trace runs on one host thread in the order of the seed, with the checks of the options. It shows the current warp: the
// one that runs next. A step back re-executes from the nearest snapshot; for this the buffers are copied when the trace
// opens, and their changes from time to time. The module, the memory and the launch with its arguments must outlive it.
struct sim_trace;
bool sim_trace_open(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_trace **out, struct sim_fault *fault);
void sim_trace_close(struct sim_trace *trace); // the buffers keep the effects of the steps so far

// Moves return where they ended: at their target, or why not.
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
// A move ends soon after *stop becomes true, wherever it is; NULL: moves are not interrupted.
void sim_trace_stop_when(struct sim_trace *trace, const atomic_bool *stop);
enum sim_arrival sim_trace_forward(struct sim_trace *trace, uint64_t steps);
enum sim_arrival sim_trace_back(struct sim_trace *trace, uint64_t steps);
enum sim_arrival sim_trace_line(struct sim_trace *trace); // until this warp is at another line of the source
// Goes back to the step at which this warp entered its line; if it has just entered it, the line before.
enum sim_arrival sim_trace_line_back(struct sim_trace *trace);
enum sim_arrival sim_trace_barrier(struct sim_trace *trace); // until the next instruction is a barrier
enum sim_arrival sim_trace_matrix(struct sim_trace *trace); // until the next instruction is one with matrices
// Runs until an access has needed more passes than the ideal; sim_trace_touched describes it.
enum sim_arrival sim_trace_conflict(struct sim_trace *trace);
enum sim_arrival sim_trace_finding(struct sim_trace *trace); // until there is a new finding
// Runs until this warp of this block (linear indices) comes next; from the start if it has exited.
enum sim_arrival sim_trace_goto(struct sim_trace *trace, uint64_t block, uint32_t warp);
enum sim_arrival sim_trace_end(struct sim_trace *trace);

// ---- the state of a trace --------------------------------------------------------------------------------

struct sim_spot {  // the current warp and its next instruction
    uint64_t step; // instructions executed so far, by all warps
    bool ended;    // the launch is over; the rest is empty
    bool stopped;  // it was stopped before every block was done
    uint64_t block_number, blocks;
    uint32_t block[3], warp, warps;
    uint32_t rank, cluster;      // of the block in its cluster; its blocks: 1 without clusters
    const char *function, *text; // the PTX of the instruction
    int ptx_line, line, column;
    // Lanes that exist in this warp, have not exited, are on this path, and whose guard holds.
    uint32_t exists, live, mask, active;
};
void sim_trace_where(const struct sim_trace *trace, struct sim_spot *out);
void sim_trace_thread(const struct sim_trace *trace, int lane, uint32_t out[3]); // its index in the block

enum sim_number { SIM_UNSIGNED, SIM_SIGNED, SIM_FLOAT, SIM_BOOL, SIM_POINTER };
struct sim_register {
    const char *name;
    unsigned bytes;     // 1, 2, 4, 8, 16
    enum sim_number is; // how the instructions that use it interpret it
    bool read, written; // by the next instruction
    uint64_t value[32]; // bits by lane
};
// A register of the running function. `name` with or without its %; false: there is none.
bool sim_trace_register(const struct sim_trace *trace, const char *name, struct sim_register *out);
// The registers that the next instruction reads or writes; returns how many, of which at most `room` are filled in.
size_t sim_trace_registers(const struct sim_trace *trace, struct sim_register *out, size_t room);
// The name of the index-th register of the function; NULL after the last.
const char *sim_trace_register_name(const struct sim_trace *trace, size_t index);

// A matrix that the next instruction has spread over the registers of the warp, or is about to: mma, wmma, ldmatrix,
// stmatrix, movmatrix. A cell is what one register of one lane holds of it: `tall` x `wide` elements.
enum { SIM_MATRICES = 4, SIM_MATRIX_CELLS = 256, SIM_MATRIX_REGISTERS = 8 };
struct sim_matrix {
    const char *name, *type; // "A"; "f16"
    unsigned rows, columns;  // of elements
    unsigned tall, wide;     // one of both is 1
    unsigned cell_rows, cell_columns;
    unsigned register_count;                                       // of a lane
    const char *registers[SIM_MATRIX_REGISTERS];                   // "": a constant; NULL: of another matrix
    uint8_t lane[SIM_MATRIX_CELLS], register_of[SIM_MATRIX_CELLS]; // of each cell, row after row
};
size_t sim_trace_matrices(const struct sim_trace *trace, struct sim_matrix out[SIM_MATRICES]);

// The whole A of a sparse product (mma.sp): where the elements belong that the lanes hold, by the metadata as it is now.
// A place is an element; of 4 bits, two neighbours, which belong together.
enum { SIM_SPARSE_PLACES = 1024, SIM_ZERO = 255, SIM_TWICE = 254 };
struct sim_sparsity {
    const char *metadata;   // its register; "": a constant
    unsigned rows, columns; // of elements
    unsigned each;          // elements of a place
    unsigned group, kept;   // places of which so many hold something
    // Of each place, row after row: the lane that holds it, or SIM_ZERO, or SIM_TWICE: two are to be here; in which of its
    // registers; and the lane that has the metadata of the group.
    uint8_t lane[SIM_SPARSE_PLACES], register_of[SIM_SPARSE_PLACES], by[SIM_SPARSE_PLACES];
};
// False: the next instruction is no sparse product.
bool sim_trace_sparsity(const struct sim_trace *trace, struct sim_sparsity *out);

// The variables of the source that the running function has at this place. Only PTX that a compiler made with full
// debugging information (NVRTC's -G, clang's -O0 -g) names them.
enum sim_known {
    SIM_HAS_VALUE, // in `lanes`; in the other lanes of the running path it has none yet
    SIM_NO_VALUE,  // none was assigned yet
    SIM_NOT_KNOWN, // the compiler does not say where it is, or not for certain
    SIM_HAS_PARTS  // an array or a structure with too many to list
};
struct sim_variable {
    char name[64], type[64]; // "acc[2]", "const float *"
    enum sim_known known;
    enum sim_number is;
    unsigned bytes;
    bool parameter, shared; // of the function; in shared memory
    uint32_t lanes;
    uint64_t value[32]; // bits by lane
    // What a pointer points to: in the lanes `inside`, an element of this buffer or variable; `alone`: which is no array.
    char buffer[64];
    bool alone;
    uint32_t inside;
    int64_t element[32];
};
bool sim_trace_has_variables(const struct sim_trace *trace); // the PTX names any
// The variables in scope, the innermost first and parameters last; arrays and structures part by part. Returns how many, of which at most `room`
// are filled in.
size_t sim_trace_variables(const struct sim_trace *trace, struct sim_variable *out, size_t room);
// Reads one variable, or a part of one: "row", "acc[2]", "tile[3][4].x". False: none of that name is in scope.
bool sim_trace_variable(const struct sim_trace *trace, const char *name, struct sim_variable *out);

enum { SIM_PARTS = 8 };
struct sim_touched { // an executed memory instruction
    uint64_t step;
    uint32_t block[3], warp;
    const char *text;
    int ptx_line, line;
    enum sim_access access;
    unsigned bytes, parts; // of one lane; values per lane
    uint32_t lanes;
    uint64_t requests, passes, ideal, conflicts; // as in struct sim_counters, for this execution
    bool brings;                                 // the values are those it read, else those it wrote
    struct sim_touched_lane {
        const char *space; // "global", "shared", "local"
        char buffer[64];   // "": outside of every variable
        int64_t element;
        uint64_t address; // in shared and local memory: the offset
        uint64_t sector;  // of 32 bytes, counted from the buffer's start; global
        unsigned bank;    // of the first word; shared
        uint64_t value[SIM_PARTS];
    } lane[32];
    // Lanes in the shared memory of another block of the cluster, whose rank this is; what they cost is not in the above.
    uint32_t remote, rank[32];
    uint64_t remote_sectors, remote_wavefronts;
};
bool sim_trace_touched(const struct sim_trace *trace, struct sim_touched *out); // false: none yet

// Copies up to `count` words of the current block's shared memory from word `from` on; returns how many.
size_t sim_trace_shared(const struct sim_trace *trace, size_t from, size_t count, uint32_t *out);
size_t sim_trace_shared_bytes(const struct sim_trace *trace);

struct sim_path { // an entry of the SIMT stack; the top, which runs, comes first
    uint32_t mask;
    int ptx_line, line, meets_ptx_line; // where it continues; where it reconverges, 0: at the end
    const char *function, *text;
    bool called, waits; // the bottom entry of a call; waits for lanes at a *.sync
};
size_t sim_trace_stack(const struct sim_trace *trace, struct sim_path *out, size_t room);

enum { SIM_BARRIER_OF_CLUSTER = 16 };
enum sim_waiting { SIM_RUNS, SIM_READY, SIM_WAITS, SIM_ENDED };
struct sim_warp {
    enum sim_waiting state;
    int barrier; // SIM_WAITS: the barrier's number, or SIM_BARRIER_OF_CLUSTER
    int ptx_line, line;
    uint32_t live;
};
size_t sim_trace_warps(const struct sim_trace *trace, struct sim_warp out[32]);
size_t sim_trace_findings(const struct sim_trace *trace, struct sim_finding **out); // the caller frees
bool sim_trace_latest(const struct sim_trace *trace, struct sim_finding *out);
// The printed text so far, as printed_lines; the caller frees it. NULL: none.
char *sim_trace_printed(const struct sim_trace *trace);

// ---- the cost of a warp's addresses -------------------------------------------------

// Distinct 32-byte sectors that the lanes in `mask` access with `bytes` each, and the fewest for as many distinct
// addresses.
unsigned sim_sectors(const uint64_t address[32], uint32_t mask, unsigned bytes);
unsigned sim_sectors_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes);
// Wavefronts of one load or store in shared memory: 32 banks of 4 bytes. 8-byte accesses are served by half-warps, 16-byte
// accesses by quarter-warps, which are merged where neighbours read the same. Ideal: without conflicts.
unsigned sim_wavefronts(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store);
unsigned sim_wavefronts_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store);

#endif
