// The machine that runs: decoded instructions, warps with their registers, blocks with their shared memory.
#ifndef WARPBOOK_SIM_MACHINE_H
#define WARPBOOK_SIM_MACHINE_H

#include <stdio.h>

#include "engine/sim/machine/budget.h"
#include "engine/sim/ptx/ptx.h"

enum { LANES = 32, MAX_WARPS = 32, BARRIERS = 16, NO_PC = 0x7fffffff };
enum { NO_MEETING = -1 }; // of a branch of which one side only leads to the kernel's end
#define FULL_MASK 0xffffffffu

// ---- decoded instructions ------------------------------------------------------------------------------

// Registers lie in rows of a warp's frame: u32[32] for types of up to 4 bytes (narrow values in the low bits,
// the rest zero), u64[32] for 8 bytes, one u32 mask for a predicate. An immediate is a row too, filled when the
// frame is made. Operands are byte offsets of rows from warp->frame. Rows are aligned to 64 bytes (predicates: 4).
typedef uint32_t row;

struct warp;
struct op;
typedef void (*lanes_fn)(struct warp *warp, const struct op *op);

enum op_kind {
    OP_LANES, // `run` does it, for the lanes in warp->active
    OP_SYNCED, // the same, after the lanes that `members` names have come together (shfl.sync, vote.sync, …):
               // execute.c waits for them and reports those that never come; `run` sees whom it got
    OP_BRANCH,  // bra: guard true → target
    OP_INDEXED, // brx.idx: a → targets[]
    OP_CALL,
    OP_RETURN,
    OP_EXIT,
    OP_BARRIER,   // bar.*, barrier.*
    OP_WARP_SYNC, // bar.warp.sync: `members`
    OP_TRAP,
    OP_UNKNOWN // named when reached
};

struct op {
    lanes_fn run;
    row d, a, b, c, e; // e: a second destination or a fourth source, as the handler says
    row members;       // OP_SYNCED, OP_WARP_SYNC: the u32 row of the member mask
    uint64_t imm;      // an offset, a rounding, a lookup: as the handler says
    uint16_t sub;      // a small choice of the handler's own
    uint8_t kind;      // enum op_kind
    uint8_t access;    // enum sim_access of a memory instruction; SIM_ACCESSES: none
    uint8_t bytes;     // of one lane's access, vector parts together
    uint8_t parts;     // 1, 2, 4, 8: vector width
    uint8_t space;     // enum ptx_space
    bool guarded, guard_negated;
    bool wide;     // of a memory instruction: the address row `a` is u64[32], else u32[32]
    bool dead;     // its result is never read (an atom that hardware runs as a red)
    bool releases; // a memory instruction that is a fence too, for what came before it
    bool spins;    // of a branch back: on the way round it looks at what other lanes may change
    row guard;
    int32_t target;     // pc of the branch; of the callee's function index for OP_CALL
    int32_t reconverge; // pc where both sides meet again; NO_PC: at the function's end; NO_MEETING
    int32_t order;      // flow_order.c: paths at lower ones go first
    int32_t tally;      // index of its counters, unique in the module
    // Of a memory instruction whose address is made from one shared variable (origin.c): where that begins and ends,
    // in the block's shared memory; else 0 and UINT32_MAX.
    uint32_t low, high;
    const int32_t *targets; // OP_INDEXED
    int32_t target_count;
    const row *rows;           // destinations or sources of vectors, `parts` of them
    const struct call *call;   // OP_CALL
    const struct fused *fused; // contract.c: what it negates first; NULL: nothing
    const char *trouble;       // OP_UNKNOWN: why
    const struct ptx_instruction *from;
};

// op->sub of OP_BARRIER; a: the barrier's row, b: the row of the count or 0, c: the predicate that is voted on.
enum barrier_action { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
enum { BARRIER_ALIGNED = 1, BARRIER_VOTE_NEGATED = 2 }; // op->imm

enum builtin { BUILTIN_NONE, BUILTIN_VPRINTF, BUILTIN_ASSERTFAIL };
struct call { // what a call passes: bytes of the caller's parameter area, or a row of registers
    struct passed {
        row at; // 0: bytes at `offset`
        bool wide;
        size_t offset;
    } * arguments, *returns;
    int argument_count, return_count;
    enum builtin builtin;
};

// A decoded function. `frame_bytes` is a warp's rows; constants say which rows hold what from the start.
struct constant_row {
    row at;
    bool wide;  // u64[32]
    bool local; // bits is an offset from where this call's local memory starts
    uint64_t bits;
};
enum special { // rows that the machine fills: per warp once, or when a block starts
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
    SPECIAL_COUNT
};
struct function {
    const struct ptx_function *from;
    struct op *ops;
    size_t op_count;
    size_t frame_bytes;
    struct constant_row *constants;
    size_t constant_count;
    row special[SPECIAL_COUNT]; // 0: not used by this function (row 0 is never a register)
    // Parameters: a kernel's are uniform bytes of the launch; a function's lie per lane in the frame's
    // parameter area. Offsets by ptx_variable order.
    size_t param_bytes; // per lane: formals, returns and the .param variables of its calls
    size_t *param_at, *return_at, *variable_at; // variable_at: of .param variables in that area, of .local
                                                // ones in the lane's local memory, of .shared ones in shared
    size_t local_bytes;                         // per lane
    size_t shared_bytes;                        // static, when this kernel runs
    row sink;                                   // where `_` goes: 256 bytes
    row *register_rows;                         // by register index, for views and checks
    struct constant_row *cleared;               // registers that are perhaps read before they are written
    size_t cleared_count;
    size_t index;
    struct uses *uses; // usage.c: of its registers, once somebody asked
};
struct module_variable { // .global, .const and module-level .shared
    const struct ptx_variable *from;
    uint64_t address; // generic for .global and .const; an offset for .shared
};
struct sim_module {
    struct ptx_text *text;
    struct arena *arena;
    struct function *functions;
    size_t function_count;
    struct module_variable *variables;
    size_t variable_count;
    struct sim_kernels kernels;
    size_t shared_bytes; // the most that a kernel has; dynamic shared memory starts behind it
    size_t tally_count;
    struct patience patience; // while it is decoded
};

// ---- addresses ------------------------------------------------------------------------------------------

// A device address is an allocation's number above 36 bits of offset, so that the owner of any address, also of
// one that is out of bounds, is a shift away. Number 0 is nobody's. Generic addresses of shared and local memory
// have windows of their own at the top.
enum { OFFSET_BITS = 36 };
_Static_assert(SIM_BUFFER_LIMIT == 1ull << OFFSET_BITS, "offsets into a buffer fill their bits");
#define SHARED_WINDOW 0x7f00000000000000ull
#define LOCAL_WINDOW 0x7e00000000000000ull
// Numbers below FIRST_BUFFER belong to the .global and .const variables of the module whose kernel runs (loaded.c);
// sim_memory_add counts from FIRST_BUFFER. Local addresses are offsets into the lane's own
// memory, where each call has its part; a kernel's parameter is at PARAM_WINDOW + its offset when its
// address is taken.
enum { FIRST_BUFFER = 4096 };
#define PARAM_WINDOW 0x7d00000000000000ull
// Above the offset a window says whose memory it is: the launch's number and the block's. A pointer that was kept
// for another block or launch is outside of that one's memory.
enum { APART_BLOCKS = 12, APART_LAUNCHES = 6 }; // bits
struct allocation {
    char name[64];
    unsigned char *host;
    size_t bytes, element_bytes;
    enum sim_role role;
    bool constant;
    void *shadow; // the checks' own, from launch to launch; NULL until there are checks
};
struct sim_memory {
    struct allocation *allocations; // [0] is nobody; numbers without owner have bytes 0
    size_t count, room;
    uint32_t launches;     // that have ended
    uint32_t segments;     // the checks' own: what they have numbered so far, over all launches
    struct loaded_variables *loaded; // the variables of modules, between launches too
    struct budget budget;  // of launches, and of what stays between them
};

// ---- warps, blocks, the machine ----------------------------------------------------------------------------

// The rows and parameters of one running function. Kept by the warp for the next call of that function.
struct frame {
    struct frame *next;
    const struct function *function;
    unsigned char *rows, *params;
    uint64_t filled_for; // the block whose special registers it holds, plus 1
    size_t local_base;   // where its local memory starts in each lane
};
// A path of a warp that waits: lanes in `mask` go on at pc and meet their sisters at `reconverge`. Children
// lie above their parents; the running path is the top. Below the bottom path of a called function (call) lies
// its caller's.
struct simt_path {
    uint32_t mask;
    int32_t pc, reconverge;
    struct frame *frame;
    const struct op *call;     // the call that this is the bottom path of; NULL: it is not one
    struct frame *caller;      // of that call
    const struct op *waits_at; // parked there until the lanes it names have come
    uint32_t late;             // not 0: after its sisters, and after those with lower numbers
};

// Counters of one PTX instruction on one host thread. A generic access can have costs in several spaces at once.
// COST_CAS_LOOP, COST_CAS_FETCH: the loads from shared and from global memory of an atomic that is a loop on hardware.
enum cost_space { COST_GLOBAL, COST_SHARED, COST_LOCAL, COST_CAS_LOOP, COST_CAS_FETCH, COST_SPACES };
struct cost { // as in struct sim_counters
    uint64_t requests, passes, ideal, conflicts;
};
struct tally {
    uint64_t warps, lanes, divergent;
    struct cost cost[COST_SPACES];
};

enum warp_state { WARP_READY, WARP_AT_BARRIER, WARP_DONE };
struct block;
struct warp {
    unsigned char *frame;  // the rows of the running function
    unsigned char *params; // its parameter area: param_bytes per lane, lane after lane
    uint32_t mask;         // lanes of the running path
    uint32_t active;       // of them, those whose guard holds: what a handler works on
    uint32_t lanes[LANES]
        __attribute__((aligned(64))); // all ones for active lanes; valid when active is not full
    const struct function *function;
    int32_t pc;         // of the instruction that runs
    uint32_t live;      // lanes that have not exited
    uint32_t exists;    // lanes that the block's size gives this warp
    struct simt_path *paths; // the stack; the running path is its top
    int depth, depth_room;
    int32_t limit;      // the running path stops before an instruction of this order: a sister waits there
    uint32_t last_late; // the number that was given last
    uint32_t expanded;  // the mask that `lanes` holds
    uint32_t leaving;   // lanes that ended at `leaving_at`, which counts once for all of them
    const struct op *leaving_at;
    enum warp_state state;
    int barrier; // which one it waits at
    const struct op *barrier_op;
    struct spin {        // execute.c: has it come back to where it was?
        uint64_t since;  // instructions since the last look
        uint32_t rounds; // looks that found it where it was, in the same round of states
        uint64_t states; // of that round
        bool reads;      // what others can see, on its way round
    } spin;
    uint64_t ran;   // instructions of this block
    uint32_t index; // in its block
    struct block *block;
    struct tally *tallies;         // by op->tally; NULL: not counting
    struct frame **frames;         // free ones, by function->index
    unsigned char *local;          // local_room bytes per lane, lane after lane
    size_t local_room, local_used; // per lane: used by the running call and its callers
    uint64_t *fault_address;       // scratch of the access handlers
    struct checks *checks;         // NULL: no checks
    bool poisoned;                 // a register may hold what comes from memory that nobody has written
    uint32_t carry;                // CC.CF of every lane, for add.cc, addc, …
    uint64_t clock; // what %clock reads; reading adds a little, execute.c adds what warp_run ran
};

struct barrier {
    uint32_t expected, arrived; // threads; expected 0: all of the block
    uint32_t votes_and, votes_or, votes_count;
    const struct op *first; // who came first
};
struct block {
    uint32_t id[3];
    uint64_t number;   // linear
    uint64_t position; // in the order of this launch
    uint64_t apart;    // what is added to the windows' addresses, by launch and block
    struct warp warps[MAX_WARPS];
    uint32_t warp_count, thread_count;
    uint32_t live_warps;
    double began;        // seconds, roughly
    bool passed_without; // said already: threads that had ended let a barrier pass
    unsigned char *shared;
    size_t shared_bytes;
    struct barrier barriers[BARRIERS];
    struct machine *machine;
    struct thread_state *thread; // of the host thread that runs it
};

// A host thread: its counters and what its blocks printed.
struct thread_state {
    struct machine *machine;
    struct tally *tallies;
    uint64_t executed; // warp instructions so far
    uint64_t longest;  // of the warp that ran the most of them
    uint64_t unsummed; // of them those that machine->executed does not have yet
    struct printed *printed;
    size_t printed_count, printed_bytes;
    struct block block;
};
// One launch: what all host threads share.
struct machine {
    const struct sim_module *module;
    const struct function *kernel;
    struct sim_memory *memory;
    const struct sim_launch *launch;
    struct sim_options options;
    unsigned char *kernel_params; // the launch's arguments as the kernel's parameter bytes
    struct thread_state *threads; // options.threads of them
    struct findings *findings;    // locked inside
    struct checks *checks;        // NULL without SIM_CHECK_ALL
    atomic_bool stop;             // set once: everyone ends soon
    uint64_t executed;            // warp instructions of all threads, added up now and then
    uint64_t next_position;       // of the next block that no host thread has taken
    uint64_t blocks;
    double started, deadline; // seconds; no deadline: INFINITY
};

static inline struct budget *budget_of(const struct warp *warp)
{
    return &warp->block->machine->memory->budget;
}

// Static and dynamic shared memory of each block.
static inline size_t block_shared_bytes(const struct machine *machine)
{
    uint32_t dynamic = machine->launch->shared_bytes;
    return dynamic ? machine->module->shared_bytes + dynamic : machine->kernel->shared_bytes;
}

// About no line; returns false, which everyone who looks at the code may see.
static inline bool fault_set(struct sim_fault *fault, const char *text)
{
    *fault = (struct sim_fault){ 0 };
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return false;
}

// ---- pieces that handlers share --------------------------------------------------------------------------------

#define ROW32(warp, at) ((uint32_t *)(void *)((warp)->frame + (at)))
#define ROW64(warp, at) ((uint64_t *)(void *)((warp)->frame + (at)))
#define ROWF32(warp, at) ((float *)(void *)((warp)->frame + (at)))
#define ROWF64(warp, at) ((double *)(void *)((warp)->frame + (at)))
#define ROWP(warp, at) (*(uint32_t *)(void *)((warp)->frame + (at)))
// d[i] = value for every active lane i; `value` may use i. The full warp has no test in its loop, so that the
// compiler makes vector code of it.
#define EACH_LANE(warp, d, value)                                                                            \
    do {                                                                                                     \
        if ((warp)->active == FULL_MASK)                                                                     \
            for (int i = 0; i < LANES; i++)                                                                  \
                (d)[i] = (value);                                                                            \
        else                                                                                                 \
            for (int i = 0; i < LANES; i++)                                                                  \
                (d)[i] = (warp)->lanes[i] ? (value) : (d)[i];                                                \
    } while (0)
// A predicate row gets a bit per active lane; the bits of other lanes stay.
static inline void set_predicate(struct warp *warp, row at, uint32_t bits)
{
    ROWP(warp, at) = (ROWP(warp, at) & ~warp->active) | (bits & warp->active);
}

#endif
