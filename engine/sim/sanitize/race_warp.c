// The lanes of a warp against shadow memory, together: their cells are collected, and one pass of vector instructions over
// them tells that no lane conflicts. A page of cells knows its newest epoch, so that a page which nobody has written since the
// last barrier needs no look at its cells. Where a lane may conflict, race.c looks at the lanes one by one.
//
// The file is compiled for each build (build.h).
#include "engine/sim/sanitize/race.h"

#include <string.h>

#if LANES_BUILD
#define race_together BUILD_NAME(race_together)
#define race_lanes_differ BUILD_NAME(race_lanes_differ)
#endif

struct lane_granules { // the granules of the lanes; of a lane that takes no part: that of one that does
    int32_t at[LANES], low, high;
};
struct cells { // one of each lane; empty ones of lanes that take no part
    int32_t epoch[LANES];
    uint32_t tag[LANES];
};
enum { FEW = 8, PAGE_SHIFT = 11 }; // lanes that are looked at one by one; log2 of PAGE
_Static_assert(PAGE == 1 << PAGE_SHIFT, "granules of a page");

static const uint32_t bit[LANES] = { 1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
                                     1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
                                     1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
                                     1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
                                     1u << 28, 1u << 29, 1u << 30, 1u << 31 };

static void find_places(const struct access *access, uint32_t lanes, struct lane_granules *out)
{
    const uint64_t *address = access->touched->address;
    unsigned shift = access->range->shift;
    uint64_t base = access->base;
    int32_t start = (int32_t)(offset_of(access, __builtin_ctz(lanes)) >> shift), low = start, high = start;
    for (int i = 0; i < LANES; i++)
        out->at[i] = (int32_t)((address[i] - base) >> shift);
    if (lanes != FULL_MASK)
        for (int i = 0; i < LANES; i++)
            out->at[i] = lanes & bit[i] ? out->at[i] : start;
    for (int i = 0; i < LANES; i++) {
        low = out->at[i] < low ? out->at[i] : low;
        high = out->at[i] > high ? out->at[i] : high;
    }
    out->low = low;
    out->high = high;
}

// Of lanes that have one address.
static void find_place(const struct access *access, struct lane_granules *out)
{
    out->low = out->high = (int32_t)(offset_of(access, 0) >> access->range->shift);
    for (int i = 0; i < LANES; i++)
        out->at[i] = out->low;
}

static bool has_lines(const struct shadow_page *page, const struct lane_granules *places)
{
    if (places->low >> PAGE_SHIFT != places->high >> PAGE_SHIFT)
        return page->lines != 0;
    unsigned first = (unsigned)places->low % PAGE / LINE, last = (unsigned)places->high % PAGE / LINE;
    return (page->lines >> first & ~0ull >> (63 - (last - first))) != 0;
}

static void collect(const struct shadow_page *page, const struct lane_granules *places, uint32_t lanes,
                    unsigned k, struct cells *out)
{
    bool plain = page->granule && !has_lines(page, places);
    if (plain) {
        for (int i = 0; i < LANES; i++) {
            struct shadow_cell r = page->granule[(unsigned)places->at[i] % PAGE + k];
            out->epoch[i] = r.epoch;
            out->tag[i] = r.tag;
        }
        for (int i = 0; lanes != FULL_MASK && i < LANES; i++)
            out->epoch[i] = lanes & bit[i] ? out->epoch[i] : 0;
        return;
    }
    *out = (struct cells){ 0 };
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        unsigned at = (unsigned)places->at[i] % PAGE + k;
        struct shadow_cell r = shadow_cell_in(page, at);
        out->epoch[i] = r.epoch;
        out->tag[i] = r.tag;
    }
}

// ---- conflicts ------------------------------------------------------------------------------------------------

// is_unordered() for any lane.
static bool any_unordered(const struct access *access, const struct cells *cells, uint32_t mine)
{
    int32_t oldest = access->oldest, block = access->checks->block_first, ordered = access->checks->ordered;
    int32_t sync = access->sync_epoch, newest = 0;
    uint32_t thread = access->warp->index * LANES, bad = 0;
    for (int i = 0; i < LANES; i++)
        newest = cells->epoch[i] > newest ? cells->epoch[i] : newest;
    if (newest < oldest)
        return false;
    for (int i = 0; i < LANES; i++) {
        int32_t epoch = cells->epoch[i];
        uint32_t tag = cells->tag[i], other = tag >> CELL_THREAD ^ (thread + (uint32_t)i);
        uint32_t current = (uint32_t)(epoch >= oldest) & ((uint32_t)(epoch < block) | (epoch >= ordered));
        uint32_t own = (uint32_t)(epoch >= block) &
                       ((uint32_t)(other == 0) | ((uint32_t)(other < LANES) & (epoch < sync)));
        bad |= current & (own ^ 1) & ~(tag & mine & CELL_ATOMIC);
    }
    return bad & 1;
}

static bool may_conflict(const struct access *access, const struct shadow_page *page,
                         const struct lane_granules *places, uint32_t lanes, uint32_t mine)
{
    unsigned each = access->touched->bytes >> access->range->shift;
    struct cells cells;
    if (!page || page->newest < access->oldest)
        return false;
    for (unsigned k = 0; k < each; k++) {
        if (__builtin_popcount(lanes) <= FEW) {
            for (uint32_t left = lanes; left; left &= left - 1) {
                int i = __builtin_ctz(left);
                struct shadow_cell r = shadow_cell_in(page, (unsigned)places->at[i] % PAGE + k);
                uint32_t thread = access->warp->index * LANES + (uint32_t)i;
                if (is_unordered(access, r, mine | thread << CELL_THREAD))
                    return true;
            }
            continue;
        }
        collect(page, places, lanes, k, &cells);
        if (any_unordered(access, &cells, mine))
            return true;
    }
    return false;
}

// ---- saturated cells ---------------------------------------------------------------------------------------------

static bool all_saturated(const struct access *access, const struct cells *cells, uint32_t lanes)
{
    int32_t oldest = access->oldest, block = access->checks->block_first, ordered = access->checks->ordered;
    int32_t now = access->epoch;
    uint32_t atomic = !access->touched->write, enough = 1;
    for (int i = 0; i < LANES; i++) {
        int32_t epoch = cells->epoch[i];
        uint32_t tag = cells->tag[i];
        enough &= ((uint32_t)(epoch >= oldest) & ((uint32_t)(epoch < block) | (epoch >= ordered)) &
                   (tag / CELL_SATURATED | (tag / CELL_SATURATED_IN_EPOCH & (uint32_t)(epoch == now))) &
                   (tag | atomic)) |
                  (uint32_t) !(lanes & bit[i]);
    }
    return enough & 1;
}

// The lanes all of whose cells are saturated.
static uint32_t saturated_of(const struct access *access, const struct shadow_page *page,
                             const struct lane_granules *places, uint32_t lanes)
{
    unsigned each = access->touched->bytes >> access->range->shift;
    struct cells cells;
    if (!page || page->newest < access->oldest || (access->touched->write && !access->touched->atomic))
        return 0;
    for (unsigned k = 0; k < each && lanes; k++) {
        bool many = __builtin_popcount(lanes) > FEW;
        if (many)
            collect(page, places, lanes, k, &cells);
        if (many && all_saturated(access, &cells, lanes))
            continue;
        for (uint32_t left = lanes; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            struct shadow_cell r = many ? (struct shadow_cell){ cells.epoch[i], cells.tag[i] }
                                        : shadow_cell_in(page, (unsigned)places->at[i] % PAGE + k);
            if (!is_saturated(access, r))
                lanes &= ~(1u << i);
        }
    }
    return lanes;
}

// Of lanes in a row that read one granule, all but the first two: with these the granule is saturated in this epoch.
static uint32_t idle_readers(const struct lane_granules *places)
{
    uint32_t same = 0;
    int32_t next[LANES];
    if (places->at[0] != places->at[1] && places->at[LANES - 2] != places->at[LANES - 1])
        return 0; // the usual patterns have all their runs, or none
    memcpy(next, places->at + 1, (LANES - 1) * sizeof *next);
    next[LANES - 1] = -1;
    for (int i = 0; i < LANES; i++)
        same |= (places->at[i] == next[i] ? bit[i] : 0);
    return (same << 1 & same) << 1;
}

// ---- recording ---------------------------------------------------------------------------------------------

// A second reader of this warp in this epoch moves the first one aside, where nothing else is (move_aside in race.c).
static inline bool record_second(const struct access *access, uint64_t granule, struct shadow_cell *last,
                                 struct shadow_cell new)
{
    unsigned at = granule % PAGE;
    struct shadow_page *aside = access->range->slot[OTHER_READ][granule / PAGE];
    if (access->touched->write || new.tag &(CELL_ATOMIC | CELL_STRONG) || !aside || !aside->granule ||
        aside->lines >> at / LINE & 1 || cell_is_current(access, aside->granule[at]))
        return false;
    aside->granule[at] = *last;
    aside->newest = last->epoch > aside->newest ? last->epoch : aside->newest;
    new.tag |= CELL_SATURATED_IN_EPOCH;
    *last = new;
    return true;
}

// Replaces the cells from before the last barrier, next to which nothing needs to be kept. Returns the lanes of the others.
static uint32_t record_over_old(const struct access *access, struct shadow_page *page,
                                const struct lane_granules *places, uint32_t lanes, uint32_t mine)
{
    struct shadow_cell *restrict granule = page->granule;
    const int32_t oldest = access->oldest, epoch = access->epoch;
    const uint32_t thread = access->warp->index * LANES;
    uint32_t others = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        struct shadow_cell *cell = &granule[(unsigned)places->at[i] % PAGE];
        if (cell->epoch < oldest)
            *cell = (struct shadow_cell){ epoch, mine | (thread + i) << CELL_THREAD };
        else
            others |= 1u << i;
    }
    return others;
}

static void record(const struct access *access, const struct lane_granules *places, uint32_t lanes,
                   uint32_t mine)
{
    struct shadow *range = access->range;
    enum shadow_slot slot = access->touched->write ? LAST_WRITE : LAST_READ;
    unsigned each = access->touched->bytes >> range->shift;
    uint64_t first = (uint64_t)places->at[__builtin_ctz(lanes)];
    struct shadow_page *page = shadow_page_at(range, slot, first, true);
    if (!page || (!page->granule && !shadow_page_ready(range, &page, true)))
        return;
    page->newest = access->epoch > page->newest ? access->epoch : page->newest;
    if (each == 1 && !has_lines(page, places))
        lanes = record_over_old(access, page, places, lanes, mine);
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        uint32_t thread = access->warp->index * LANES + (uint32_t)i;
        struct shadow_cell new = { access->epoch, mine | thread << CELL_THREAD };
        for (unsigned k = 0; k < each; k++) {
            uint64_t granule = (uint64_t)places->at[i] + k;
            unsigned at = granule % PAGE;
            if (page->lines >> at / LINE & 1)
                (void)shadow_open(range, slot, granule);
            struct shadow_cell *cell = &page->granule[at];
            if ((!cell_is_current(access, *cell) || cell_is_own(access, *cell, thread)) &&
                !is_weaker(access, *cell, mine))
                *cell = new;
            else if (cell->epoch != access->epoch ||
                     !(is_saturated(access, *cell) || record_second(access, granule, cell, new)))
                race_record(access, cell, (unsigned)i, granule, new);
        }
    }
}

// ---- pages -----------------------------------------------------------------------------------------------------

// The lanes of `left` whose granules are in the same page as the first one's.
static uint32_t lanes_of_page(const struct lane_granules *places, uint32_t left)
{
    if (places->low >> PAGE_SHIFT == places->high >> PAGE_SHIFT)
        return left;
    int32_t page = places->at[__builtin_ctz(left)] >> PAGE_SHIFT;
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++)
        lanes |= (places->at[i] >> PAGE_SHIFT == page ? bit[i] : 0);
    return lanes & left;
}

// Cells of lanes that are far apart are not in the host's caches: all are asked for before the first is needed.
static void fetch(const struct access *access, const struct lane_granules *places, uint32_t lanes)
{
    struct shadow_page *const *pages = access->range->slot[access->touched->write ? LAST_WRITE : LAST_READ];
    for (uint32_t left = lanes; left; left &= left - 1) {
        int32_t at = places->at[__builtin_ctz(left)];
        const struct shadow_page *page =
            (size_t)(at >> PAGE_SHIFT) < access->range->pages ? pages[at >> PAGE_SHIFT] : NULL;
        if (page && page->granule)
            __builtin_prefetch(&page->granule[at % PAGE], 1);
    }
}

bool race_together(const struct access *access, uint32_t lanes, uint32_t mine)
{
    const struct touched *t = access->touched;
    struct shadow *range = access->range;
    struct lane_granules places;
    uint32_t idle = 0, of_page[LANES]; // the lanes of each page
    unsigned pages = 0;
    if (range->bytes >> range->shift > INT32_MAX)
        return false; // granules have numbers of 32 bits here
    if (t->same && !t->write)
        find_place(access, &places);
    else
        find_places(access, lanes, &places);
    if (!t->write && places.low == places.high) // the first and the last reader stand for all
        lanes = 1u << __builtin_ctz(lanes) | 1u << (31 - __builtin_clz(lanes));
    else if (!t->write && lanes == FULL_MASK)
        idle = idle_readers(&places);
    if (places.low >> PAGE_SHIFT != places.high >> PAGE_SHIFT)
        fetch(access, &places, lanes & ~idle);
    for (uint32_t left = lanes; left; left &= ~of_page[pages++]) {
        const size_t number = (size_t)places.at[__builtin_ctz(left)] / PAGE;
        const uint32_t same = of_page[pages] = lanes_of_page(&places, left);
        if (number >= range->pages)
            return false;
        uint32_t judged = same;
        idle |= saturated_of(access, range->slot[t->write ? LAST_WRITE : LAST_READ][number], &places,
                             same & ~idle);
        if (t->write)
            judged &= ~idle;
        for (int slot = 0; judged && slot < (t->write ? SLOTS : LAST_READ); slot++)
            if (may_conflict(access, range->slot[slot][number], &places, judged, mine))
                return false;
    }
    for (unsigned i = 0; i < pages; i++)
        if (of_page[i] & ~idle)
            record(access, &places, of_page[i] & ~idle, mine);
    return true;
}

// A difference of addresses is negative where the first is the lower one, and so are all where the bits that they have in
// common are.

// Whether addresses rise along the columns of lanes in rows of `width`, one column after the other, as those of a transpose in
// two-dimensional blocks do.
INLINE bool columns_rise(const int64_t *address, int width)
{
    int64_t rises = -1;
    for (int i = 0; i + width < LANES; i++)
        rises &= address[i] - address[i + width];
    for (int i = 0; i + 1 < width; i++)
        rises &= address[LANES - width + i] - address[i + 1];
    return rises < 0;
}

bool race_lanes_differ(const struct access *access)
{
    const int64_t *address = (const int64_t *)access->touched->address;
    int64_t rises = -1, falls = -1, before = 0;
    bool first = true;
    if (access->mask == FULL_MASK) {
        for (int i = 0; i + 1 < LANES; i++) {
            rises &= address[i] - address[i + 1];
            falls &= address[i + 1] - address[i];
        }
        return rises < 0 || falls < 0 || columns_rise(address, LANES / 2) || columns_rise(address, LANES / 4);
    }
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const int64_t at = address[__builtin_ctz(left)];
        rises &= first ? -1 : before - at;
        falls &= first ? -1 : at - before;
        before = at;
        first = false;
    }
    return rises < 0 || falls < 0;
}
