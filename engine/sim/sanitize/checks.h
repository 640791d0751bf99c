// The base of the sanitizer. It is a race detector by happens-before, as FastTrack and ThreadSanitizer are,
// a definedness checker as Valgrind's memcheck is, and a checker of asynchronous copies.
//
// An epoch is what one warp does between two of its synchronisations. Epochs are numbered as they begin, over all
// launches on a memory, so that "before the launch", "before the block" and "before the last barrier" are comparisons of
// numbers and no shadow has to be cleared. A warp's vector clock has one epoch per warp of the block: the accesses of
// that warp in earlier epochs happen before what this warp does now. Shadow memory keeps, for each granule of memory, the
// epoch and the thread of its last accesses.
#ifndef WARPBOOK_SIM_SANITIZE_CHECKS_H
#define WARPBOOK_SIM_SANITIZE_CHECKS_H

#include "engine/sim/sanitize/sanitize.h"

// ---- shadows of memory --------------------------------------------------------------------------------------

// Races are detected by granules of 4 bytes, or fewer where a narrower access occurs, so that every access covers whole
// granules. A granule has up to four shadow cells: its last two writers and its last two readers. 32 granules are a line;
// one cell is enough for a line that a warp accesses as a whole, lane after lane. Most memory never needs more.
enum { LINE = 32, PAGE_LINES = 64, PAGE = LINE * PAGE_LINES };
struct shadow_cell {
    int32_t epoch; // 0: an empty cell
    uint32_t tag;  // the thread in its block, the op's tally, and flags; of a line: its first granule's
};
enum cell_part { CELL_EACH = 4, CELL_OP = 6, CELL_THREAD = 22, CELL_OPS = 1 << (CELL_THREAD - CELL_OP) };
enum cell_flag {
    CELL_ATOMIC = 1,
    CELL_STRONG = 2, // volatile, relaxed, acquire, release: it may synchronise threads
    // A cell of a reader or of an atomic is saturated when it and the other cell already conflict with every later access
    // that could conflict with one more of them: none has to be added.
    CELL_SATURATED = 4,
    CELL_SATURATED_IN_EPOCH = 8,     // saturated for accesses of this epoch
    CELL_EACH_MASK = 3 << CELL_EACH, // of a line: log2 of the granules that each lane has of it
    CELL_KNOWN = 0x80                // of checks.flags: the others have been looked up
};
struct shadow_page {
    struct shadow_cell *granule; // PAGE of them, valid where the line's cell is empty; NULL: none yet
    uint64_t lines;              // a bit per line: its cell is not empty
    int32_t newest;              // no cell of the page has a later epoch
    struct shadow_cell line[PAGE_LINES];
};
_Static_assert(PAGE_LINES == 64, "lines of a page are bits of a word");
enum shadow_slot { LAST_WRITE, OTHER_WRITE, LAST_READ, OTHER_READ, SLOTS };
struct shadow { // an allocation, or a block's shared memory
    struct budget *budget;
    size_t bytes, pages;
    unsigned shift;                   // a granule is 1 << shift bytes
    struct shadow_page **slot[SLOTS]; // a page is made when it is needed
    uint64_t *written;                // a bit per byte; NULL: has content from the start
    bool whole;                       // all of it is written
    // How often `whole` was asked for and not known; is_whole() examines all bits again after some of these.
    uint32_t doubts;
    bool copied;      // bytes that count as unwritten may hold a copy of an undefined value
    unsigned touched; // by a launch that guesses: a bit per enum touch
    bool kept;        // of such a launch: the first bytes are
    uint64_t *once;   // of such a launch: a bit per granule that was stored to; NULL: none was
    // The undefined bits of bytes that are defined in part (uninit_memory.c); NULL: none.
    struct partial_words *partial;
};
bool shadow_make(struct shadow *range, struct budget *budget, size_t bytes, unsigned shift, bool unwritten);
void shadow_drop(struct shadow *range);
// Forgets which threads accessed these bytes of an allocation, and what they wrote there.
void shadow_forget(struct shadow *range, uint64_t at, uint64_t bytes);
void shadow_page_drop(struct shadow *range, struct shadow_page **at);
bool shadow_page_ready(struct shadow *range, struct shadow_page **at, bool granules); // false: no memory
struct shadow_page *shadow_page_at(struct shadow *range, enum shadow_slot slot, uint64_t granule,
                                   bool make); // may be NULL
// A granule's cell: its own or, where its line has one, that of the line.
static inline struct shadow_cell shadow_cell_of_line(struct shadow_cell line, unsigned at)
{
    unsigned each = line.tag >> CELL_EACH & 3;
    line.tag = (line.tag & ~(uint32_t)CELL_EACH_MASK) + ((uint32_t)(at % LINE >> each) << CELL_THREAD);
    return line;
}
// The granule's own record, to write to; NULL: no memory.
struct shadow_cell *shadow_open(struct shadow *range, enum shadow_slot slot, uint64_t granule);

// ---- uninitialised values -------------------------------------------------------------------------------------

struct uninit_source { // a read of what no thread had written, or a shuffle from a lane that gives nothing
    const struct op *op;
    uint64_t address; // of a shuffle: the lane
    uint32_t thread;  // the one that reads, in its block
    enum ptx_space space;
    bool vague;          // or a read of a copy of such a value, whose first read is not known
    bool padding;        // other bytes of the value that was read had been written
    const char *missing; // of a shuffle: why that lane gives nothing; NULL: it is a read
};
struct undefined {               // the undefined bits of a value, by lane
    uint32_t lanes;              // those that have any
    uint32_t read;               // which read they came from, as long as it is kept; 0: none
    struct uninit_source source; // of the first such lane
    uint64_t bits[LANES];        // without meaning for the other lanes
    struct undefined *next;      // the next free cell
};
// The last reads of what no thread had written, so that a finding names the lane that it is about.
struct uninit_read {
    uint32_t number, lanes;
    struct uninit_source source[LANES];
};
enum { UNINIT_FRAMES = 16, UNINIT_PARTS = 8, UNINIT_READS = 32, UNINIT_PARAMS = 8, PARAM_WORDS = 2 };
struct uninit_value { // of a parameter: its first words of 8 bytes; NULL: defined
    struct undefined *word[PARAM_WORDS];
};
struct uninit_param {
    const char *name;
    struct uninit_value value;
};
struct uninit_frame {
    const unsigned char *rows;    // the frame that these are the registers of
    struct undefined **registers; // NULL: defined
    size_t count, room;
    struct uninit_param params[UNINIT_PARAMS]; // those that had undefined bits
    unsigned param_count;
    const struct op *call; // the last one made from here
};

// ---- definedness.c: which bits of a result are undefined when some bits of the operands are ------------------

// A value of which some bits may be anything. `value` is 0 in the bits that are set in `undefined`.
struct partial_value {
    uint64_t value, undefined;
};
enum { DEFINEDNESS_SOURCES = 5 };
struct definedness;
typedef uint64_t (*definedness_rule)(const struct definedness *how, const struct partial_value *source);
// How one instruction hands undefined bits on, lane by lane.
struct definedness {
    const struct op *op;
    const struct ptx_instruction *in;
    definedness_rule rule;
    int count;          // of its sources: the operands after the first
    unsigned width;     // bits of the instruction's first type
    bool is_signed;     // that type is
    bool second_output; // the result that is asked for is p of d|p
};

// The rule of an instruction whose result in a lane depends on the operands in that lane alone. An instruction without a
// rule of its own makes its whole result undefined when any bit of an operand is. `values_known`: the sources' values are
// those that it will read; without them most rules cannot say more than that.
struct definedness definedness_of(const struct op *op, bool values_known);
// The undefined bits of the result in one lane.
uint64_t definedness_result(const struct definedness *how, const struct partial_value *source);
// A mask of the `count` lowest bits.
static inline uint64_t bits_below(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}
// The low `width` bits, extended by the highest of them or by zeros.
static inline uint64_t bits_extended(uint64_t bits, unsigned width, bool is_signed)
{
    unsigned spare = width < 64 ? 64 - width : 0;
    return is_signed ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits << spare >> spare;
}

// ---- order ------------------------------------------------------------------------------------------------------

struct partial_sync { // accesses of these lanes in earlier epochs happen before what any of them does now
    uint32_t lanes;
    int32_t epoch;
};
enum { PARTIAL_SYNCS = 16 };
struct warp_checks {
    int32_t epoch;      // the current one; 0: the next access begins one
    int32_t fence;      // the first epoch after its last fence; 0: it made none
    int32_t sync_epoch; // the whole warp has synchronised: earlier epochs happen before for all its lanes
    // Its vector clock: accesses of warp w in epochs before clock[w] happen before its own.
    int32_t clock[MAX_WARPS];
    struct partial_sync partial[PARTIAL_SYNCS];
    unsigned partial_count;
    uint64_t *local;   // a bit per byte of the lanes' local memory, lane after lane: written by its thread
    size_t local_room; // bytes per lane
    struct uninit_read reads[UNINIT_READS];
    uint32_t read_count;
    struct uninit_frame frames[UNINIT_FRAMES];
    unsigned frame_count;
    struct undefined stored[UNINIT_PARTS]; // of the values that the memory instruction at hand stores
    struct undefined *carry;               // of add.cc and its kind
    struct uninit_value passed[UNINIT_PARAMS], returned[UNINIT_PARAMS]; // by the call at hand, by number
};
struct block_epochs { // blocks by their first epoch, to name the other side of a race
    int32_t first;
    uint32_t id[3];
    int32_t released;         // its accesses up to this epoch are released to blocks that acquire; 0: none
    int32_t released_atomics; // so are its atomics up to this one; 0: none
};
// How a launch that guesses accesses memory: only the last kind is recorded, as long as a place sees one kind, and in shared
// memory not even that (owners.c).
enum touch { TOUCH_READ, TOUCH_ATOMIC, TOUCH_OTHER, TOUCHES };
// Shared memory between two barriers of the whole block: a bit per line of 128 bytes that was touched. Of a strided access
// these are all lines between its ends.
enum { TOUCHED_SHIFT = 7, TOUCHED_WORDS = ((227 << 10) >> TOUCHED_SHIFT) / 64 + 1 };
struct interval {
    int32_t began; // checks.ordered
    uint64_t touched[TOUCHES][TOUCHED_WORDS];
};
struct checks {
    struct machine *machine;
    struct shadow shared;
    unsigned guesses; // enum guess
    struct shadow *
        *own; // of a launch that guesses: its shadows of global memory, by allocation; NULL: the memory's
    uint32_t *epochs, own_epochs; // the last one, kept by the memory, or by a further host thread for itself
    int32_t launch_first, block_first;
    int32_t ordered;     // a barrier of the whole block: epochs before this one happen before what comes now
    int32_t fence_epoch; // the last epoch before the block's last fence; 0: it made none
    bool fences;         // the block has made a fence
    // The clock that releases in this block have given away; the next atomic acquires it.
    int32_t released_clock[MAX_WARPS];
    bool partial;                   // the module has barriers of a part of the block
    struct shadow_cell *warp_cells; // race.c; NULL: every barrier takes the whole block
    // The clocks of warps that arrived at a barrier without waiting.
    int32_t arrived_clock[BARRIERS][MAX_WARPS];
    bool acquired; // the block has made an access that may acquire from other blocks
    struct block_epochs *marks;
    size_t mark_count, mark_room;
    struct phases *phases;             // phase.c; NULL: none yet
    bool wants_fences;                 // what threads write to shared memory is remembered for bulk copies
    struct async_copies *async_copies; // async_copy.c; NULL: there was no asynchronous copy yet
    struct cas_loads *cas_loads;       // race_report.c
    struct checks_pools {
        struct stored_words *stored_words; // uninit_memory.c; NULL: nothing was kept yet
        struct undefined_chunk *chunks;    // uninit.c: cells for undefined bits
        struct undefined *free_cells;
    } pools;
    const struct op **ops; // by tally; those that touched memory; one array for blocks that run together
    const struct op **first_use; // by tally of a read: what its uninitialised value was used for first
    uint8_t *flags;              // by tally: enum cell_flag
    size_t tallies;
    struct interval interval;
    struct owners *owners; // owners.c; NULL: none are kept
    // Blocks that run together; NULL: each by itself. `seat`: the block's number among them.
    struct together *together;
    uint32_t seat;
    uint32_t warp_count;
    struct warp_checks warps[]; // from here on a snapshot of a trace has parts, or nothing
};

// ---- together.c: blocks that run together, as those of a cluster do ---------------------------------------------

// Their epochs are numbered in turn, so that a table says whose an epoch is. What one block knows of another is a clock:
// epochs up to it happen before. Cluster barriers join clocks warp by warp; releases and acquires, block by block.
struct remote_access { // the last one by a warp to the shared memory of another block of its cluster
    int32_t epoch;     // 0: none
    const struct op *op;
    int lane;
    uint64_t address;
};
struct together {
    uint32_t seats, cluster, warps; // blocks that run together, of a cluster; warps of a block
    int32_t first, unit_first;      // the first epoch of the launch, of those that run
    uint64_t position;              // in the order of the launch, of the first block of those that run
    uint32_t *owner;                // by epoch, from `first` on: the position of its block
    size_t owners, owner_room;
    struct block_epochs *marks; // by position
    size_t mark_count, mark_room;
    uint32_t releases; // counts them
    struct acquired {  // by seat, then by seat: what was released when the one last acquired
        int32_t plain, atomics;
    } * acquired;
    uint32_t *acquired_at; // by seat: `releases` then
    // By seat, warp, rank and warp of that: epochs before it happen before. By seat, parity of the phase, and warp: the epoch
    // that began when it arrived.
    int32_t *known, *arrived;
    struct remote_access *remote; // by the seat of the memory, then by rank and warp of who accessed it
};
struct access;
size_t together_bytes(const struct machine *machine);
bool together_start(struct thread_state *thread); // of the first of them; false: no memory
void together_end(struct checks *checks);
// As uninit_pass and the like do, for snapshots of a trace.
typedef void checks_pass(void *context, void *what, size_t bytes);
bool together_pass(struct checks *checks, bool loads, checks_pass *pass, void *context);
void together_block_starts(struct checks *checks, const struct block *block);
void together_epoch(struct checks *checks); // the newest is this block's
// The position of an epoch's block; UINT32_MAX: of an earlier launch.
static inline uint32_t together_position(const struct together *t, int32_t epoch)
{
    int64_t at = (int64_t)epoch - t->first;
    return at >= 0 && (size_t)at < t->owners ? t->owner[at] : UINT32_MAX;
}
void together_release(
    struct warp *warp); // an atomic or a volatile access: it acquires, and releases what is fenced
// Of another block that runs now: whether it happens before. TOGETHER_NOT: it does not run.
enum together_known { TOGETHER_UNKNOWN, TOGETHER_KNOWN, TOGETHER_NOT };
enum together_known together_knows(const struct access *access, struct shadow_cell r);
bool together_access(
    const struct access *access); // to another block's shared memory; false: it may not exist
// Whether nothing makes sure that this block has started when the other one, or the other way round, accesses its memory.
bool together_unstarted(const struct access *access, int32_t epoch);

// ---- guess.c ----------------------------------------------------------------------------------------------------

// Before the first store to an allocation: keeps its bytes.
void guess_keep(struct machine *machine, uint64_t number);
// Whether all these lines of shared memory were noted in this way before, since the last barrier; false if in doubt.
static inline bool guess_has_noted(const struct checks *checks, uint64_t low, uint64_t bytes, enum touch how)
{
    const uint64_t first = low >> TOUCHED_SHIFT, last = (low + bytes - 1) >> TOUCHED_SHIFT;
    const uint64_t lines = ~0ull << first % 64 & ~0ull >> (63 - last % 64);
    return checks->interval.began == checks->ordered && first / 64 == last / 64 &&
           !(lines & ~checks->interval.touched[how][first / 64]);
}
// Whether nothing has to be recorded of an access, provided that the guess is right. In shared memory a write is not covered
// by this alone.
bool guess_covers(struct checks *checks, struct shadow *range, bool global, uint64_t low, uint64_t bytes,
                  enum touch how);
// The same of a plain store to global memory, which then has to be the first one to each of its granules, and is noted as such.
bool guess_stores_once(const struct access *access);
// A shadow for this launch alone, which knows what was written before; NULL: no memory.
struct shadow *guess_shadow(struct machine *machine, struct allocation *allocation);
struct shadow *shadow_new(struct budget *budget, const struct allocation *allocation);

// ---- one access of a warp ----------------------------------------------------------------------------

struct access {
    struct warp *warp;
    struct checks *checks;
    const struct touched *touched;
    struct shadow *range;
    const struct allocation *allocation; // NULL: shared or local
    const struct block *block;           // of shared memory: the block that it belongs to
    uint64_t base;                       // an address less this is an offset in the range
    uint32_t mask;
    bool straight;      // all lanes are active and their addresses adjoin
    int32_t epoch;      // of this access
    int32_t oldest;     // cells of earlier epochs are outdated
    int32_t sync_epoch; // cells of this warp before this epoch happen before
};
static inline uint64_t offset_of(const struct access *access, int lane)
{
    return access->touched->address[lane] - access->base;
}
// A span of bytes in an array with a bit per byte: whether all its bits are set; sets or clears them.
static inline bool span_written(const uint64_t *bits, uint64_t at, uint64_t bytes)
{
    if (!bytes)
        return true;
    uint64_t first = at >> 6, last = (at + bytes - 1) >> 6;
    uint64_t head = ~0ull << (at & 63), tail = ~0ull >> (63 - ((at + bytes - 1) & 63));
    if (first == last)
        return !(~bits[first] & head & tail);
    uint64_t missing = (~bits[first] & head) | (~bits[last] & tail);
    for (uint64_t word = first + 1; word < last && !missing; word++)
        missing = ~bits[word];
    return !missing;
}
static inline void span_mark(uint64_t *bits, uint64_t at, uint64_t bytes, bool written)
{
    for (uint64_t end = at + bytes; at < end;) {
        unsigned from = at & 63;
        uint64_t n = end - at < 64 - from ? end - at : 64 - from;
        uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << from;
        bits[at >> 6] = written ? bits[at >> 6] | mask : bits[at >> 6] & ~mask;
        at += n;
    }
}
// Whether all bits are set of the bytes of some lanes, at address - base each; quick, and false if in doubt.
static inline bool lanes_written(const uint64_t *bits, const uint64_t address[LANES], uint64_t base,
                                 uint32_t lanes, unsigned bytes)
{
    uint64_t written = ~0ull, crooked = bytes > 64 || bytes & (bytes - 1);
    for (unsigned i = 0; lanes == FULL_MASK && i < LANES; i++) {
        const uint64_t at = address[i] - base;
        written &= bits[at >> 6] >> (at & 63);
        crooked |= at & (bytes - 1);
    }
    for (uint32_t left = lanes == FULL_MASK ? 0 : lanes; left; left &= left - 1) {
        const uint64_t at = address[__builtin_ctz(left)] - base;
        written &= bits[at >> 6] >> (at & 63);
        crooked |= at & (bytes - 1);
    }
    return !crooked && !(~written & bits_below(bytes));
}
// Whether all of these bytes of the lane's local memory, or of the block's shared memory, have a value.
static inline bool checks_know_value(const struct warp *warp, bool shared, int lane, uint64_t at,
                                     uint64_t bytes)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct shadow *block = &warp->checks->shared;
    if (shared)
        return at + bytes <= block->bytes &&
               (block->whole || !block->written || span_written(block->written, at, bytes));
    return state->local && at + bytes <= state->local_room &&
           span_written(state->local + (size_t)lane * (state->local_room / 64), at, bytes);
}
// The write of an asynchronous copy, when its thread has waited for it: checked for races alone.
void checks_copy_lands(struct warp *warp, const struct touched *touched);

// ---- owners.c ----------------------------------------------------------------------------------------------------

void owners_start(struct checks *checks); // with each block
void owners_end(struct checks *checks);   // with the launch
// Takes down an access to these bytes of shared memory, and says whether it fits GUESS_OWN. Lanes that write may meet.
enum owners_verdict { OWNERS_CLASH, OWNERS_MEET, OWNERS_APART };
BUILT(enum owners_verdict, owners_note, const struct access *access, uint64_t low, uint64_t bytes,
      enum touch how);

// ---- race.c, race_warp.c, race_report.c ----------------------------------------------------------------------------

int32_t race_epoch(struct warp *warp); // of an access made now
void race_access(const struct access *access);
// Compares and records the access of these lanes, if none of them may conflict. False: nothing has been done.
BUILT(bool, race_together, const struct access *access, uint32_t lanes, uint32_t mine);
// Whether the lanes' addresses rise or fall from lane to lane, so that no two are alike; quick, and false if in doubt.
BUILT(bool, race_lanes_differ, const struct access *access);
// Records a lane's access where `last`, the cell of its granule, may be unordered with it.
void race_record(const struct access *access, struct shadow_cell *last, unsigned lane, uint64_t granule,
                 struct shadow_cell new);
const struct block_epochs *race_block_of_epoch(const struct checks *checks,
                                               int32_t epoch); // the block that had this epoch; NULL: unknown
// A shadow cell per warp and granule, for kernels with barriers of a part of the block.
bool race_cells_wanted(const struct sim_module *module);
size_t race_cells_bytes(size_t shared, unsigned shift, uint32_t warps);
void race_cells_start(struct checks *checks, const struct block *block);
void race_cells_end(struct checks *checks);
struct cas_loads *race_cas_loads_new(void); // NULL: no memory
void race_cas_loads_free(struct cas_loads *cas_loads);
// Whether the instruction is a plain load whose value a compare-and-swap of the same place then expects.
bool race_cas_load_is(struct cas_loads *cas_loads, const struct sim_module *module,
                      const struct ptx_instruction *in);
// Whether blocks that ran before have touched what lies at this offset, in this launch.
bool race_of_blocks(const struct access *access, uint64_t offset);
enum race_scope { SAME_INSTRUCTION, SAME_WARP, SAME_BLOCK, OTHER_BLOCK };
struct race_conflict { // the other side of a race
    int32_t epoch;
    uint32_t tag;
    bool write;
};
void race_report(const struct access *access, int lane, uint64_t offset, const struct race_conflict *other,
                 enum race_scope scope, bool same_value);
// `thread` copies by `copy` what these lanes touch, and has not waited for it.
void race_report_early(const struct access *access, uint32_t lanes, const struct op *copy, uint32_t thread);

// ---- async_copy.c ---------------------------------------------------------------------------------------

void async_copies_start(struct checks *checks);       // with each block
void async_copies_end(struct checks *checks);         // with the launch
void async_copies_check(const struct access *access); // reports accesses to bytes that a copy still writes

// ---- phase.c ----------------------------------------------------------------------------------------------

void phases_start(struct checks *checks); // with each block
void phases_end(struct checks *checks);   // with the launch
bool phases_wanted(const struct sim_module *module);
bool phases_want_fences(const struct sim_module *module);
void phases_check(const struct access *access);

// ---- uninit_memory.c, uninit.c, uninit_cells.c ----------------------------------------------------------------------------

void uninit_access(const struct access *access);
void uninit_local_access(struct access *access);
void uninit_local_reset(struct warp_checks *state);
// The table of undefined values that wait in shared and local memory: emptied for each block, freed with the launch.
void uninit_stored_start(struct checks *checks);
void uninit_stored_end(struct checks *checks);
void uninit_partial_drop(struct shadow *range);
// For snapshots of a trace: each calls `pass` for every piece that is saved or (`loads`) restored, in the same order.
// False: there is no memory.
bool uninit_stored_pass(struct checks *checks, bool loads, checks_pass *pass, void *context);
bool uninit_partial_pass(struct shadow *range, bool loads, checks_pass *pass, void *context);
// The state of a warp's checks without its local memory, and the undefined bits of its registers.
bool uninit_pass(struct checks *checks, struct warp_checks *state, bool loads, checks_pass *pass,
                 void *context);
// The undefined bits of what a lane reads; `from`: the first byte, counted from the start of the lane's access.
uint64_t uninit_in_memory(const struct access *access, int lane, unsigned from, unsigned bytes,
                          struct uninit_source *source);
// Gives a load's registers their undefined bits; parts: for each part of a vector the lanes that have some.
void uninit_loaded(const struct access *access, const uint32_t *parts);
// Adds the undefined bits of these lanes; the source stays that of the first one. Copies them; `from` NULL: they are defined.
void uninit_add(struct undefined *to, const struct undefined *from, uint32_t lanes, uint64_t mask);
void uninit_assign(struct checks *checks, struct undefined **to, const struct undefined *from, uint32_t lanes,
                   uint64_t mask);
// What a step of a matrix instruction stores from its k-th register.
void uninit_stored_part(const struct warp *warp, const struct matrix_part *part, unsigned k,
                        struct undefined *out);
void uninit_reset(struct warp *warp);
void uninit_end(struct checks *checks);
// Reports that the value matters here. `use`: "stores what it computed from it to y[3]".
void uninit_report(struct warp *warp, const struct op *op, const struct undefined *value, uint32_t lanes,
                   const char *use);

#endif
