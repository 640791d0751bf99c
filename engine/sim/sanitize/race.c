// Data races: two threads access a granule, at least one of them writes, they are not both atomic, and neither access
// happens before the other. FastTrack keeps the last write and the last reads of each variable; here a granule keeps two
// writers and two readers, which are enough to find a race with any later access: the last one, and one that is as far
// from it as possible (of another warp, of another block), so that the last reader does not hide the others.
//
// Barriers of the block and of the warp join the vector clocks of the warps that meet. Blocks of a launch are not ordered,
// whatever order they run in here, but by release and acquire: a block writes, makes a fence and then an atomic or a
// volatile access (the release), and another block makes one of those before it reads (the acquire). Warps of a block, and
// lanes of a warp, synchronise in this way too. An acquire is not matched to a release by its address: any atomic acquires
// all that was released before it.
#include "engine/sim/sanitize/race.h"

#include <string.h>

// ---- shadow cells of a granule -----------------------------------------------------------------------------

static inline struct shadow_cell shadow_peek(const struct shadow *range, enum shadow_slot slot,
                                             uint64_t granule)
{
    return shadow_cell_in(granule / PAGE < range->pages ? range->slot[slot][granule / PAGE] : NULL,
                          granule % PAGE);
}

// ---- barriers and fences --------------------------------------------------------------------------------------

int32_t race_epoch(struct warp *warp)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    if (state->epoch == 0) {
        state->epoch = (int32_t)++ * warp->checks->epochs;
        if (warp->checks->together)
            together_epoch(warp->checks);
    }
    return state->epoch;
}

static uint32_t running_warps(const struct block *block)
{
    uint32_t warps = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].state != WARP_DONE)
            warps |= 1u << w;
    return warps;
}

// Joins the vector clocks of some warps at a barrier, with those of warps that have arrived without waiting; the latter
// acquire nothing.
static void join_clocks(struct block *block, uint32_t warps, const int32_t *arrived)
{
    struct checks *c = block->thread->checks;
    int32_t next = (int32_t)*c->epochs + 1, known[MAX_WARPS];
    memcpy(known, arrived, sizeof known);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (!(warps >> w & 1))
            continue;
        for (uint32_t v = 0; v < block->warp_count; v++)
            if (c->warps[w].clock[v] > known[v])
                known[v] = c->warps[w].clock[v];
        known[w] = next;
    }
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (warps >> w & 1) {
            memcpy(c->warps[w].clock, known, sizeof known);
            c->warps[w].epoch = 0;
            c->warps[w].sync_epoch = next;
        }
}

void race_arrive(struct warp *warp, int id)
{
    struct checks *c = warp->checks;
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t v = 0; v < warp->block->warp_count; v++)
        if (state->clock[v] > c->arrived_clock[id][v])
            c->arrived_clock[id][v] = state->clock[v];
    c->arrived_clock[id][warp->index] = (int32_t)*c->epochs + 1;
    state->epoch = 0;
}

void race_barrier(struct block *block, int id, uint32_t warps)
{
    struct checks *c = block->thread->checks;
    if (!c)
        return;
    uint32_t running = running_warps(block);
    if ((warps & running) != running) {
        join_clocks(block, warps, c->arrived_clock[id]);
        memset(c->arrived_clock[id], 0, sizeof c->arrived_clock[id]);
        return;
    }
    memset(c->arrived_clock[id], 0, sizeof c->arrived_clock[id]);
    c->ordered = (int32_t)*c->epochs + 1;
    for (uint32_t w = 0; w < block->warp_count; w++)
        c->warps[w].epoch = 0;
}

void race_warp_sync(struct warp *warp, uint32_t lanes)
{
    if (!warp->checks)
        return;
    struct warp_checks *state = &warp->checks->warps[warp->index];
    int32_t next = (int32_t)*warp->checks->epochs + 1;
    state->epoch = 0;
    if ((lanes & warp->live) == warp->live) {
        state->sync_epoch = next;
        state->partial_count = 0;
        return;
    }
    unsigned at = 0;
    while (at < state->partial_count && state->partial[at].lanes != lanes)
        at++;
    if (at == state->partial_count) // no room: one of the older ones is dropped
        at = state->partial_count < PARTIAL_SYNCS ? state->partial_count++ : (unsigned)next % PARTIAL_SYNCS;
    state->partial[at] = (struct partial_sync){ lanes, next };
}

// A fence ends the epoch: what comes after it is not released.
void race_fence(struct warp *warp, bool wide)
{
    if (!warp->checks)
        return;
    struct checks *c = warp->checks;
    if (wide)
        c->fence_epoch = (int32_t)*c->epochs;
    c->fences = true;
    c->warps[warp->index].fence = (int32_t)*c->epochs + 1;
    c->warps[warp->index].epoch = 0;
}

// ---- releases and acquires ---------------------------------------------------------------------------------------

const struct block_epochs *race_block_of_epoch(const struct checks *c, int32_t epoch)
{
    size_t low = 0, high = c->mark_count;
    if (c->together) {
        uint32_t position = together_position(c->together, epoch);
        return position < c->together->mark_count ? &c->together->marks[position] : NULL;
    }
    if (high == 0 || epoch < c->marks[0].first)
        return NULL;
    while (high - low > 1) { // the last block that begins at or before the epoch
        size_t middle = low + (high - low) / 2;
        if (c->marks[middle].first <= epoch)
            low = middle;
        else
            high = middle;
    }
    return &c->marks[low];
}

// Between threads of a block: a thread that takes a lock acquires what was done before the lock was released.
static void release_acquire_in_block(struct checks *c, const struct warp *warp)
{
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count; w++)
        if (c->released_clock[w] > state->clock[w])
            state->clock[w] = c->released_clock[w];
    if (c->released_clock[warp->index] > state->sync_epoch)
        state->sync_epoch = c->released_clock[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count && state->fence; w++) {
        int32_t known = w == warp->index ? state->fence : state->clock[w];
        c->released_clock[w] = known > c->released_clock[w] ? known : c->released_clock[w];
    }
}

// An atomic or a volatile access acquires and, after a fence, releases. In global memory it does so between blocks too.
static void release_acquire(struct warp *warp, bool global)
{
    struct checks *c = warp->checks;
    if (c->fences)
        release_acquire_in_block(c, warp);
    if (!global)
        return;
    c->acquired = true;
    if (c->together) {
        together_release(warp);
        return;
    }
    if (c->fence_epoch && c->guesses & GUESS_ORDER) // a release
        guess_wrong(c->machine, GUESS_ORDER);
    if (!c->mark_count)
        return;
    struct block_epochs *mark = &c->marks[c->mark_count - 1];
    mark->released_atomics = race_epoch(warp);
    if (c->fence_epoch)
        mark->released = c->fence_epoch;
}

static bool block_released_before(const struct checks *c, struct shadow_cell r)
{
    const struct block_epochs *mark = c->acquired ? race_block_of_epoch(c, r.epoch) : NULL;
    return mark && r.epoch <= (r.tag & CELL_ATOMIC ? mark->released_atomics : mark->released);
}

static bool lanes_met(const struct warp_checks *state, int32_t epoch, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < state->partial_count; i++)
        if (state->partial[i].epoch > epoch &&
            state->partial[i].lanes >> a & state->partial[i].lanes >> b & 1)
            return true;
    return false;
}

static bool released_before(const struct access *access, struct shadow_cell r, unsigned lane)
{
    uint32_t warp = access->warp->index, thread = r.tag >> CELL_THREAD;
    if (epoch_is_foreign(access->checks, r.epoch)) {
        enum together_known known = access->checks->together ? together_knows(access, r) : TOGETHER_NOT;
        return known == TOGETHER_NOT ? block_released_before(access->checks, r) : known == TOGETHER_KNOWN;
    }
    const struct warp_checks *state = &access->checks->warps[warp];
    if (thread / LANES == warp)
        return lanes_met(state, r.epoch, thread % LANES, lane);
    return r.epoch < state->clock[thread / LANES];
}

// Whether the access that a cell records happens before that of a lane.
static inline bool happens_before(const struct access *access, struct shadow_cell r, unsigned lane)
{
    return !cell_is_current(access, r) || cell_is_own(access, r, access->warp->index * LANES + lane) ||
           released_before(access, r, lane);
}

static enum race_scope race_scope_of(const struct access *access, struct shadow_cell r)
{
    if (epoch_is_foreign(access->checks, r.epoch))
        return OTHER_BLOCK;
    return (r.tag >> CELL_THREAD) / LANES == access->warp->index ? SAME_WARP : SAME_BLOCK;
}

bool race_of_blocks(const struct access *access, uint64_t offset)
{
    bool touched = false;
    for (int slot = 0; slot < SLOTS; slot++) {
        struct shadow_cell r = shadow_peek(access->range, slot, offset >> access->range->shift);
        touched |= cell_is_current(access, r) && epoch_is_foreign(access->checks, r.epoch);
    }
    return touched;
}

// ---- one lane -----------------------------------------------------------------------------------------------------

// Whether a cell and this lane's access are a race.
static bool conflicts(const struct access *access, struct shadow_cell r, uint32_t mine, unsigned lane)
{
    if (!cell_is_current(access, r) || (r.tag & mine & CELL_ATOMIC) || happens_before(access, r, lane))
        return false;
    return !(r.tag & mine & CELL_STRONG) || race_scope_of(access, r) == SAME_WARP;
}

// Whether a plain store changes memory: one that stores what is there already does no harm.
static bool changes(const struct access *access, unsigned lane)
{
    const struct touched *t = access->touched;
    const unsigned char *memory = access->allocation ? access->allocation->host : access->block->shared;
    if (!t->values || t->parts == 0)
        return true;
    unsigned width = t->bytes / t->parts;
    for (unsigned k = 0; k < t->parts; k++) {
        const void *value = width == 8 ? (const void *)&ROW64(access->warp, t->values[k])[lane]
                                       : (const void *)&ROW32(access->warp, t->values[k])[lane];
        if (memcmp(memory + offset_of(access, lane) + k * width, value, width) != 0)
            return true;
    }
    return false;
}

// The conflict of the widest scope among the cells of the granules that this lane accesses.
static enum race_scope find_worst(const struct access *access, unsigned lane, uint32_t mine,
                                  struct race_conflict *worst, uint64_t *where)
{
    const struct touched *t = access->touched;
    unsigned shift = access->range->shift;
    uint64_t end = (offset_of(access, lane) + t->bytes - 1) >> shift;
    enum race_scope widest = SAME_INSTRUCTION;
    for (uint64_t g = offset_of(access, lane) >> shift; g <= end; g++)
        for (int slot = 0; slot < (t->write ? SLOTS : LAST_READ); slot++) {
            struct shadow_cell r = shadow_peek(access->range, slot, g);
            if (!conflicts(access, r, mine, lane) || race_scope_of(access, r) <= widest)
                continue;
            widest = race_scope_of(access, r);
            *worst = (struct race_conflict){ r.epoch, r.tag, slot <= OTHER_WRITE };
            *where = g << shift;
        }
    return widest;
}

// Whether any cell of the granules that this lane accesses is in a race with it.
static bool is_recorded(const struct access *access, unsigned lane, uint32_t mine)
{
    struct race_conflict worst;
    uint64_t where;
    return find_worst(access, lane, mine, &worst, &where) != SAME_INSTRUCTION;
}

static void check_lane(const struct access *access, unsigned lane, uint32_t mine)
{
    const struct touched *t = access->touched;
    struct race_conflict worst = { 0 };
    uint64_t where = 0;
    enum race_scope widest = find_worst(access, lane, mine, &worst, &where);
    if (widest == SAME_INSTRUCTION)
        return;
    bool same_value = t->write && worst.write && !t->atomic && !changes(access, lane);
    race_report(access, (int)lane, where, &worst, widest, same_value);
}

// Moves the last cell to the other slot to make room, unless the cell there is of a wider scope: of another block rather
// than another warp, of another warp rather than another lane. Returns whether the two saturate the granule.
static uint32_t move_aside(const struct access *access, struct shadow_cell *from, struct shadow_cell *to,
                           bool over)
{
    enum race_scope moved = race_scope_of(access, *from),
                    kept = over ? SAME_INSTRUCTION : race_scope_of(access, *to);
    if (moved > kept && (over || !is_weaker(access, *to, from->tag))) {
        *to = *from;
        kept = moved;
    }
    if (access->touched->write && !(access->touched->atomic && from->tag & CELL_ATOMIC))
        return 0;
    if (access->touched->write && !(to->tag & CELL_ATOMIC))
        return 0; // the cell there is plain and conflicts with atomics too
    // Where all accesses to shared memory are of one block, cells of two warps are enough.
    bool blocks = access->allocation || access->checks->together;
    return kept >= (blocks ? OTHER_BLOCK : SAME_BLOCK) ? CELL_SATURATED : CELL_SATURATED_IN_EPOCH;
}

// The shadow pages of the granules at hand, by slot.
struct page_cursor {
    uint64_t number;
    struct shadow_page *page[SLOTS];
};
static inline void view_turn(struct page_cursor *view, const struct shadow *range, uint64_t granule)
{
    if (view->number == granule / PAGE)
        return;
    view->number = granule / PAGE;
    for (int slot = 0; slot < SLOTS; slot++)
        view->page[slot] = view->number < range->pages ? range->slot[slot][view->number] : NULL;
}

static inline void note_epoch(struct shadow_page *page, int32_t epoch)
{
    page->newest = epoch > page->newest ? epoch : page->newest;
}

static inline struct shadow_cell *view_open(struct page_cursor *view, struct shadow *range,
                                            enum shadow_slot slot, uint64_t granule)
{
    view_turn(view, range, granule);
    struct shadow_page *page = view->page[slot];
    unsigned at = granule % PAGE;
    if (page && page->granule && !(page->lines >> at / LINE & 1))
        return &page->granule[at];
    view->number = UINT64_MAX; // there may be a page that was not there before
    return shadow_open(range, slot, granule);
}

static inline void record_access(const struct access *access, struct page_cursor *view,
                                 struct shadow_cell *last, unsigned lane, uint64_t granule,
                                 struct shadow_cell new)
{
    bool write = access->touched->write;
    if (!happens_before(access, *last, lane) || is_weaker(access, *last, new.tag)) {
        if (is_saturated(access, *last))
            return;
        struct shadow_cell *other = view_open(view, access->range, write ? OTHER_WRITE : OTHER_READ, granule);
        if (other) {
            note_epoch(access->range->slot[write ? OTHER_WRITE : OTHER_READ][granule / PAGE], last->epoch);
            new.tag |=
                move_aside(access, last, other,
                           happens_before(access, *other, lane) && !is_weaker(access, *other, new.tag));
        }
    }
    *last = new;
}

void race_record(const struct access *access, struct shadow_cell *last, unsigned lane, uint64_t granule,
                 struct shadow_cell new)
{
    struct page_cursor view = { .number = UINT64_MAX };
    record_access(access, &view, last, lane, granule, new);
}

// ---- lanes here and there --------------------------------------------------------------------------------------------

enum verdict { SATURATED, FREE, CONFLICTING };

static inline bool is_blocked(const struct access *access, const struct shadow_page *page, unsigned at,
                              uint32_t tag)
{
    if (!page)
        return false;
    struct shadow_cell line = page->line[at / LINE], r = line;
    if (!line.epoch && page->granule)
        r = page->granule[at];
    if (!cell_is_current(access, r)) // quick: most are not
        return false;
    return is_unordered(access, line.epoch ? shadow_cell_of_line(line, at) : r, tag);
}

static inline enum verdict look(const struct access *access, const struct page_cursor *view, unsigned at,
                                uint32_t tag)
{
    bool write = access->touched->write;
    bool saturated = is_saturated(access, shadow_cell_in(view->page[write ? LAST_WRITE : LAST_READ], at));
    if (saturated && write)
        return SATURATED;
    for (int slot = 0; slot < (write ? SLOTS : LAST_READ); slot++)
        if (is_blocked(access, view->page[slot], at, tag))
            return CONFLICTING;
    return saturated ? SATURATED : FREE;
}

static inline enum verdict look_at_lane(const struct access *access, struct page_cursor *view, unsigned lane,
                                        uint32_t mine)
{
    unsigned shift = access->range->shift, granules = access->touched->bytes >> shift;
    uint32_t tag = mine | (access->warp->index * LANES + lane) << CELL_THREAD;
    uint64_t granule = offset_of(access, (int)lane) >> shift;
    enum verdict worst = SATURATED;
    for (unsigned k = 0; k < granules; k++) {
        view_turn(view, access->range, granule + k);
        enum verdict v = look(access, view, (granule + k) % PAGE, tag);
        worst = v > worst ? v : worst;
    }
    return worst;
}

static bool any_conflict(const struct access *access, uint32_t lanes, uint32_t mine)
{
    struct page_cursor view = { .number = UINT64_MAX };
    for (; lanes; lanes &= lanes - 1)
        if (look_at_lane(access, &view, (unsigned)__builtin_ctz(lanes), mine) == CONFLICTING)
            return true;
    return false;
}

static void each_lane(const struct access *access, uint32_t lanes, uint32_t mine)
{
    uint32_t thread = access->warp->index * LANES, saturated = 0;
    unsigned shift = access->range->shift, granules = access->touched->bytes >> shift;
    struct page_cursor view = { .number = UINT64_MAX };
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        enum verdict worst = look_at_lane(access, &view, lane, mine);
        if (worst == CONFLICTING)
            check_lane(access, lane, mine);
        saturated |= (uint32_t)(worst == SATURATED) << lane;
    }
    // All lanes are compared before any is recorded: store_races() compares the lanes of one instruction.
    for (uint32_t left = lanes & ~saturated; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct shadow_cell new = { access->epoch, mine | (thread + lane) << CELL_THREAD };
        for (unsigned k = 0; k < granules; k++) {
            uint64_t granule = (offset_of(access, lane) >> shift) + k;
            enum shadow_slot slot = access->touched->write ? LAST_WRITE : LAST_READ;
            struct shadow_cell *last = view_open(&view, access->range, slot, granule);
            if (!last)
                continue;
            note_epoch(access->range->slot[slot][granule / PAGE], new.epoch);
            record_access(access, &view, last, lane, granule, new);
        }
    }
}

// ---- whole lines ------------------------------------------------------------------------------------------------------

// Whether every cell of this line happens before the access of a warp to all of it, lane after lane from `tag` on.
static bool line_is_free(const struct access *access, const struct shadow_page *page, unsigned line,
                         uint32_t tag)
{
    if (!page || page->newest < access->oldest)
        return true;
    struct shadow_cell r = page->line[line];
    if (r.epoch) {
        bool own = cell_is_own(access, r, tag >> CELL_THREAD) &&
                   (r.epoch < access->sync_epoch || !((r.tag ^ tag) & CELL_EACH_MASK));
        return !cell_is_current(access, r) || own || (r.tag & tag & CELL_ATOMIC);
    }
    for (unsigned i = 0; page->granule && i < LINE; i++) {
        uint32_t thread = (uint32_t)(i >> (tag >> CELL_EACH & 3)) << CELL_THREAD;
        if (is_unordered(access, page->granule[line * LINE + i], tag + thread))
            return false;
    }
    return true;
}

static bool line_weakens(const struct access *access, const struct shadow_page *page, unsigned line,
                         uint32_t tag)
{
    if (!(tag & (CELL_ATOMIC | CELL_STRONG)))
        return false;
    if (page->line[line].epoch)
        return is_weaker(access, page->line[line], tag);
    for (unsigned i = 0; page->granule && i < LINE; i++)
        if (is_weaker(access, page->granule[line * LINE + i], tag))
            return true;
    return false;
}

// Records the access in the line's cell. False: the granules have to be recorded one by one.
static bool line_record_access(const struct access *access, uint64_t granule, struct shadow_cell new)
{
    bool write = access->touched->write;
    struct shadow_page *page = shadow_page_at(access->range, write ? LAST_WRITE : LAST_READ, granule, true);
    unsigned line = granule % PAGE / LINE;
    if (!page || line_weakens(access, page, line, new.tag))
        return false;
    struct shadow_cell *last = &page->line[line];
    uint32_t plain = new.tag & ~(uint32_t)CELL_ATOMIC; // so that atomics of others are not replaced
    note_epoch(page, new.epoch);
    if (line_is_free(access, page, line, plain)) {
        *last = new;
        page->lines |= 1ull << line;
        return true;
    }
    if (!last->epoch)
        return false;
    if (is_saturated(access, *last))
        return true;
    struct shadow_page *aside =
        shadow_page_at(access->range, write ? OTHER_WRITE : OTHER_READ, granule, true);
    if (!aside || (aside->granule && !aside->line[line].epoch))
        return false;
    struct shadow_cell *other = &aside->line[line];
    note_epoch(aside, last->epoch);
    new.tag |= move_aside(access, last, other, line_is_free(access, aside, line, plain));
    aside->lines |= (uint64_t)(other->epoch != 0) << line;
    *last = new;
    return true;
}

// The usual case: the lanes access whole lines and no cell is unordered. False: each lane has to be checked.
static bool whole_lines(const struct access *access, uint32_t mine)
{
    struct shadow *range = access->range;
    unsigned each = access->touched->bytes >> range->shift;
    uint64_t granule = offset_of(access, 0) >> range->shift;
    if (!access->straight || granule % LINE || granule % PAGE + LINE * each > PAGE || each > 8)
        return false;
    unsigned log = each == 8 ? 3 : each / 2;
    int slots = access->touched->write ? SLOTS : LAST_READ;
    uint32_t tag = mine | access->warp->index * LANES << CELL_THREAD | log << CELL_EACH;
    uint32_t step = (uint32_t)(LINE / each) << CELL_THREAD;
    for (unsigned k = 0; k < each; k++)
        for (int slot = 0; slot < slots; slot++) {
            uint64_t at = granule + k * LINE;
            const struct shadow_page *page = shadow_page_at(range, slot, at, false);
            if (!line_is_free(access, page, at % PAGE / LINE, tag + k * step))
                return false;
        }
    for (unsigned k = 0; k < each; k++)
        if (!line_record_access(access, granule + k * LINE,
                                (struct shadow_cell){ access->epoch, tag + k * step }))
            return false;
    return true;
}

// ---- stores of one instruction -----------------------------------------------------------------------------

static bool same_values(const struct access *access, unsigned a, unsigned b)
{
    const struct touched *t = access->touched;
    for (unsigned k = 0; t->values && k < t->parts; k++)
        if (t->bytes / t->parts == 8
                ? ROW64(access->warp, t->values[k])[a] != ROW64(access->warp, t->values[k])[b]
                : ROW32(access->warp, t->values[k])[a] != ROW32(access->warp, t->values[k])[b])
            return false;
    return true;
}

// Lanes that store different values to one place by one instruction: which of them stays is undefined.
static void store_races(const struct access *access, uint32_t mine)
{
    enum { SEATS = 64 };
    uint64_t place[SEATS], taken = 0;
    uint8_t sitter[SEATS];
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t offset = offset_of(access, lane);
        unsigned seat = (unsigned)((offset * 0x9e3779b97f4a7c15ull) >> 58);
        while (taken >> seat & 1 && place[seat] != offset)
            seat = (seat + 1) % SEATS;
        if (taken >> seat & 1 && !same_values(access, lane, sitter[seat])) {
            uint32_t thread = access->warp->index * LANES + sitter[seat];
            struct race_conflict other = { access->epoch, mine | thread << CELL_THREAD, true };
            race_report(access, (int)lane, offset, &other, SAME_INSTRUCTION, false);
        }
        taken |= 1ull << seat;
        place[seat] = offset;
        sitter[seat] = (uint8_t)lane;
    }
}

// ---- barriers of a part of the block -----------------------------------------------------------------------

enum { KINDS = 2, READS = 0, WRITES = 1 };

static bool is_partial(const struct op *op)
{
    return op->kind == OP_BARRIER && (op->b || op->sub == BARRIER_ARRIVE);
}

bool race_cells_wanted(const struct sim_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++)
            if (is_partial(&module->functions[f].ops[i]))
                return true;
    return phases_wanted(module);
}

// The cells of a granule: KINDS rows of one cell per warp. The epoch of a cell shows when it is of an earlier block.
static struct shadow_cell *race_cells_of(const struct access *access, uint64_t granule)
{
    uint32_t warps = access->warp->block->warp_count;
    return &access->checks->warp_cells[granule * KINDS * warps];
}

size_t race_cells_bytes(size_t shared, unsigned shift, uint32_t warps)
{
    return ((shared >> shift) + 1) * KINDS * warps * sizeof(struct shadow_cell);
}

void race_cells_start(struct checks *c, const struct block *block)
{
    if (c->warp_cells || c->shared.bytes == 0 || !c->partial)
        return;
    c->warp_cells = budget_take(&c->machine->memory->budget, FOR_CHECKS,
                                race_cells_bytes(c->shared.bytes, c->shared.shift, block->warp_count));
}

void race_cells_end(struct checks *c)
{
    budget_give(&c->machine->memory->budget, c->warp_cells);
    c->warp_cells = NULL;
}

// Finds an access of another warp to this granule that races with this lane's access.
static bool find_one(const struct access *access, uint64_t granule, uint32_t mine, unsigned lane,
                     struct race_conflict *out)
{
    const struct shadow_cell *of = race_cells_of(access, granule);
    uint32_t warps = access->warp->block->warp_count;
    for (int kind = access->touched->write ? READS : WRITES; kind < KINDS; kind++)
        for (uint32_t w = 0; w < warps; w++) {
            struct shadow_cell r = of[(uint32_t)kind * warps + w];
            if (w == access->warp->index || !conflicts(access, r, mine, lane))
                continue;
            *out = (struct race_conflict){ r.epoch, r.tag, kind == WRITES };
            return true;
        }
    return false;
}

static void compare_with_warps(const struct access *access, unsigned lane, uint32_t mine)
{
    unsigned shift = access->range->shift;
    uint64_t first = offset_of(access, (int)lane) >> shift, end = first + (access->touched->bytes >> shift);
    struct race_conflict other;
    for (uint64_t g = first; g < end; g++)
        if (find_one(access, g, mine, lane, &other)) {
            if (!is_recorded(access, lane, mine))
                race_report(access, (int)lane, g << shift, &other, SAME_BLOCK, false);
            return;
        }
}

static void note_lane(const struct access *access, unsigned lane, uint32_t mine)
{
    unsigned shift = access->range->shift;
    uint32_t warps = access->warp->block->warp_count, own = access->warp->index;
    uint64_t first = offset_of(access, (int)lane) >> shift, end = first + (access->touched->bytes >> shift);
    struct shadow_cell new = { access->epoch, mine | (own * LANES + lane) << CELL_THREAD };
    uint32_t kind = access->touched->write ? WRITES : READS;
    for (uint64_t g = first; g < end; g++)
        race_cells_of(access, g)[kind * warps + own] = new;
}

static void compare_and_note(const struct access *access, uint32_t mine)
{
    for (uint32_t left = access->mask; left; left &= left - 1)
        compare_with_warps(access, (unsigned)__builtin_ctz(left), mine);
    for (uint32_t left = access->mask; left; left &= left - 1)
        note_lane(access, (unsigned)__builtin_ctz(left), mine);
}

// ---- an access ----------------------------------------------------------------------------------------------------------

static bool is_one_place(const struct access *access)
{
    uint64_t off = 0, first = offset_of(access, __builtin_ctz(access->mask));
    for (uint32_t left = access->mask; left; left &= left - 1)
        off |= offset_of(access, __builtin_ctz(left)) ^ first;
    return off == 0;
}

static uint32_t flags_of(const struct access *access)
{
    static const char *const strong[] = { "volatile", "relaxed", "acquire", "release", "mmio" };
    const struct touched *t = access->touched;
    size_t tally = (size_t)t->op->tally;
    uint32_t atomic = t->atomic ? CELL_ATOMIC | CELL_STRONG : 0;
    if (tally >= access->checks->tallies || !t->op->from)
        return atomic;
    uint8_t *flags = &access->checks->flags[tally];
    for (size_t i = 0; *flags == 0 && i < sizeof strong / sizeof *strong; i++)
        if (ptx_has(t->op->from, strong[i]))
            *flags = CELL_STRONG;
    if (*flags == 0 &&
        race_cas_load_is(access->checks->cas_loads, access->checks->machine->module, t->op->from))
        *flags = CELL_ATOMIC;
    *flags |= CELL_KNOWN;
    return atomic | (*flags & (CELL_STRONG | CELL_ATOMIC));
}

// The build of the handler that made the access has these for the same processors.
struct built {
    enum owners_verdict (*note)(const struct access *access, uint64_t low, uint64_t bytes, enum touch how);
    bool (*differ)(const struct access *access);
    bool (*together)(const struct access *access, uint32_t lanes, uint32_t mine);
};
static const struct built *built_for(const struct access *access)
{
#define ROW(level)                                                                                           \
    {                                                                                                        \
        owners_note##level, race_lanes_differ##level, race_together##level                                   \
    }
    static const struct built builds[] = EACH_BUILD(ROW);
#undef ROW
    return &builds[access->touched->build];
}

// Whether an access needs no look at shadow memory, nor its lanes at each other.
enum cover { UNCOVERED, COVERED, COVERED_APART };

// In shared memory lines that are only read, or only updated by atomics, are noted as such; of others the threads are.
static enum cover cover_of_shared(const struct access *access, uint64_t low, uint64_t bytes, enum touch how)
{
    struct checks *c = access->checks;
    if (c->guesses & GUESS_SHARED && guess_covers(c, access->range, false, low, bytes, how))
        return COVERED;
    if (c->warp_cells || !c->owners || !(c->guesses & GUESS_OWN))
        return UNCOVERED;
    const enum owners_verdict verdict = built_for(access)->note(access, low, bytes, how);
    if (verdict == OWNERS_CLASH)
        guess_wrong(c->machine, GUESS_OWN);
    return verdict == OWNERS_APART ? COVERED_APART : COVERED;
}

// What the guess about buffers leaves are stores, and what may synchronise threads.
static enum cover cover_of_global(const struct access *access, enum touch how, bool plain)
{
    struct checks *c = access->checks;
    if (guess_covers(c, access->range, true, 0, 0, how))
        return COVERED;
    if (!(c->guesses & GUESS_GLOBAL) || !(c->guesses & GUESS_ONCE))
        return UNCOVERED;
    if (plain && guess_stores_once(access))
        return COVERED_APART;
    guess_wrong(c->machine, GUESS_ONCE);
    return UNCOVERED;
}

static enum cover cover_of(const struct access *access, uint32_t mine)
{
    const struct touched *t = access->touched;
    uint64_t low = t->low, span = t->span, high = 0;
    enum touch how = mine & CELL_ATOMIC               ? TOUCH_ATOMIC
                     : t->write || mine & CELL_STRONG ? TOUCH_OTHER
                                                      : TOUCH_READ;
    if (!access->checks->guesses)
        return UNCOVERED;
    if (access->allocation)
        return cover_of_global(access, how, !(mine & CELL_STRONG));
    if (!span) {
        low = UINT64_MAX;
        for (uint32_t left = access->mask; left; left &= left - 1) {
            uint64_t at = t->address[__builtin_ctz(left)];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        span = high - low + t->bytes;
    }
    return cover_of_shared(access, low, span, how);
}

void race_access(const struct access *access)
{
    const struct touched *t = access->touched;
    uint32_t mine = flags_of(access) | ((uint32_t)t->op->tally & (CELL_OPS - 1)) << CELL_OP;
    bool wide = access->allocation || access->block != access->warp->block;
    if (mine & CELL_STRONG && (wide || access->checks->fences))
        release_acquire(access->warp, wide);
    const enum cover cover = access->mask ? cover_of(access, mine) : COVERED;
    if (t->write && !t->atomic && !access->straight && cover != COVERED_APART &&
        !built_for(access)->differ(access))
        store_races(access, mine);
    if (access->checks->warp_cells && access->range == &access->checks->shared)
        compare_and_note(access, mine);
    uint32_t lanes = access->mask;
    if (cover != UNCOVERED || whole_lines(access, mine))
        return;
    if (!access->checks->together && built_for(access)->together(access, lanes, mine))
        return;
    if (!t->write && is_one_place(access)) { // the first and the last reader stand for all
        uint32_t ends = 1u << __builtin_ctz(lanes) | 1u << (31 - __builtin_clz(lanes));
        lanes = any_conflict(access, ends, mine) ? lanes : ends;
    }
    each_lane(access, lanes, mine);
}
