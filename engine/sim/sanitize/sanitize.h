// The sanitizer as the rest of the simulator sees it: findings and their sentences, and the hooks that schedule/, access/
// and lanes/ call while a kernel runs.
#ifndef WARPBOOK_SIM_SANITIZE_H
#define WARPBOOK_SIM_SANITIZE_H

#include "engine/sim/machine/build.h"
#include "engine/sim/machine/machine.h"

// ---- findings.c ---------------------------------------------------------------------------------------------------

// Reports from inside a launch; those of one kind at one instruction (and one other) become one finding. `lane` is the
// lane that it is about.
struct finding_report {
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
    bool wide;      // of a race: more than one block touches the place
    bool update;    // of a race: what is written depends on what was read at the same place
};
// Counts a report whose cause was reported before. False: it is new, and needs finding_add with a sentence.
bool finding_repeats(struct warp *warp, const struct finding_report *report);
void finding_add(struct warp *warp, const struct finding_report *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct findings *findings_new(void);
struct findings *findings_copy(const struct findings *from); // NULL: no memory
void findings_free(struct findings *findings);
size_t findings_count(struct findings *findings); // of causes
// Copies the finding whose cause was found last; false: there is none yet.
bool findings_latest(struct findings *findings, struct sim_finding *out);
// Sorted: worst first, then by line. Gives the array to `out`.
bool findings_take(struct findings *findings, struct sim_finding **out, size_t *count);

// ---- hooks of the checks, which only SIM_CHECK_ALL runs ---------------------------------------------

// What is found must not depend on which block got there first: a launch with SIM_CHECK_ALL in which something is found
// runs on one host thread, one block after the other. Without it thread->checks and warp->checks are NULL and none of this is called.
struct checks;                                      // of a host thread of a launch
size_t checks_bytes(const struct machine *machine); // that checks_start and the first block take
bool checks_start(struct thread_state *thread);     // before the first block; false: no memory
void checks_end(struct thread_state *thread);       // after the last
bool guess_start(struct machine *machine); // after checks_start of all host threads; false: no memory
// After the last block: buffers get their first bytes back if a guess was wrong, else the launch's shadows. `late`: there is
// no time to run the launch again in order.
void guess_end(struct machine *machine, bool late);
double guess_bytes(const struct sim_memory *memory); // that guessing takes in a launch like the last one
// Takes guesses back: the launch stops.
void guess_wrong(struct machine *machine, unsigned guesses);
void checks_memory_free(struct sim_memory *memory); // memory.c, before the allocations go
void checks_memory_drop(struct sim_memory *memory, struct allocation *one); // memory.c, before this one goes
void checks_block_start(struct block *block); // sets warp->checks of its warps; when they exist
// A barrier of the block: accesses before it happen before those after it. `warps`: a bit per warp that took part.
void race_barrier(struct block *block, int id, uint32_t warps);
void race_arrive(struct warp *warp, int id); // at barrier `id`, without waiting for it
// The barrier of a cluster: a warp arrives in a phase, or has waited for one. The block's last warp has ended.
void together_arrives(struct warp *warp, uint32_t phase, bool releases);
void together_waited(struct warp *warp, uint32_t phase);
void together_block_ends(struct block *block);
void uninit_call_starts(struct warp *warp, size_t from, size_t bytes); // its local memory has no content yet
void race_warp_sync(struct warp *warp, uint32_t lanes); // these lanes passed bar.warp.sync or another *.sync
void race_fence(struct warp *warp, bool wide);          // membar and fence; wide: of more than the block
// cp.async: these lanes start their copies to these offsets of shared memory; the active lanes make a group of the
// copies that they have started; they wait for all of them, or for all groups but the last `but`.
void async_copy_leaves(struct warp *warp, const struct op *op, const uint64_t *at, uint32_t lanes);
void async_copy_commits(const struct warp *warp);
void async_copy_waits(struct warp *warp, const struct op *op, bool for_all, uint32_t but);
// Barriers in shared memory, by their offset: initialised; a lane arrives, or a copy has come, at one of this block; the phase
// completes; a lane has seen that.
void mbarrier_starts(struct warp *warp, uint64_t at);
void mbarrier_arrives(struct warp *warp, const struct block *of, uint64_t at);
void mbarrier_completes(struct warp *warp, uint64_t at);
void mbarrier_waited(struct warp *warp, uint64_t at);
// A bulk copy to these bytes of shared memory, which completes on a barrier, or from them (`loads` false); groups of the
// latter; fence.proxy.async.
void bulk_leaves(struct warp *warp, const struct op *op, int lane, bool loads, uint64_t from, uint64_t size,
                 uint64_t barrier);
void bulk_commits(struct warp *warp);
void bulk_waits(struct warp *warp, uint32_t but);
void bulk_fence(struct warp *warp);
// execute.c, before every instruction of any kind while warp->poisoned (active set): some register may hold a
// value made from memory that no thread has written.
void uninit_follow(struct warp *warp, const struct op *op);
// Each active lane of a shuffle gets the value of lane source[i], which is undefined if that lane does not take part.
void uninit_shuffle(struct warp *warp, const struct op *op, const int source[LANES]);

// Called by the access handlers when bounds and alignment hold for every lane in `mask`, and before memory
// changes, so that what is there can be compared with what is to come.
// What a step of a matrix instruction moves: registers `first` and on, `count` of them, or bits from `shift` on of one; if it
// is transposed, lanes exchange halves: row r of 8 by 8 of these is in lanes 4 r to 4 r + 3.
struct matrix_part {
    uint8_t first, count, shift;
    bool transposed;
};
// Exchanges the halves of an 8 by 8 matrix.
static inline uint32_t matrix_transposed(const uint32_t lane[LANES], unsigned i)
{
    const unsigned from = i % 4 * 8 + i / 8, shift = i / 4 % 2 * 16;
    return (lane[from] >> shift & 0xffff) | lane[from + 4] >> shift << 16;
}
struct touched {
    const struct op *op;
    enum ptx_space space; // SPACE_GLOBAL, SPACE_SHARED or SPACE_LOCAL, resolved
    // Device addresses; for shared and local memory offsets into the block's, the lane's.
    const uint64_t *address;
    uint32_t mask;
    unsigned bytes; // of one lane, vector parts together
    bool read, write, atomic;
    const row *values; // a plain store's `parts` rows of values, or NULL; 8-byte parts are u64 rows
    unsigned parts;
    bool same, row; // known of a full warp: one address for all lanes; elements that adjoin, lane after lane
    uint64_t low,
        span;         // the bytes from the lowest lane's first to the highest lane's last; span 0: not known
    enum build build; // of the handler
    const struct matrix_part *part; // of a matrix instruction; NULL: it is none
    bool bulk;                      // by a bulk copy
    bool fetch;                     // through a texture, which uses what it reads at once
    const struct block *block;      // of shared memory: whose it is; NULL: the warp's own
};
static inline bool checks_are_on(const struct warp *warp)
{
    return warp->checks != NULL;
}
void checks_access(struct warp *warp, const struct touched *touched);
// The words of the block's shared memory that the lanes of an access have, each lane another one.
enum { NEAR_WORDS = 64 };
struct lane_words {
    unsigned count;               // from the lowest to the highest
    uint16_t word[LANES];         // of each lane, from the lowest
    uint16_t lane_of[NEAR_WORDS]; // where no more are counted: whose each is, from 1 on; 0: no lane's
};
// What checks_access does, for a plain load or store of such words; the lowest one is at `low`. `exact`: the first and the last
// are of active lanes. False: nothing has been done, and checks_access is to be asked. (owners.c)
BUILT(bool, owners_settle, struct warp *warp, const struct op *op, bool write, uint64_t low,
      const struct lane_words *words, bool exact);
// Whether nothing has to be looked at or recorded of a plain read of these bytes: of what the guess covers (guess.c), without
// values that nobody has written. `touched`: the lanes, NULL where they are not at hand; then checks_access may know more.
bool checks_read_is_covered(struct warp *warp, const struct op *op, enum ptx_space space, uint64_t low,
                            uint64_t span, const struct touched *touched);

// ---- finding_text.c: the sentences of findings -----------------------------------------------------------------------------

// The variable and the element at an address; outside of all variables, the nearest one.
struct address_name {
    const char *space; // "shared"
    char buffer[64];   // "" when it belongs to nothing
    int64_t element;   // negative: before its start; `elements` or more: past its end
    uint64_t elements, element_bytes;
};
void finding_name_address(const struct warp *warp, enum ptx_space space, uint64_t address,
                          struct address_name *out);
// Arrays of anything are written as bytes; their alignment says what they are arrays of.
size_t finding_element_bytes(const struct ptx_variable *variable);
// "Thread (3,0,0) of block (1,0,0)"
const char *finding_name_lane(const struct warp *warp, int lane, char out[80]);
const char *finding_say_line(const struct op *op, char out[40]); // "line 12", or "line 7 of the PTX"
bool finding_same_line(const struct op *a, const struct op *b);
// For access.c: these lanes' accesses leave every variable, or are not multiples of their size. One finding.
void finding_out_of_bounds(struct warp *warp, const struct op *op, enum ptx_space space,
                           const uint64_t *address, uint32_t lanes, unsigned bytes, bool write);
// free of an address that malloc never gave, or that was freed before.
void finding_free(struct warp *warp, const struct op *op, uint64_t address, int lane, bool again);
void finding_misaligned(struct warp *warp, const struct op *op, enum ptx_space space, const uint64_t *address,
                        uint32_t lanes, unsigned bytes, bool write);

#endif
