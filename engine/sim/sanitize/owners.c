// Who touches what in shared memory between two barriers of the whole block, for a launch that guesses that no two threads
// meet there (guess.c): while each granule has one thread that touches it, or is only read, or only updated by atomics,
// nothing can race and nothing is recorded.
//
// The file is compiled for each build (build.h).
#include "engine/sim/sanitize/checks.h"

#include <string.h>

#ifndef __clang__
#pragma GCC optimize("O3") // loops over lanes become vectors
#endif

#if LANES_BUILD
#define owners_note BUILD_NAME(owners_note)
#define owners_settle BUILD_NAME(owners_settle)
#endif

// What has touched a granule. The number of a thread, from 1 on, is that of the only one; WRITTEN goes with it.
enum word_owner {
    NUMBER = 0x07ff,
    SEVERAL_WROTE = NUMBER, // lanes of one instruction
    SEVERAL_READ = 0x0800,
    BY_ATOMICS = 0x1000,
    WRITTEN = 0x8000
};
_Static_assert(MAX_WARPS *LANES < SEVERAL_WROTE, "threads of a block have numbers");

enum { WINDOW = 2 * LANES }; // granules that are looked at together
struct owners {
    int32_t began; // checks.ordered
    unsigned shift;
    size_t low, high, count; // granules touched since then: from `low` to before `high`
    uint16_t cell[];         // of `count` granules, and a window more
};

#if !LANES_BUILD
void owners_start(struct checks *c)
{
    const struct shadow *shared = &c->shared;
    if (c->owners || !shared->bytes || !(c->guesses & GUESS_OWN))
        return;
    const size_t count = (shared->bytes >> shared->shift) + 1;
    c->owners = budget_spare(shared->budget, FOR_CHECKS,
                             sizeof *c->owners + (count + WINDOW) * sizeof *c->owners->cell);
    if (c->owners)
        *c->owners = (struct owners){ .shift = shared->shift, .low = count, .count = count };
}

void owners_end(struct checks *c)
{
    budget_give(c->shared.budget, c->owners);
    c->owners = NULL;
}
#endif

// These bytes of the block's shared memory are to be touched.
static struct owners *owners_of(struct checks *checks, uint64_t low, uint64_t bytes)
{
    struct owners *o = checks->owners;
    if (!o || o->shift != checks->shared.shift)
        return NULL;
    const size_t first = low >> o->shift, end = ((low + bytes - 1) >> o->shift) + 1;
    if (end > o->count)
        return NULL;
    if (o->began != checks->ordered) {
        if (o->low < o->high)
            memset(o->cell + o->low, 0, (o->high - o->low) * sizeof *o->cell);
        o->began = checks->ordered;
        o->low = o->count;
        o->high = 0;
    }
    o->low = first < o->low ? first : o->low;
    o->high = end > o->high ? end : o->high;
    return o;
}

// ---- lanes that have a granule each, near each other ---------------------------------------------------------

#if LANES_BUILD
typedef uint16_t cells __attribute__((vector_size(32)));
#else
typedef uint16_t cells __attribute__((vector_size(16)));
#endif
enum { CELLS = sizeof(cells) / sizeof(uint16_t) };
_Static_assert(LANES % CELLS == 0, "a row has whole vectors");

INLINE bool is_none(cells some)
{
    uint64_t parts[sizeof some / sizeof(uint64_t)], any = 0;
    memcpy(parts, &some, sizeof parts);
    UNROLLED
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        any |= parts[i];
    return !any;
}

// `thread`: the number of the one that touches each of `count` granules, rounded up to vectors; 0: none does.
static bool read_cells(uint16_t *cell, const uint16_t *thread, unsigned count)
{
    cells bad = { 0 };
    for (unsigned i = 0; i < count; i += CELLS) {
        cells now, mine;
        memcpy(&now, cell + i, sizeof now);
        memcpy(&mine, thread + i, sizeof mine);
        const cells here = (cells)(mine != 0), empty = (cells)(now == 0);
        const cells other = here & ~(cells)((now & NUMBER) == mine);
        bad |= other & now & (WRITTEN | BY_ATOMICS);
        now = (now & ~other) | (here & empty & mine) | (other & ~empty & SEVERAL_READ);
        memcpy(cell + i, &now, sizeof now);
    }
    return is_none(bad);
}

static bool write_cells(uint16_t *cell, const uint16_t *thread, unsigned count)
{
    cells bad = { 0 };
    for (unsigned i = 0; i < count; i += CELLS) {
        cells now, mine;
        memcpy(&now, cell + i, sizeof now);
        memcpy(&mine, thread + i, sizeof mine);
        const cells here = (cells)(mine != 0), full = (cells)(now != 0);
        bad |= here & full & ((now & (uint16_t)~WRITTEN) ^ mine);
        now = (now & ~here) | (here & (mine | WRITTEN));
        memcpy(cell + i, &now, sizeof now);
    }
    return is_none(bad);
}

// The threads of lanes in a row.
static void number_row(const struct access *access, uint16_t thread[LANES])
{
    const unsigned number = access->warp->index * LANES + 1;
    for (unsigned i = 0; i < LANES; i++)
        thread[i] = (uint16_t)(number + i);
}

// The threads of the lanes by granule, from `first` on; false: two lanes have one granule.
static bool number_lanes(const struct access *access, uint64_t first, uint16_t thread[restrict WINDOW])
{
    const unsigned shift = access->range->shift, number = access->warp->index * LANES + 1;
    const uint64_t *address = access->touched->address, from = access->base + (first << shift);
    cells mine, gaps = { 0 };
    UNROLLED
    for (unsigned i = 0; i < WINDOW; i += CELLS)
        memcpy(thread + i, &gaps, sizeof gaps);
    if (access->mask == FULL_MASK) {
        UNROLLED
        for (unsigned i = 0; i < LANES; i++)
            thread[(address[i] - from) >> shift] = (uint16_t)(number + i);
    }
    for (uint32_t left = access->mask == FULL_MASK ? 0 : access->mask; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        thread[(address[i] - from) >> shift] = (uint16_t)(number + i);
    }
    for (unsigned i = 0; i < WINDOW; i += CELLS) {
        memcpy(&mine, thread + i, sizeof mine);
        gaps -= (cells)(mine == 0); // true is -1
    }
    unsigned threads = WINDOW;
    for (int i = 0; i < CELLS; i++)
        threads -= gaps[i];
    return threads == (unsigned)__builtin_popcount(access->mask);
}

// ---- other lanes ------------------------------------------------------------------------------------------------

// `each`: granules of a lane.
INLINE bool read_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    const unsigned shift = access->range->shift, thread = access->warp->index * LANES + 1;
    unsigned bad = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++) {
            const unsigned now = at[k], other = (now & NUMBER) ^ mine;
            bad |= other ? now & (WRITTEN | BY_ATOMICS) : 0;
            at[k] = (uint16_t)(now == 0 ? mine : other ? SEVERAL_READ : now);
        }
    }
    return !bad;
}

// Lanes are compared before they write, since they may meet each other: the values that they write are compared in race.c.
INLINE enum owners_verdict write_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    const unsigned shift = access->range->shift, thread = access->warp->index * LANES + 1;
    unsigned bad = 0, met = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        const uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++)
            bad |= at[k] ? (at[k] & (unsigned)~WRITTEN) ^ mine : 0;
    }
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++) {
            const unsigned other = at[k] ? (at[k] & NUMBER) ^ mine : 0;
            met |= other;
            at[k] = (uint16_t)((other ? SEVERAL_WROTE : mine) | WRITTEN);
        }
    }
    return bad ? OWNERS_CLASH : met ? OWNERS_MEET : OWNERS_APART;
}

static bool update_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    unsigned bad = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint16_t *at = cell + (offset_of(access, __builtin_ctz(left)) >> access->range->shift);
        for (unsigned k = 0; k < each; k++) {
            bad |= at[k] & ~BY_ATOMICS;
            at[k] = BY_ATOMICS;
        }
    }
    return !bad;
}

enum owners_verdict owners_note(const struct access *access, uint64_t low, uint64_t bytes, enum touch how)
{
    struct owners *o = owners_of(access->checks, low, bytes);
    bool fits = false;
    if (!o)
        return OWNERS_CLASH;
    const unsigned shift = access->range->shift, each = access->touched->bytes >> shift;
    const uint64_t first = low >> shift, count = bytes >> shift;
    uint16_t thread[WINDOW], *cell = o->cell + first;
    if (how == TOUCH_ATOMIC) {
        fits = update_lanes(access, o->cell, each);
    } else if (access->straight && each == 1) {
        number_row(access, thread);
        fits = how == TOUCH_READ ? read_cells(cell, thread, LANES) : write_cells(cell, thread, LANES);
    } else if (each == 1 && count <= WINDOW && number_lanes(access, first, thread)) {
        fits = how == TOUCH_READ ? read_cells(cell, thread, (unsigned)count)
                                 : write_cells(cell, thread, (unsigned)count);
    } else if (how == TOUCH_READ) {
        fits = each == 1 ? read_lanes(access, o->cell, 1) : read_lanes(access, o->cell, each);
    } else {
        return each == 1 ? write_lanes(access, o->cell, 1) : write_lanes(access, o->cell, each);
    }
    return fits ? OWNERS_APART : OWNERS_CLASH;
}

// ---- words in a pattern ------------------------------------------------------------------------------------------

typedef uint16_t halves8 __attribute__((vector_size(16)));
typedef uint32_t lanes8 __attribute__((vector_size(32)));
enum { EIGHT = 8 };

// The threads of the words, as far as their lanes are active.
INLINE void number_words(const struct warp *warp, const uint16_t *lane_of, unsigned count,
                         uint16_t thread[restrict NEAR_WORDS])
{
    const uint32_t active = warp->active;
    const uint16_t before = (uint16_t)(warp->index * LANES);
    for (unsigned i = 0; i < count; i += CELLS) {
        cells lane;
        memcpy(&lane, lane_of + i, sizeof lane);
        lane = (lane + before) & (cells)(lane != 0);
        memcpy(thread + i, &lane, sizeof lane);
    }
    for (unsigned i = 0; active != FULL_MASK && i < count; i += EIGHT) {
        halves8 lane, mine;
        memcpy(&lane, lane_of + i, sizeof lane);
        memcpy(&mine, thread + i, sizeof mine);
        const lanes8 on =
            -(((lanes8){ 0 } + active) >> ((__builtin_convertvector(lane, lanes8) - 1) & 31) & 1);
        mine &= __builtin_convertvector(on, halves8);
        memcpy(thread + i, &mine, sizeof mine);
    }
}

// Whether what is to be known of a plain access are its owners and whether its words have a value.
static bool is_plain(const struct warp *warp, const struct op *op, uint64_t low, uint64_t bytes)
{
    const struct checks *c = warp->checks;
    const size_t tally = (size_t)op->tally;
    return tally < c->tallies && c->flags[tally] == CELL_KNOWN && !op->releases && !warp->poisoned &&
           c->guesses & GUESS_OWN && !c->partial && !c->async_copies && !c->phases && !c->wants_fences &&
           !c->together && c->shared.shift == 2 && low + bytes <= c->shared.bytes;
}

// The words of the active lanes have a value; `write`: now they have. A word has four bits. False: some have none.
static bool have_values(const struct warp *warp, const struct lane_words *words, uint64_t first, bool write)
{
    uint64_t *bits = warp->checks->shared.written, written = ~0ull;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const uint64_t word = first + words->word[__builtin_ctz(left)];
        if (write)
            bits[word / 16] |= 0xfull << word % 16 * 4;
        else
            written &= bits[word / 16] >> word % 16 * 4;
    }
    return !(~written & 0xf);
}

static bool read_words(const struct warp *warp, const struct lane_words *words, uint16_t *cell)
{
    unsigned bad = 0;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = warp->index * LANES + 1 + lane;
        uint16_t *at = cell + words->word[lane];
        const unsigned now = *at, other = (now & NUMBER) ^ mine;
        bad |= other ? now & (WRITTEN | BY_ATOMICS) : 0;
        *at = (uint16_t)(now == 0 ? mine : other ? SEVERAL_READ : now);
    }
    return !bad;
}

static bool write_words(const struct warp *warp, const struct lane_words *words, uint16_t *cell)
{
    unsigned bad = 0;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = warp->index * LANES + 1 + lane;
        uint16_t *at = cell + words->word[lane];
        bad |= *at ? (*at & (unsigned)~WRITTEN) ^ mine : 0;
        *at = (uint16_t)(mine | WRITTEN);
    }
    return !bad;
}

// Takes down who has the words; they are in the block's shared memory.
static void own_words(struct warp *warp, const struct lane_words *words, uint16_t *cell, bool write)
{
    uint16_t thread[NEAR_WORDS];
    bool fits;
    if (words->count <= NEAR_WORDS) {
        const unsigned count = (words->count + CELLS - 1) / CELLS * CELLS;
        number_words(warp, words->lane_of, count, thread);
        fits = write ? write_cells(cell, thread, count) : read_cells(cell, thread, count);
    } else
        fits = write ? write_words(warp, words, cell) : read_words(warp, words, cell);
    if (!fits)
        guess_wrong(warp->checks->machine, GUESS_OWN);
}

bool owners_settle(struct warp *warp, const struct op *op, bool write, uint64_t low,
                   const struct lane_words *words, bool exact)
{
    struct checks *c = warp->checks;
    struct shadow *range = &c->shared;
    const bool by_lines = c->guesses & GUESS_SHARED;
    const uint64_t bytes = 4ull * words->count, first = low / 4;
    if (!is_plain(warp, op, low, bytes) || (by_lines && !exact))
        return false;
    const bool whole =
        range->whole || (words->count <= NEAR_WORDS && span_written(range->written, low, bytes));
    if (!whole && !write && !have_values(warp, words, first, false))
        return false;
    const bool only_read = by_lines && !write; // which has no owners
    struct owners *o = only_read ? NULL : owners_of(c, low, bytes);
    if (!o && !only_read)
        return false;
    if (!whole && write)
        (void)have_values(warp, words, first, true);
    const enum touch how = write ? TOUCH_OTHER : TOUCH_READ;
    if (by_lines && !guess_has_noted(c, low, bytes, how))
        (void)guess_covers(c, range, false, low, bytes, how);
    c->ops[op->tally] = op;
    (void)race_epoch(warp);
    if (o)
        own_words(warp, words, o->cell + first, write);
    return true;
}
