// The simulated machine: decoded instructions, warps with their registers, blocks with their shared memory.
#ifndef WARPBOOK_SIM_MACHINE_H
#define WARPBOOK_SIM_MACHINE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/sim/ptx/ptx.h"

// ---- budget.c -------------------------------------------------------------------------------------------

// The memory of a simulation. Everything that grows with a kernel, its launch or its data is taken from one budget and
// labelled by purpose, so that a launch that needs too much is refused or stopped with a sentence that names what took the
// memory. What has a small bound of its own (findings, tables of a parse) comes from the system.

enum taker {
    FOR_REGISTERS, // and parameters, of running functions
    FOR_LOCAL,
    FOR_SHARED,
    FOR_COUNTERS,
    FOR_CHECKS,
    FOR_TEXT, // that kernels print
    FOR_VARIABLES,
    FOR_TRACE,
    TAKERS
};
struct budget {
    size_t limit; // bytes; 0: no limit but the system's
    atomic_size_t used, of[TAKERS];
    atomic_bool refused; // an allocation that the simulation needs has failed
    atomic_bool told;    // a finding reports that
};

void budget_start(struct budget *budget, size_t limit); // starts a launch; what was taken before counts
// Zeroed and aligned to 64 bytes; NULL, with `refused` set, when it exceeds the limit.
void *budget_take(struct budget *budget, enum taker taker, size_t bytes);
// Memory that the simulation can do without: at most half of what is left, and NULL does not set `refused`.
void *budget_spare(struct budget *budget, enum taker taker, size_t bytes);
// Grows an allocation, which moves; the added bytes are zero. NULL: it stays as it was. `taken` may be NULL.
void *budget_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void *budget_spare_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void budget_give(struct budget *budget, void *taken); // NULL is allowed
// The bytes that an allocation of this size takes from the budget.
size_t budget_piece(size_t bytes);
size_t budget_left(const struct budget *budget);

enum { BYTES_ROOM = 32 };
const char *budget_say_bytes(size_t bytes, char out[BYTES_ROOM]); // "8.6 GiB"
enum taker budget_most(const size_t of[TAKERS]);                  // the purpose that took the most
struct budget_purpose {
    const char *words, *advice; // "shared memory", "Use less shared memory"
};
struct budget_purpose budget_purpose(enum taker taker);

// ---- the machine ----------------------------------------------------------------------------------------

enum {
    LANES = 32,
    MAX_WARPS = 32,
    BARRIERS = 16,
    CLUSTER_BARRIER = SIM_BARRIER_OF_CLUSTER,
    NO_PC = 0x7fffffff
};
enum { NO_MEETING = -1 }; // of a branch of which one side always exits
#define FULL_MASK 0xffffffffu

// ---- decoded instructions ------------------------------------------------------------------------------

// A register is a row of a warp's frame: u32[32] for types of up to 4 bytes (narrow values zero-extended), u64[32] for 8
// bytes, one u32 mask for a predicate. An immediate is a row as well, filled when the frame is made. Operands are byte
// offsets of rows from warp->frame. Rows are aligned to 64 bytes (predicates: 4).
typedef uint32_t row;

struct warp;
struct op;
typedef void (*lanes_fn)(struct warp *warp, const struct op *op);

enum op_kind {
    OP_LANES, // `run` executes it for the lanes in warp->active
    // like OP_LANES, once the lanes in `members` have converged (shfl.sync, vote.sync, …): barrier.c waits for them and reports those that never arrive; `run` gets the lanes that did
    OP_SYNCED,
    OP_BRANCH,  // bra: guard true → target
    OP_INDEXED, // brx.idx: a → targets[]
    OP_CALL,
    OP_RETURN,
    OP_EXIT,
    OP_BARRIER,   // bar.*, barrier.*
    OP_WARP_SYNC, // bar.warp.sync: `members`
    OP_WAITS,     // a test of an mbarrier: the warp's turn ends when it fails in all lanes
    OP_TRAP,
    OP_UNKNOWN // reported when it is reached
};

struct op {
    lanes_fn run;
    row d, a, b, c, e; // e: a second destination or a fourth source, by handler
    row members;       // OP_SYNCED, OP_WARP_SYNC: the u32 row of the member mask
    uint64_t imm;      // an offset, a rounding mode, a lookup table: by handler
    uint16_t sub;      // a variant of the operation, by handler
    uint8_t kind;      // enum op_kind
    uint8_t access;    // enum sim_access of a memory instruction; SIM_ACCESSES: none
    uint8_t bytes;     // of one lane's access, all vector parts
    uint8_t parts;     // 1, 2, 4, 8: vector width
    uint8_t space;     // enum ptx_space
    bool guarded, guard_negated;
    bool wide;     // of a memory instruction: the address row `a` is u64[32], else u32[32]
    bool fixed;    // of a memory instruction: all lanes of that row have one address, always
    bool cluster;  // of a memory instruction: its addresses are those of shared::cluster
    bool dead;     // its result is never read (an atom that hardware runs as a red)
    bool releases; // a memory instruction with release semantics
    bool spins;    // a backward branch: its loop reads what other lanes may write
    // Lanes that wait here came out of a loop in different turns, and do not reconverge yet (loops.c).
    bool apart;
    // So many instructions from this one on are OP_LANES without a guard, and their orders follow each other.
    uint16_t plain;
    // So many instructions from this one on are executed whole or not at all: plain ones, and the branch that may follow. Paths
    // meet before none of them but the first.
    uint16_t stretch;
    row guard;
    int32_t target;     // pc of the branch; index of the callee for OP_CALL
    int32_t reconverge; // pc of reconvergence; NO_PC: the function's end; NO_MEETING
    int32_t order;      // flow.c: the scheduling order of divergent paths, lowest first
    int32_t tally;      // index of its counters, unique in the module
    int32_t pattern; // of a memory instruction: what is kept of its addresses (access/pattern.h); 0: nothing
    // Of a memory instruction that shares its address register with others of its basic block, which nothing writes between
    // them: which of warp->seen they use, plus 1, and the pattern of the first of them; that one has 0.
    uint8_t seen;
    int32_t alike;
    // A memory instruction whose address derives from one shared variable (flow.c): the variable's bounds in the block's
    // shared memory; else 0 and UINT32_MAX.
    uint32_t low, high;
    const int32_t *targets; // OP_INDEXED
    int32_t target_count;
    const row *rows; // destinations or sources of vectors, `parts` of them
    union {
        const struct call *call;            // OP_CALL
        const struct matrix_access *matrix; // access_matrix.c
        const struct fragments *fragments;  // of mma and wmma.mma
        const struct bulk *bulk;            // mbarrier.c
        const struct store *store;          // mbarrier.c: st.async and red.async
        const struct image_access *image;   // texture.c
    };
    const struct fused *fused; // contraction.c: which factors it negates; NULL: none
    const char *trouble;       // OP_UNKNOWN: why
    const struct ptx_instruction *from;
};

// OP_BARRIER: op->sub; a: the barrier's row, b: the row of the count or 0, c: the predicate of a vote.
enum barrier_action {
    BARRIER_SYNC,
    BARRIER_ARRIVE,
    BARRIER_CLUSTER_ARRIVE, // no rows
    BARRIER_CLUSTER_WAIT,
    BARRIER_POPC,
    BARRIER_AND,
    BARRIER_OR
};
enum { BARRIER_ALIGNED = 1, BARRIER_VOTE_NEGATED = 2, BARRIER_RELAXED = 4 }; // op->imm

enum builtin { BUILTIN_NONE, BUILTIN_VPRINTF, BUILTIN_ASSERTFAIL, BUILTIN_MALLOC, BUILTIN_FREE };
struct call { // how a call passes values: bytes of the caller's parameter area, or a register row
    struct passed {
        row at; // 0: bytes at `offset`
        bool wide;
        size_t offset;
    } * arguments, *returns;
    int argument_count, return_count;
    enum builtin builtin;
};

// A decoded function. `frame_bytes` is the size of a warp's rows; `constants` fill rows when a frame is made.
struct constant_row {
    row at;
    bool wide;  // u64[32]
    bool local; // `bits` is an offset into this call's local memory
    uint64_t bits;
};
enum special { // rows of special registers, filled once for a warp or for each block
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_DYNAMIC_SMEM,
    SPECIAL_TOTAL_SMEM,
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_ENVREG1, // the upper and the lower half of the address of a cooperative launch's workspace
    SPECIAL_ENVREG2,
    SPECIAL_COUNT
};
struct function {
    const struct ptx_function *from;
    struct op *ops;
    size_t op_count;
    size_t frame_bytes;
    struct constant_row *constants;
    size_t constant_count;
    row special[SPECIAL_COUNT]; // 0: the function does not read it (row 0 is never a register)
    // Parameters: those of a kernel are bytes of the launch, the same for all threads; those of a device function lie per lane
    // in the frame's parameter area. Offsets are in the order of ptx_variable.
    size_t param_bytes; // per lane: formals, returns and the .param variables of its calls
    // .param variables: in that area; .local: in the lane's local memory; .shared: in shared memory
    size_t *param_at, *return_at, *variable_at;
    size_t local_bytes;  // per lane
    size_t shared_bytes; // static shared memory of a launch of this kernel
    row sink;            // the destination `_`: 256 bytes
    row *register_rows;  // by register index, for views and the sanitizer
    // registers that may be read before they are written: zero at first
    struct constant_row *cleared;
    size_t cleared_count;
    size_t index;
    struct uniformity *uniformity; // operand.c: uniformity of its registers, computed on demand
};
struct module_variable { // .global, .const and module-level .shared
    const struct ptx_variable *from;
    uint64_t address; // a generic address for .global and .const; an offset for .shared
};
struct sim_module {
    struct ptx_text *text;
    struct arena *arena;
    struct function *functions;
    size_t function_count;
    struct module_variable *variables;
    size_t variable_count;
    struct sim_kernels kernels;
    size_t shared_bytes; // the most that a kernel has; dynamic shared memory follows it
    size_t tally_count, pattern_count;
    bool allocates;           // a function calls malloc or free
    struct deadline deadline; // while it is read
};

// ---- addresses ------------------------------------------------------------------------------------------

// A device address is the number of an allocation above 36 bits of offset, so that even an address out of bounds names its
// allocation. Number 0 is never allocated. Generic addresses of shared and local memory have windows of their own at the
// top.
enum { OFFSET_BITS = 36 };
_Static_assert(SIM_BUFFER_LIMIT == 1ull << OFFSET_BITS, "offsets into a buffer fill their bits");
#define OFFSETS ((1ull << OFFSET_BITS) - 1)
#define SHARED_WINDOW 0x7f00000000000000ull
#define LOCAL_WINDOW 0x7e00000000000000ull
// Numbers below FIRST_VARIABLE are addresses that a process of the host can have, and go to sim_memory_add_at; those from
// there to FIRST_BUFFER belong to the .global and .const variables of the running module (memory.c); sim_memory_add counts
// from FIRST_BUFFER. A local address is an offset into the lane's local memory, where each call has its part. The
// address of a kernel's parameter is PARAM_WINDOW + its offset.
enum { FIRST_VARIABLE = 1 << (47 - OFFSET_BITS), FIRST_BUFFER = FIRST_VARIABLE + 4096 };
// The last of those for variables is the workspace of a cooperative launch, whose blocks meet there (grid.sync).
enum { WORKSPACE = FIRST_BUFFER - 1, WORKSPACE_BYTES = 64 };
#define PARAM_WINDOW 0x7d00000000000000ull
// That of a device function's has the function's number plus 1 above 32 bits, and is valid while that one runs.
#define PARAM_OF(index) (((uint64_t)(index) + 1) << 32)
// An address in shared::cluster is an offset into the block's own shared memory, or has a rank plus 1 above these bits.
enum { CLUSTER_BITS = 24 };
// Bits of a window's addresses above the offset identify the launch and the block. A pointer kept from another block or
// launch is outside of this one's memory.
enum { APART_BLOCKS = 12, APART_LAUNCHES = 6 }; // how many of these bits
struct allocation {
    char name[64];
    unsigned char *host;
    size_t bytes, element_bytes;
    enum sim_role role;
    bool constant, heap;
    const unsigned char *padding;    // of an element, not 0 where it holds nothing; NULL: it has none
    void *shadow;                    // the sanitizer's shadow memory, kept between launches; NULL: none yet
    uint32_t touched_in, written_in; // the last launch with every check that did so, counted from 1; 0: none
};
struct sim_memory {
    struct allocation *allocations; // [0] is unused; numbers without an allocation have bytes 0
    size_t count, room;
    uint32_t launches; // launches that have ended
    uint32_t epochs;   // the sanitizer's: epochs numbered so far, over all launches
    struct checked_kernel {
        const struct sim_module *module; // NULL: an empty place
        int kernel;
        double thread_inst;          // by a thread, on average
        double bytes;                // that guessing takes, or would have taken (guess_bytes)
        unsigned wrong;              // enum guess
    } checked[16];                   // kernels that were launched with every check, a few of the last
    struct loaded_variables *loaded; // the variables of modules, kept between launches
    uint64_t heap_bytes;             // of malloc in kernels; 0: HEAP_BYTES
    unsigned char *heap_host;        // NULL: no kernel needed it yet
    uint64_t heap;                   // its allocation's number
    struct image *images;            // of textures and surfaces, by handle; handles are never used again
    size_t image_count, image_room;
    bool (*is_host)(sim_address); // NULL: nobody knows
    struct budget budget;         // of launches, and of what is kept between them
};

// ---- heap.c: what malloc in kernels gives and takes -----------------------------------------------------

enum { HEAP_BYTES = 8 << 20 };      // as on a GPU, unless the host asks for another size
uint64_t heap_room(uint64_t bytes); // what an allocation for a heap of so many bytes takes
void heap_make(struct allocation *heap, uint64_t bytes);
uint64_t heap_start(const struct allocation *heap); // offset in the allocation
// Offset of a piece of so many bytes; 0: there is no room. *again: some of it was given before.
uint64_t heap_give(struct allocation *heap, uint64_t bytes, bool *again);
enum heap_freed { HEAP_FREED, HEAP_FREED_BEFORE, HEAP_NEVER_GAVE };
enum heap_freed heap_free(struct allocation *heap, uint64_t offset);
bool heap_holds(const struct allocation *heap, uint64_t offset, uint64_t bytes); // in one piece, not freed
struct heap_piece {
    uint64_t at, bytes;
    bool freed;
};
bool heap_piece(const struct allocation *heap, uint64_t offset,
                struct heap_piece *out); // that an access there is likeliest to mean: the one at or before it

// ---- warps, blocks, the machine ----------------------------------------------------------------------------

// The rows and parameters of one running function. A warp keeps the frame for the next call of that function.
struct frame {
    struct frame *next;
    const struct function *function;
    unsigned char *rows, *params;
    uint64_t filled_for; // the block whose special registers it holds, plus 1
    uint32_t of_block;   // which of those of a block the function reads (frame.c)
    size_t local_base;   // start of its local memory in each lane
};
// An entry of the SIMT stack: the lanes in `mask` go on at pc and reconverge at `reconverge`. Entries lie above the entry
// that they split from; the top runs. The caller's entry lies below the bottom entry of a called function (call).
struct simt_path {
    uint32_t mask;
    int32_t pc, reconverge;
    struct frame *frame;
    const struct op *call;     // the call whose bottom entry this is; NULL: it is none
    struct frame *caller;      // the frame that made the call
    const struct op *waits_at; // parked there until all lanes that it names arrive
    uint32_t late;             // not 0: runs after its siblings, in ascending order
};

// Counters of one PTX instruction on one host thread. A generic access can cost something in several spaces at once.
// COST_CAS_LOOP, COST_CAS_FETCH: the loads from shared and global memory of an atomic that is a loop on hardware.
// COST_REMOTE: shared memory of other blocks of the cluster.
// COST_GLOBAL of a load of constants, which accesses nothing else, is what those cost.
enum cost_space {
    COST_GLOBAL,
    COST_SHARED,
    COST_LOCAL,
    COST_CAS_LOOP,
    COST_CAS_FETCH,
    COST_REMOTE,
    COST_SPACES
};
struct
    cost { // units as in struct sim_counters; of constants passes are turns, of COST_REMOTE sectors, and conflicts all wavefronts
    uint64_t requests, passes, ideal, conflicts;
};
struct tally {
    _Alignas(64) uint64_t warps, lanes, divergent; // aligned, its size is a power of 2, and indexing a shift
    struct cost cost[COST_SPACES];
    // Of instructions that a warp executes one after the other in one go: what began here, less what had ended before here. Added
    // up from the first instruction of the function to this one it is what belongs to `warps` and `lanes` (launch.c: settle).
    struct tally_runs {
        uint64_t warps, lanes;
    } runs;
    struct tally_runs stretches; // of op->stretch instructions that began here
};

// The distances that the lanes of an address register had at the last execution of the first access by it in a basic block.
struct seen_distances {
    uint64_t kept; // struct lane_pattern: their number; 0: they are not known
    uint32_t lanes;
};
enum { SEEN = 8 };

enum warp_state { WARP_READY, WARP_AT_BARRIER, WARP_DONE };
struct block;
struct warp {
    unsigned char *frame;  // rows of the running function
    unsigned char *params; // its parameter area: param_bytes per lane, lane after lane
    uint32_t mask;         // lanes of the running path
    uint32_t active;       // lanes of `mask` whose guard holds: those a handler works on
    uint32_t lanes[LANES]
        __attribute__((aligned(64))); // all ones for active lanes; valid when active is not full
    struct seen_distances seen[SEEN];
    const struct function *function;
    int32_t pc;              // of the instruction that runs
    uint32_t live;           // lanes that have not exited
    uint32_t exists;         // lanes that the block's size gives to this warp
    struct simt_path *paths; // the SIMT stack; the running path is its top
    int depth, depth_room;
    int32_t limit;      // the running path stops before an instruction of this order: a sibling waits there
    uint32_t last_late; // the last number given to a delayed path
    uint32_t expanded;  // the mask that `lanes` was made from
    uint32_t leaving;   // lanes that exited at `leaving_at`, which counts as one execution for all of them
    const struct op *leaving_at;
    enum warp_state state;
    int barrier;  // the barrier that it waits at
    bool arrived; // at the cluster's, in this phase, without having waited yet
    uint32_t phase;
    const struct op *barrier_op;
    struct spin {        // detection of loops that make no progress, in schedule/turn.c
        uint64_t since;  // instructions since the last look
        uint32_t rounds; // rounds that returned to the same state, through the same states
        uint64_t states; // hash of the states of a round; 0: the last look saw progress
        bool moved;      // it has made progress since the last round of turns
        bool reads;      // a round reads memory that others can write
    } spin;
    uint64_t ran;   // instructions executed in this block
    uint32_t index; // in the block
    struct block *block;
    struct tally *tallies;         // by op->tally; NULL: not counting
    struct lane_pattern *patterns; // by op->pattern; NULL: none are kept
    struct frame **frames;         // free frames, by function->index
    unsigned char *local;          // local_room bytes per lane, lane after lane
    size_t local_room, local_used; // per lane: used by the running call and its callers
    struct checks *checks;         // NULL: no sanitizer
    struct sample *sample;         // NULL: the launch is not sampled
    struct recorder *recorder;     // NULL: its steps are not recorded
    bool recorded;                 // the step that it runs, by the recorder
    struct lengths *lengths;       // of the sample
    uint64_t until_window;         // instructions until sample_window is called
    bool yields;                   // it waits for something that only other warps can change
    bool at_grid;                  // its last acquiring load was of the workspace: it waits for all blocks
    bool poisoned;                 // a register may hold an uninitialised value
    uint32_t carry;                // CC.CF of every lane, for add.cc, addc, …
    uint64_t clock; // %clock: each read adds a little, turn.c adds the instructions of each turn
};

struct barrier {
    uint32_t expected, arrived; // threads; expected 0: all of the block
    uint32_t votes_and, votes_or, votes_count;
    const struct op *first; // the barrier instruction that the first warp reached
};
struct cluster_barrier { // of a cluster; kept by its block of rank 0
    uint32_t arrived;    // warps, those that have exited included
    uint32_t phases;     // that have completed
};
struct block {
    uint32_t id[3];
    uint64_t number;      // linear index
    uint32_t rank;        // in its cluster
    uint64_t position;    // in the order of this launch
    uint64_t apart;       // identifies launch and block in addresses of the windows
    unsigned launch_part; // of a sample, in which it lies: of SIM_LAUNCH_PARTS
    struct warp warps[MAX_WARPS];
    uint32_t warp_count, thread_count;
    uint32_t live_warps;
    double began;        // seconds, by the coarse clock
    bool passed_without; // reported: a barrier that exited threads did not reach
    unsigned char *shared;
    size_t shared_bytes;
    struct barrier barriers[BARRIERS];
    uint32_t met; // those of them that a warp has reached, as bits
    struct cluster_barrier cluster;
    struct machine *machine;
    struct thread_state *thread; // the host thread that runs the block
};

enum { REQUESTS_KEPT = 4 }; // a power of 2
struct kept_request {       // of a full warp, that need not be noted again
    uint64_t at[LANES], block;
    unsigned kind; // 0: none yet
    // Where its lines are among the touches of a warp, NULL: nowhere, and the highest of them.
    const struct sim_sampled_warp *into;
    size_t from, count;
    uint64_t highest;
    uint8_t stored; // of the lines: those that the block had stored itself
};
// A host thread of a launch: its counters, and what its blocks printed. Blocks that run together have one each, and their
// counters in common.
struct thread_state {
    struct machine *machine;
    struct tally *tallies;
    struct lane_pattern *patterns;
    struct checks *checks; // NULL without SIM_CHECK_ALL
    uint64_t executed;     // warp instructions
    uint64_t longest;      // the most that one warp executed
    uint64_t unsummed;     // those not yet added to machine->executed
    uint64_t since_clock;  // what ran since the clock was read, as block.c counts it
    uint64_t longest_sum,
        longest_most; // instructions of the longest warp of each block: added up, and the most
    struct kept_request kept[REQUESTS_KEPT]; // of touched.c, by allocation
    struct printed *printed;
    size_t printed_count, printed_bytes;
    struct block block;
};
// What a launch with every check takes for granted (sanitize/guess.c). Where that turns out to be wrong, memory gets its first
// bytes back, and the launch runs again without it.
enum guess {
    GUESS_SHARED =
        1, // between two barriers a line of shared memory is read, written or updated by atomics, not two of these
    GUESS_GLOBAL = 2, // so is a buffer in the whole launch
    GUESS_ORDER = 4, // blocks do not depend on each other and nothing is found: several host threads run them
    GUESS_OWN =
        8, // between two barriers a granule of shared memory has one thread, or is only read or updated by atomics
    GUESS_ONCE = 16, // with GUESS_GLOBAL: plain stores reach each granule of global memory once at most
    GUESSES = GUESS_SHARED | GUESS_GLOBAL | GUESS_ORDER | GUESS_OWN | GUESS_ONCE
};
// A launch, shared by its host threads.
struct machine {
    const struct sim_module *module;
    const struct function *kernel;
    struct sim_memory *memory;
    const struct sim_launch *launch;
    struct sim_options options;
    unsigned char *kernel_params; // the launch's arguments, packed as the kernel's parameter bytes
    // Blocks of a cluster, and blocks that run together, their warps in turn: those of a cluster, or of a cooperative launch.
    uint32_t cluster[3], cluster_size, resident;
    unsigned char workspace[WORKSPACE_BYTES];
    uint64_t units;               // groups of `resident` blocks
    struct thread_state *threads; // `resident` of them, one after the other, for each of options.threads
    struct findings *findings;    // has a lock of its own
    struct sample *sample;        // NULL: none was asked for
    unsigned guesses;             // enum guess
    atomic_uint wrong;            // those of them that are
    struct first_bytes *first;    // guess.c; NULL: nothing is guessed
    atomic_bool stop;             // set once: all host threads end soon
    uint64_t executed;            // warp instructions of all host threads, added up now and then
    uint64_t next_unit;           // the next that no host thread has taken
    uint64_t blocks;
    double started, deadline; // seconds; without a deadline: INFINITY
};

// How many thread_state there are.
static inline int machine_seats(const struct machine *machine)
{
    return machine->options.threads * (int)machine->resident;
}

// Warps of each block of the launch.
static inline size_t machine_warps(const struct machine *machine)
{
    const uint32_t *size = machine->launch->block;
    return ((size_t)size[0] * size[1] * size[2] + LANES - 1) / LANES;
}

// Another block of its cluster.
static inline struct block *block_peer(const struct block *block, uint32_t rank)
{
    return &(block->thread - block->rank + rank)->block;
}

static inline struct budget *budget_of(const struct warp *warp)
{
    return &warp->block->machine->memory->budget;
}

// The index of a lane's thread in its block.
static inline void warp_thread_of_lane(const struct warp *warp, int lane, uint32_t out[3])
{
    const uint32_t *size = warp->block->machine->launch->block;
    uint32_t linear = warp->index * LANES + (uint32_t)lane;
    out[0] = linear % size[0];
    out[1] = linear / size[0] % size[1];
    out[2] = linear / size[0] / size[1];
}

// ---- cluster.c ----

// The rank of the block of the cluster in whose shared memory an address is, a generic one or one in shared::cluster. Of no
// block: the block's own. What addresses of the block of a rank have above the offset.
uint32_t cluster_rank(const struct block *block, uint64_t address, bool generic);
uint64_t cluster_apart(const struct block *block, uint32_t rank);

// Bytes of static and dynamic shared memory of each block.
static inline size_t block_shared_bytes(const struct machine *machine)
{
    uint32_t dynamic = machine->launch->shared_bytes;
    return dynamic ? machine->module->shared_bytes + dynamic : machine->kernel->shared_bytes;
}

// Sets a fault without a line. Returns false, so that callers and static analysis see that.
static inline __attribute__((format(printf, 2, 3))) bool fault_set(struct sim_fault *fault,
                                                                   const char *format, ...)
{
    va_list values;
    *fault = (struct sim_fault){ 0 };
    va_start(values, format);
    vsnprintf(fault->text, sizeof fault->text, format, values);
    va_end(values);
    return false;
}

#define INLINE static inline __attribute__((always_inline, unused))
// A loop over lanes that has no vectors, or few.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // without optimisation
#define UNROLLED _Pragma("clang loop unroll_count(8)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

// ---- sample.c, steps.c, touched.c, atomic_turns.c: what a model of time needs to know of a launch -----------

// What the launch touches is noted in maps, for all blocks; the steps of a few blocks are recorded. Host threads write to the
// maps together, in ways whose result does not depend on their order.
struct sample *sample_new(const struct machine *machine); // NULL: no memory
void sample_free(struct sample *sample);
void sample_block_starts(struct block *block); // sets the recorder of each of its warps
void sample_block_ends(struct block *block);
void sample_window(struct warp *warp); // it has executed so many instructions that it may be a long one
// Hands the sample over. False: no memory.
bool sample_take(struct machine *machine, struct sim_sample **out);
void sample_step(struct warp *warp, const struct op *op, uint32_t active); // it will run next
// Whether none of so many instructions from this one on would be recorded, as the last one was not.
bool sample_leaves_out(const struct warp *warp, const struct op *op, int32_t count);
// The step's access: to `bytes` in a row from `first` on, or by the lanes of `mask`, each aligned, to global memory.
void sample_run(struct warp *warp, uint64_t first, unsigned bytes, bool write);
void sample_lanes(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned bytes, unsigned kind);
bool sample_again(struct warp *warp,
                  const struct kept_request *kept); // the step is recorded; false: it has to be noted
// Of a map's byte: four bits for the sectors of a line that were loaded, four for those stored.
enum { SAMPLE_LOADED = 0x01, SAMPLE_STORED = 0x10, SAMPLE_SECTOR = 32 };
// What is known to be noted of the allocation with the address, by line, as of a map; NULL: it has none.
unsigned char *sample_known(const struct sample *sample, uint64_t address);
bool sample_is_alone(const struct sample *sample); // it is of one host thread
// Whether a sampled block tells of each access of a kind: of those that are recorded, and of what it stores.
INLINE bool sample_is_told(const struct warp *warp, unsigned kind)
{
    return warp->recorder && (warp->recorded || kind & SAMPLE_STORED);
}
// The sectors of a line from one of its bytes to another.
INLINE unsigned sample_sectors(uint64_t first, uint64_t last)
{
    static const unsigned char sectors[4][4] = {
        { 1, 3, 7, 15 }, { 0, 2, 6, 14 }, { 0, 0, 4, 12 }, { 0, 0, 0, 8 }
    };
    return sectors[first / SAMPLE_SECTOR % 4][last / SAMPLE_SECTOR % 4];
}
// One line of each group has its visits noted, that is in which parts of the launch it is loaded. Which one: by a hash, so that
// no stride meets only such lines, or none.
enum { VISITED_SHIFT = 6, VISITED_GROUP = 1 << VISITED_SHIFT };
INLINE uint64_t sample_visited_line(uint64_t group)
{
    return (group * 0x9e3779b97f4a7c15ull) >> (64 - VISITED_SHIFT);
}
INLINE bool sample_notes_visits(uint64_t line)
{
    return line % VISITED_GROUP == sample_visited_line(line / VISITED_GROUP);
}
INLINE bool sample_line_known(const unsigned char *known, uint64_t line, unsigned bits)
{
    return (__atomic_load_n(&known[line], __ATOMIC_RELAXED) & bits) == bits;
}
INLINE bool sample_in_one_line(uint64_t first, uint64_t last)
{
    return (first ^ last) < SIM_LINE_BYTES;
}
// Of a run of bytes within a line. `bits`: those that it would have if it began with the line; 0: it may begin within a sector.
INLINE unsigned sample_run_bits(uint64_t first, uint64_t last, unsigned kind, unsigned bits)
{
    return bits ? bits << (first / SAMPLE_SECTOR % 4) : kind * sample_sectors(first, last);
}
// Whether nothing is left to be noted of a run of bytes, which is within two lines.
INLINE bool sample_run_known(const unsigned char *known, uint64_t first, uint64_t bytes, unsigned kind,
                             unsigned bits)
{
    const uint64_t last = first + bytes - 1, line = (first & OFFSETS) / SIM_LINE_BYTES;
    if (sample_in_one_line(first, last))
        return sample_line_known(known, line, sample_run_bits(first, last, kind, bits));
    return bytes <= SIM_LINE_BYTES &&
           sample_line_known(known, line, kind * sample_sectors(first, SIM_LINE_BYTES - 1)) &&
           sample_line_known(known, line + 1, kind * sample_sectors(0, last));
}
// Notes what is not known, and returns whether nothing is left to be noted: the visits of some lines are. `alone`: there is one
// host thread.
INLINE bool sample_note_line(unsigned char *known, uint64_t line, unsigned bits, bool alone)
{
    const unsigned char has = __atomic_load_n(&known[line], __ATOMIC_RELAXED);
    if ((has & bits) == bits)
        return true;
    if (!alone || sample_notes_visits(line))
        return false;
    known[line] = (unsigned char)(has | bits);
    return true;
}
// The same for a run of bytes within two lines; others are left. `bits`: as above.
INLINE bool sample_note_run(unsigned char *known, uint64_t first, uint64_t bytes, unsigned kind,
                            unsigned bits, bool alone)
{
    const uint64_t last = first + bytes - 1, line = (first & OFFSETS) / SIM_LINE_BYTES;
    if (sample_in_one_line(first, last))
        return sample_note_line(known, line, sample_run_bits(first, last, kind, bits), alone);
    const uint64_t last_line = (last & OFFSETS) / SIM_LINE_BYTES;
    return last_line == line + 1 &&
           sample_note_line(known, line, kind * sample_sectors(first, SIM_LINE_BYTES - 1), alone) &&
           sample_note_line(known, last_line, kind * sample_sectors(0, last), alone);
}
INLINE struct kept_request *kept_request_of(const struct warp *warp, uint64_t address)
{
    return &warp->block->thread->kept[(address >> OFFSET_BITS) % REQUESTS_KEPT];
}
// A request of a full warp of the same block that touched the same sectors lately, as in a loop that walks along them; NULL:
// there was none.
INLINE const struct kept_request *sample_knows(const struct warp *warp, const uint64_t at[LANES],
                                               unsigned kind)
{
    enum { SECTOR_SHIFT = 5 };
    const struct kept_request *kept = kept_request_of(warp, at[0]);
    if (kept->block != warp->block->number || kept->kind != kind || (kept->at[0] ^ at[0]) >> SECTOR_SHIFT)
        return NULL;
    uint64_t differ = 0;
    for (int i = 0; i < LANES; i++)
        differ |= kept->at[i] ^ at[i];
    return differ >> SECTOR_SHIFT ? NULL : kept;
}
// Which lines the lanes of an access touch when lane 0 begins at a place within a line, from the line of that place on.
struct sample_lines {
    uint64_t first; // lane 0's address when they were found
    uint64_t line[LANES];
    uint64_t touched[64]; // from where they were touched since then, as sample_place says
    uint64_t claimed;     // the last block, counted from 1, that was sampled and stored there
    unsigned char sectors[LANES];
    uint32_t active; // 0: none are known
    unsigned count;
    unsigned grain;   // a power of 2, a sector at most: all lanes are at the same place of so many bytes
    bool lines_apart; // and at the same place of a line
    bool in_row;      // the lines follow each other
};
// Where the lanes are, and in which part of the launch: what is touched from the same place in the same part is noted already.
INLINE uint64_t sample_place(const struct warp *warp, const struct sample_lines *lines, uint64_t first)
{
    return (first & -(uint64_t)lines->grain) * SIM_LAUNCH_PARTS + warp->block->launch_part;
}
INLINE uint64_t *sample_place_kept(struct sample_lines *lines, uint64_t place)
{
    enum { PLACES = sizeof lines->touched / sizeof *lines->touched };
    return &lines->touched[(place * 0x9e3779b97f4a7c15ull >> 32) % PLACES];
}
// Whether a step that is not recorded has been noted: by the same lanes from the same place.
INLINE bool sample_lines_known(const struct warp *warp, struct sample_lines *lines, uint64_t first)
{
    const uint64_t place = sample_place(warp, lines, first);
    return lines->active == warp->active && *sample_place_kept(lines, place) == place;
}
// Notes a step that is not recorded, by the addresses of its lanes, each within a sector, and where a lane is not active that
// of another one; `first` is that of lane 0.
void sample_lines(struct warp *warp, struct sample_lines *lines, const uint64_t at[LANES], uint64_t first,
                  unsigned kind);
// The same with lanes as far apart as they were before. False: their addresses are needed.
bool sample_lines_again(struct warp *warp, struct sample_lines *lines, uint64_t first, unsigned kind);
// Sectors of an atomic request, with those processed again, by the lanes' addresses.
void sample_atomic(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned passes);
// Compares and swaps of the lanes of `mask` in global memory; those of `through` swapped. Others may be among them.
void sample_swaps(struct warp *warp, const uint64_t at[LANES], uint32_t mask, uint32_t through);
// Wavefronts of shared memory, sectors of local memory or of an atomic request.
void sample_passes(struct warp *warp, unsigned passes);
void sample_waves(struct warp *warp, unsigned waves); // of global memory, by banks; the step is recorded

// ---- bits of floating-point values ------------------------------------------------------------------------

INLINE uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
INLINE float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
INLINE uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
INLINE double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- pieces that handlers share --------------------------------------------------------------------------------

#define ROW32(warp, at) ((uint32_t *)(void *)((warp)->frame + (at)))
#define ROW64(warp, at) ((uint64_t *)(void *)((warp)->frame + (at)))
#define ROWF32(warp, at) ((float *)(void *)((warp)->frame + (at)))
#define ROWF64(warp, at) ((double *)(void *)((warp)->frame + (at)))
#define ROWP(warp, at) (*(uint32_t *)(void *)((warp)->frame + (at)))
// d[i] = value for every active lane i; `value` may use i. The loop for a full warp has no branch, so that it vectorises.
#define EACH_LANE(warp, d, value)                                                                            \
    do {                                                                                                     \
        if ((warp)->active == FULL_MASK)                                                                     \
            for (int i = 0; i < LANES; i++)                                                                  \
                (d)[i] = (value);                                                                            \
        else                                                                                                 \
            for (int i = 0; i < LANES; i++)                                                                  \
                (d)[i] = (warp)->lanes[i] ? (value) : (d)[i];                                                \
    } while (0)
// Sets the bits of active lanes in a predicate row; other bits are unchanged.
static inline void set_predicate(struct warp *warp, row at, uint32_t bits)
{
    ROWP(warp, at) = (ROWP(warp, at) & ~warp->active) | (bits & warp->active);
}

#endif
