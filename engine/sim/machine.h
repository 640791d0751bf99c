// The machine that runs: decoded instructions, warps with their registers, blocks with their shared memory.
#ifndef WARPBOOK_SIM_MACHINE_H
#define WARPBOOK_SIM_MACHINE_H

#include "engine/sim/ptx.h"

enum { LANES = 32, MAX_WARPS = 32, NO_PC = 0x7fffffff };
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
    OP_LANES,   // `run` does it, for the lanes in warp->active
    OP_BRANCH,  // bra: guard true → target
    OP_INDEXED, // brx.idx: a → targets[]
    OP_CALL,
    OP_RETURN,
    OP_EXIT,
    OP_BARRIER,   // bar.*, barrier.*
    OP_WARP_SYNC, // bar.warp.sync: `a` is the mask's row
    OP_TRAP,
    OP_UNKNOWN // named when reached
};

struct op {
    lanes_fn run;
    row d, a, b, c, e; // e: a second destination or a fourth source, as the handler says
    uint64_t imm;      // an offset, a rounding, a lookup: as the handler says
    uint16_t sub;      // a small choice of the handler's own
    uint8_t kind;      // enum op_kind
    uint8_t access;    // enum sim_access of a memory instruction; SIM_ACCESSES: none
    uint8_t bytes;     // of one lane's access, vector parts together
    uint8_t parts;     // 1, 2, 4, 8: vector width
    uint8_t space;     // enum ptx_space
    bool guarded, guard_negated;
    row guard;
    int32_t target;         // pc of the branch; of the callee's function index for OP_CALL
    int32_t reconverge;     // pc where both sides meet again; NO_PC: at the function's end
    const int32_t *targets; // OP_INDEXED
    int32_t target_count;
    const row *rows; // destinations or sources of vectors, `parts` of them
    const struct ptx_instruction *from;
    int32_t tally; // index of its counters, unique in the module
};

// A decoded function. `frame_bytes` is a warp's rows; constants say which rows hold what from the start.
struct constant_row {
    row at;
    bool wide; // u64[32]
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
    size_t shared_bytes; // static, of all functions
    size_t tally_count;
};

// ---- addresses ------------------------------------------------------------------------------------------

// A device address is an allocation's number above 36 bits of offset, so that the owner of any address, also of
// one that is out of bounds, is a shift away. Number 0 is nobody's. Generic addresses of shared and local memory
// have windows of their own at the top.
enum { OFFSET_BITS = 36 };
#define SHARED_WINDOW 0x7f00000000000000ull
#define LOCAL_WINDOW 0x7e00000000000000ull
struct allocation {
    char name[64];
    unsigned char *host;
    size_t bytes, element_bytes;
    enum sim_role role;
    bool constant;
    void *shadow; // the checks' own; NULL without checks
};
struct sim_memory {
    struct allocation *allocations; // [0] is nobody
    size_t count;
};

// ---- warps, blocks, the machine ----------------------------------------------------------------------------

// A path of a warp that waits: lanes in `mask` go on at pc and meet their sisters at `reconverge`.
struct path {
    uint32_t mask;
    int32_t pc, reconverge;
    // The bottom path of a called function: when it ends, the caller goes on here.
    bool call;
    const struct function *caller;
    unsigned char *caller_frame, *caller_params;
    int32_t return_pc;
    const struct op *call_op;
};

// Counters of one PTX instruction on one host thread.
struct tally {
    uint64_t warps, lanes, divergent, requests, passes, ideal, conflicts;
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
    struct path *paths; // the stack; the running path is its top
    int depth, depth_room;
    enum warp_state state;
    int barrier;    // which one it waits at
    uint32_t index; // in its block
    struct block *block;
    struct tally *tallies; // by op->tally; NULL: not counting
    unsigned char *stack;  // frames of called functions, growing up
    size_t stack_used, stack_bytes;
    unsigned char *local;    // local_bytes per lane, lane after lane, for the call depth at hand
    uint64_t *fault_address; // scratch of the access handlers
};

struct barrier {
    uint32_t expected, arrived; // threads; expected 0: all of the block
    uint32_t votes_and, votes_or, votes_count;
    const struct op *first; // who came first
};
struct block {
    uint32_t id[3];
    uint64_t number; // linear
    struct warp warps[MAX_WARPS];
    uint32_t warp_count, thread_count;
    unsigned char *shared;
    size_t shared_bytes;
    struct barrier barriers[16];
    struct machine *machine;
    struct thread_state *thread; // of the host thread that runs it: findings, printed text, shadows
};

// One launch: what all host threads share.
struct machine {
    const struct sim_module *module;
    const struct function *kernel;
    struct sim_memory *memory;
    const struct sim_launch *launch;
    struct sim_options options;
    unsigned char *kernel_params; // the launch's arguments as the kernel's parameter bytes
    struct findings *findings;    // locked inside
    volatile bool stop;           // set once: everyone ends soon
};

// ---- decode.c: ptx.h → ops -----------------------------------------------------------------------------------

struct decoding { // one function while it is decoded
    struct sim_module *module;
    struct function *function;
    const struct ptx_instruction *in;
    row *register_rows;  // by register index
    const char *trouble; // set by a decoder that cannot: the op becomes OP_UNKNOWN
};
// A decoder knows one base opcode: it fills `out` or sets trouble and returns false.
struct decoder {
    const char *base;
    bool (*decode)(struct decoding *d, struct op *out);
};
// The row of operand `index` of the instruction as a value of this type; immediates and special registers get
// rows of their own, a symbol becomes its address. Row 0 with trouble set when it is no value.
row decode_value(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_destination(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_predicate(struct decoding *d, const struct ptx_operand *operand); // a register; negation apart
// [reg + offset] or [symbol + offset]: the base's row in out->a, whether it is 64 bits wide, the offset in imm.
bool decode_address(struct decoding *d, const struct ptx_operand *operand, struct op *out);
bool decode_fails(struct decoding *d, const char *trouble); // sets it, returns false

// Each ends with a row whose base is NULL.
extern const struct decoder integer_decoders[]; // lanes_integer.c: add sub mul mad div rem abs neg min max …
extern const struct decoder
    bit_decoders[]; // lanes_bit.c: and or xor not shl shr shf prmt lop3 popc clz bfe …
extern const struct decoder float_decoders[];    // lanes_float.c: f32 and f64, fma, rcp, sqrt, ex2, …
extern const struct decoder half_decoders[];     // lanes_half.c: f16, f16x2, bf16
extern const struct decoder convert_decoders[];  // lanes_convert.c: cvt, mov, cvta, selp, set, setp
extern const struct decoder memory_decoders[];   // access.c: ld st ldu prefetch cp.async
extern const struct decoder atomic_decoders[];   // access_atomic.c: atom red
extern const struct decoder exchange_decoders[]; // lanes_exchange.c: shfl vote match activemask redux elect
extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

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

// ---- finding.c ---------------------------------------------------------------------------------------------------

// Reports from inside a launch; many of one kind at one instruction (and one other) become one. `lane` is who.
struct report {
    enum sim_kind kind;
    enum sim_severity severity;
    const struct op *op, *other; // other: NULL, or the other side
    int lane;
    uint32_t other_block[3], other_thread[3];
    bool other_known;
    const char *space, *buffer;
    uint64_t address;
    int64_t element;
    uint64_t count; // 0 counts as 1
};
void finding_add(struct warp *warp, const struct report *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void thread_of_lane(const struct warp *warp, int lane, uint32_t out[3]);

// ---- check.c: shadows that only SIM_CHECK_ALL keeps ----------------------------------------------------------------

// Called by the access handlers after bounds and alignment hold for every lane in `mask`; nothing without checks.
struct touched {
    const struct op *op;
    enum ptx_space space; // SPACE_GLOBAL or SPACE_SHARED or SPACE_LOCAL, resolved
    const uint64_t *address;
    uint32_t mask;
    unsigned bytes;
    bool read, write, atomic;
};
bool check_is_on(const struct warp *warp);
void check_access(struct warp *warp, const struct touched *touched);
void check_barrier(struct block *block, int barrier);    // all threads passed it
void check_warp_sync(struct warp *warp, uint32_t lanes); // these lanes passed a warp-level barrier
void check_block_start(struct block *block);
void check_block_end(struct block *block);

// ---- execute.c ---------------------------------------------------------------------------------------------------

// Runs the warp until it waits, ends, or used up `budget` warp instructions; returns how many it ran.
uint64_t warp_run(struct warp *warp, uint64_t budget);
void warp_expand(struct warp *warp); // fills `lanes` from `active`

#endif
