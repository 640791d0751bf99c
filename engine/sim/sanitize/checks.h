// What the files of the checks share: shadows of memory, the order of accesses, and where values came from.
//
// What one warp touches between two synchronisations is a segment. Segments are numbered as they begin, over all
// launches on a memory, so that "older than the launch", "older than the block" and "older than the last barrier"
// are comparisons, and nothing has to be cleared.
#ifndef WARPBOOK_SIM_SANITIZE_CHECKS_H
#define WARPBOOK_SIM_SANITIZE_CHECKS_H

#include "engine/sim/sanitize/sanitize.h"

// ---- shadows of memory --------------------------------------------------------------------------------------

// A granule is what races are judged by: 4 bytes, fewer where something narrower is accessed, so that every
// access covers whole granules. For each there are up to four records. 32 granules are a line, and when a warp
// touches a whole line, lane after lane, one record stands for all: most memory never needs more.
enum { LINE = 32, PAGE_LINES = 64, PAGE = LINE * PAGE_LINES };
struct record {
    int32_t segment; // 0: none
    uint32_t who;    // the thread in its block, the op's tally, and flags; of a line: its first granule's
};
enum who_part { WHO_EACH = 4, WHO_OP = 6, WHO_THREAD = 22, WHO_OPS = 1 << (WHO_THREAD - WHO_OP) };
enum who_flag {
    WHO_ATOMIC = 1,
    WHO_STRONG = 2, // volatile, relaxed, acquire, release: made for talking to other threads
    // Of readers, or of atomics: with the other record it convicts whoever comes, so that more add nothing.
    WHO_SETTLED = 4,
    WHO_PAIRED = 8,               // the same for as long as no other warp comes
    WHO_EACH_MASK = 3 << WHO_EACH // of a line: log2 of the granules that each lane has of it
};
struct page {
    struct record line[PAGE_LINES];
    struct record *granule; // PAGE of them, valid where the line has no record; NULL: none yet
};
enum slot { LAST_WRITE, OTHER_WRITE, LAST_READ, OTHER_READ, SLOTS };
struct range { // an allocation, or a block's shared memory
    struct budget *budget;
    size_t bytes, pages;
    unsigned shift;            // a granule is 1 << shift bytes
    struct page **slot[SLOTS]; // pages come into being when needed
    uint64_t *written;         // a bit per byte; NULL: has content from the start
    bool whole;                // all of it is written
    uint32_t doubts;           // how often that was not known when it would have helped
    bool copied;               // bytes that count as unwritten may hold a copy of what no thread has written
    struct partial_words *partial; // uninit_memory.c: of bytes that are defined in part; NULL: none
};
bool range_make(struct range *range, struct budget *budget, size_t bytes, unsigned shift, bool unwritten);
size_t range_bytes(size_t bytes, unsigned shift, bool unwritten); // that range_make takes
void range_drop(struct range *range);
void range_grain(struct range *range, unsigned shift); // forgets the records when it changes
void range_page_drop(struct range *range, struct page **at);
bool range_page_ready(struct range *range, struct page **at, bool granules);               // false: no memory
struct page *range_page(struct range *range, enum slot slot, uint64_t granule, bool make); // may be NULL
// A granule's record, from its line or its own.
static inline struct record record_of_line(struct record line, unsigned at)
{
    unsigned each = line.who >> WHO_EACH & 3;
    line.who = (line.who & ~(uint32_t)WHO_EACH_MASK) + ((uint32_t)(at % LINE >> each) << WHO_THREAD);
    return line;
}
static inline struct record record_in(const struct page *page, unsigned at)
{
    if (!page)
        return (struct record){ 0, 0 };
    struct record line = page->line[at / LINE];
    if (line.segment)
        return record_of_line(line, at);
    return page->granule ? page->granule[at] : line;
}
static inline struct record record_peek(const struct range *range, enum slot slot, uint64_t granule)
{
    return record_in(granule / PAGE < range->pages ? range->slot[slot][granule / PAGE] : NULL,
                     granule % PAGE);
}
// The granule's own record, to write to; NULL: no memory.
struct record *record_open(struct range *range, enum slot slot, uint64_t granule);

// ---- uninitialised values -------------------------------------------------------------------------------------

struct uninit_source { // a read of what no thread had written, or a shuffle from a lane that gives nothing
    const struct op *op;
    uint64_t address; // of a shuffle: the lane
    uint32_t thread;  // the one that reads, in its block
    enum ptx_space space;
    bool vague;          // or of a copy of such a value, from who knows where
    bool padding;        // other bytes of the value that was read had been written
    const char *missing; // of a shuffle: why that lane gives nothing; NULL: it is a read
};
struct undefined {               // the undefined bits of a value, by lane
    uint32_t lanes;              // those that have any
    uint32_t read;               // which read they came from, as long as it is kept; 0: none
    struct uninit_source source; // of the first such lane
    uint64_t bits[LANES];        // of the other lanes without meaning
    struct undefined *next;      // of those that are free
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

// ---- order ------------------------------------------------------------------------------------------------------

struct partial_sync { // these lanes met; what they did in earlier segments is over for all of them
    uint32_t lanes;
    int32_t segment;
};
enum { PARTIAL_SYNCS = 16 };
struct warp_checks {
    int32_t segment;           // the running one; 0: the next access begins one
    int32_t fence;             // what it did before this segment lies before a fence of its own; 0: nothing
    int32_t since;             // the whole warp met after all segments before this one
    int32_t before[MAX_WARPS]; // what warp w did before this segment is over for this warp
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
struct block_mark { // blocks by their first segment, to name the other side of a race
    int32_t first;
    uint32_t id[3];
    int32_t released; // what it did up to this segment is for those to see who asked after it; 0: nothing
    int32_t spoke;    // its atomics up to this segment are what they asked; 0: none
};
struct checks {
    struct machine *machine;
    struct range shared;
    uint32_t *segments;                         // the last one, kept by the memory
    int32_t launch_first, block_first, ordered; // segments before `ordered` are over for the whole block
    int32_t fenced; // what the block did up to this segment lies before a fence; 0: nothing
    bool fences;    // there was one in this block
    int32_t
        published[MAX_WARPS]; // what warp w did before is over for who in this block hears of it by an atomic
    bool partial;             // the module has barriers of a part of the block
    struct record *crowd;     // check_crowd.c; NULL: every barrier takes the whole block
    int32_t told[BARRIERS]
                [MAX_WARPS]; // what those have done, by warp, that arrived at a barrier without waiting
    bool acquired;           // the block has read what other blocks may have told it
    struct block_mark *marks;
    size_t mark_count, mark_room;
    struct flights *flights; // check_flight.c; NULL: there was no asynchronous copy yet
    struct guesses *guesses; // check_guess.c
    struct checks_pools {
        struct stored_words *stored_words; // uninit_memory.c; NULL: nothing was kept yet
        struct undefined_chunk *chunks;    // uninit.c: cells for undefined bits
        struct undefined *free_cells;
    } pools;
    const struct op **ops;       // by tally; those that touched memory
    const struct op **first_use; // by tally of a read: what its uninitialised value was used for first
    uint8_t *flags;              // by tally: enum who_flag
    size_t tallies;
    struct warp_checks warps[MAX_WARPS];
};

// ---- one access, as the checks see it ----------------------------------------------------------------------------

struct seen {
    struct warp *warp;
    struct checks *checks;
    const struct touched *touched;
    struct range *range;
    const struct allocation *allocation; // NULL: shared or local
    uint64_t base;                       // an address less this is an offset in the range
    uint32_t mask;
    bool straight;   // all lanes, one behind the other
    int32_t segment; // of this access
    int32_t oldest;  // records of earlier segments are over
    int32_t since;   // those of this warp before this segment too
};
static inline uint64_t offset_of(const struct seen *seen, int lane)
{
    return seen->touched->address[lane] - seen->base;
}
static inline unsigned part_count(const struct touched *touched)
{
    return touched->parts > 1 && touched->parts <= UNINIT_PARTS ? touched->parts : 1;
}
// check_order.c: an access that is made for talking to others; of global memory: to other blocks too.
void order_talk(struct warp *warp, bool global);
const struct block_mark *order_mark(const struct checks *checks,
                                    int32_t segment); // the block whose it is; may be NULL
// check_order.c, and its quick part: not a record of an earlier launch, block or barrier.
static inline bool order_is_live(const struct seen *seen, struct record r)
{
    const struct checks *c = seen->checks;
    return r.segment >= seen->oldest && (r.segment < c->block_first || r.segment >= c->ordered);
}
// Of this block, by this thread or by this warp before it met.
static inline bool order_is_own(const struct seen *seen, struct record r, uint32_t thread)
{
    uint32_t other = r.who >> WHO_THREAD ^ thread;
    return r.segment >= seen->checks->block_first &&
           (other == 0 || (other / LANES == 0 && r.segment < seen->since));
}
// What the record tells is over for a lane of this warp: it comes from before, or is the lane's own.
bool order_is_told(const struct seen *seen, struct record r, unsigned lane); // by what is seldom
static inline bool order_is_over(const struct seen *seen, struct record r, unsigned lane)
{
    return !order_is_live(seen, r) || order_is_own(seen, r, seen->warp->index * LANES + lane) ||
           order_is_told(seen, r, lane);
}
enum nearness { SAME_INSTRUCTION, SAME_WARP, SAME_BLOCK, OTHER_BLOCK };
enum nearness order_nearness(const struct seen *seen, struct record r);
int32_t check_segment(struct warp *warp);    // that of an access made now
void check_written(const struct seen *seen); // uninit_memory.c
bool span_written(const uint64_t *bits, uint64_t at, uint64_t bytes);
void span_mark(uint64_t *bits, uint64_t at, uint64_t bytes, bool written);
void check_races(const struct seen *seen); // check_race.c
// check_settled.c: of the lanes of an atomic those at whose granule two warps, or two blocks, have been already.
uint32_t race_settled(const struct seen *seen);
// Whether a record and an access of this lane make a race; whether the records that check_race.c keeps show one.
bool race_convicts(const struct seen *seen, struct record r, uint32_t mine, unsigned lane);
bool race_is_seen(const struct seen *seen, unsigned lane, uint32_t mine);
// check_guess.c: a plain load of what a compare and swap is then tried on, whatever the load brought.
struct guesses *guesses_new(void);          // NULL: no memory
void guesses_drop(struct guesses *guesses); // what it knows, not itself
bool guesses_has(struct guesses *guesses, const struct sim_module *module, const struct ptx_instruction *in);
// A load or a store of a statement that does both at one place, as `total += x` does.
bool guesses_update(struct guesses *guesses, const struct sim_module *module,
                    const struct ptx_instruction *in);
void race_in_store(const struct seen *seen, uint32_t mine); // check_store.c: of lanes with each other
// check_crowd.c: begins with a block's size, ends with the launch; looks before check_race.c writes down.
bool crowd_is_wanted(const struct sim_module *module);
size_t crowd_bytes(size_t shared, unsigned shift, uint32_t warps);
void crowd_start(struct checks *checks, const struct block *block);
void crowd_end(struct checks *checks);
void crowd_look(const struct seen *seen, uint32_t mine);
// check_race.c's part alone: an access that comes later than its instruction.
void check_late(struct warp *warp, const struct touched *touched);
// check_flight.c: begins with each block, ends with the launch; looks whether a copy is on its way to these bytes.
void flight_start(struct checks *checks);
void flight_end(struct checks *checks);
void flight_look(const struct seen *seen);
// uninit_memory.c. The words of undefined values that wait in memory begin with each block, and end with the launch.
void check_local(struct seen *seen);
void local_reset(struct warp_checks *state);
void stored_words_start(struct checks *checks);
void stored_words_end(struct checks *checks);
void partial_words_drop(struct range *range);
// For snapshots of a trace: calls `pass` for every piece that is to be written down or put back, in the same order.
// False: there is no memory.
typedef void checks_pass(void *context, void *what, size_t bytes);
bool stored_words_pass(struct checks *checks, bool loads, checks_pass *pass, void *context);
bool partial_words_pass(struct range *range, bool loads, checks_pass *pass, void *context);
// The undefined bits of what a lane reads; `from`: where in what the lane touches.
uint64_t uninit_in_memory(const struct seen *seen, int lane, unsigned from, unsigned bytes,
                          struct uninit_source *source);
// Where the undefined value of one of these lanes came from: preferably of a lane that read it itself.
const struct uninit_source *uninit_source_in(const struct warp *warp, const struct undefined *value,
                                             uint32_t lanes);
// uninit.c: what a load brings (a mask of lanes per part of a vector) gets into its registers.
void uninit_loaded(const struct seen *seen, const uint32_t *parts);
void uninit_reset(struct warp *warp);
void uninit_end(struct checks *checks);
// The whole of a warp's checks but for local memory, with the undefined bits of its registers.
bool uninit_pass(struct checks *checks, struct warp_checks *state, bool loads, checks_pass *pass,
                 void *context);

// ---- what they say: uninit_report.c, check_race_report.c -------------------------------------------------

// The value matters here. `use`: "stores what it made of it to y[3]".
void uninit_report(struct warp *warp, const struct op *op, const struct undefined *value, uint32_t lanes,
                   const char *use);
const char *say_line(const struct op *op, char out[40]); // "line 12"; of the PTX when the source's is unknown
bool same_line(const struct op *a, const struct op *b);

struct other { // the other side of a race
    int32_t segment;
    uint32_t who;
    bool write;
};
void race_report(const struct seen *seen, int lane, uint64_t offset, const struct other *other,
                 enum nearness nearness, bool same_value);
// `thread` copies by `copy` what these lanes touch, and has not waited for it.
void race_report_early(const struct seen *seen, uint32_t lanes, const struct op *copy, uint32_t thread);

#endif
