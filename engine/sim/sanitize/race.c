// Races: two threads touch a granule, one of them writes, they are not both atomic, and nothing puts them in order.
// Per granule two writers and two readers are kept, so that a thread that was the last to read does not hide that
// others had read before it.
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

// ---- one lane -----------------------------------------------------------------------------------------------------

bool race_convicts(const struct seen *seen, struct record r, uint32_t mine, unsigned lane)
{
    if (!order_is_live(seen, r) || (r.who & mine & WHO_ATOMIC) || order_is_over(seen, r, lane))
        return false;
    return !(r.who & mine & WHO_STRONG) || order_nearness(seen, r) == SAME_WARP;
}

// Plain stores of what is there already do no harm.
static bool changes(const struct seen *seen, unsigned lane)
{
    const struct touched *t = seen->touched;
    const struct block *block = seen->warp->block;
    const unsigned char *memory = seen->allocation ? seen->allocation->host : block->shared;
    if (!t->values || t->parts == 0)
        return true;
    unsigned width = t->bytes / t->parts;
    for (unsigned k = 0; k < t->parts; k++) {
        const void *value = width == 8 ? (const void *)&ROW64(seen->warp, t->values[k])[lane]
                                       : (const void *)&ROW32(seen->warp, t->values[k])[lane];
        if (memcmp(memory + offset_of(seen, lane) + k * width, value, width) != 0)
            return true;
    }
    return false;
}

// The worst of what this lane's access races with, by the records that are kept of every granule.
static enum nearness find_worst(const struct seen *seen, unsigned lane, uint32_t mine, struct other *worst,
                                uint64_t *where)
{
    const struct touched *t = seen->touched;
    unsigned shift = seen->range->shift;
    uint64_t end = (offset_of(seen, lane) + t->bytes - 1) >> shift;
    enum nearness nearest = SAME_INSTRUCTION;
    for (uint64_t g = offset_of(seen, lane) >> shift; g <= end; g++)
        for (int slot = 0; slot < (t->write ? SLOTS : LAST_READ); slot++) {
            struct record r = record_peek(seen->range, slot, g);
            if (!race_convicts(seen, r, mine, lane) || order_nearness(seen, r) <= nearest)
                continue;
            nearest = order_nearness(seen, r);
            *worst = (struct other){ r.segment, r.who, slot <= OTHER_WRITE };
            *where = g << shift;
        }
    return nearest;
}

bool race_is_seen(const struct seen *seen, unsigned lane, uint32_t mine)
{
    struct other worst;
    uint64_t where;
    return find_worst(seen, lane, mine, &worst, &where) != SAME_INSTRUCTION;
}

static void judge(const struct seen *seen, unsigned lane, uint32_t mine)
{
    const struct touched *t = seen->touched;
    struct other worst = { 0 };
    uint64_t where = 0;
    enum nearness nearest = find_worst(seen, lane, mine, &worst, &where);
    if (nearest == SAME_INSTRUCTION)
        return;
    bool same_value = t->write && worst.write && !t->atomic && !changes(seen, lane);
    race_report(seen, (int)lane, where, &worst, nearest, same_value);
}

// An atomic or volatile access convicts fewer than a plain one of the same launch that others may still race with,
// even where the two are in order.
static inline bool is_weaker(const struct seen *seen, struct record old, uint32_t mine)
{
    return (mine & ~old.who & (WHO_ATOMIC | WHO_STRONG)) && old.segment >= seen->oldest;
}

// Another thread's record moves over to make room, unless what stands there convicts more: another block before
// another warp, another warp before another lane. Returns what both together settle.
static uint32_t move_over(const struct seen *seen, struct record *from, struct record *to, bool over)
{
    enum nearness moved = order_nearness(seen, *from),
                  kept = over ? SAME_INSTRUCTION : order_nearness(seen, *to);
    if (moved > kept && (over || !is_weaker(seen, *to, from->who))) {
        *to = *from;
        kept = moved;
    }
    if (seen->touched->write && !(seen->touched->atomic && from->who & WHO_ATOMIC))
        return 0;
    if (seen->touched->write && !(to->who & WHO_ATOMIC))
        return 0; // what stands there convicts atomics too
    // In shared memory all are of one block, and two warps' are enough.
    return kept >= (seen->allocation ? OTHER_BLOCK : SAME_BLOCK) ? WHO_SETTLED : WHO_PAIRED;
}

// More readers, or more atomics, would add nothing to this record and the one beside it.
static inline bool is_settled(const struct seen *seen, struct record r)
{
    bool enough = r.who & WHO_SETTLED || (r.who & WHO_PAIRED && r.segment == seen->segment);
    bool alike = !seen->touched->write || (seen->touched->atomic && r.who & WHO_ATOMIC);
    return enough && alike && order_is_live(seen, r);
}

// The pages that the granules at hand are in, by slot.
struct view {
    uint64_t number;
    struct page *page[SLOTS];
};
static inline void view_turn(struct view *view, const struct range *range, uint64_t granule)
{
    if (view->number == granule / PAGE)
        return;
    view->number = granule / PAGE;
    for (int slot = 0; slot < SLOTS; slot++)
        view->page[slot] = view->number < range->pages ? range->slot[slot][view->number] : NULL;
}

static inline struct record *view_open(struct view *view, struct range *range, enum slot slot,
                                       uint64_t granule)
{
    view_turn(view, range, granule);
    struct page *page = view->page[slot];
    unsigned at = granule % PAGE;
    if (page && page->granule && !page->line[at / LINE].segment)
        return &page->granule[at];
    view->number = UINT64_MAX; // there may be a page that was not there before
    return record_open(range, slot, granule);
}

static inline void write_down(const struct seen *seen, struct view *view, unsigned lane, uint64_t granule,
                              struct record new)
{
    bool write = seen->touched->write;
    struct record *last = view_open(view, seen->range, write ? LAST_WRITE : LAST_READ, granule);
    if (!last)
        return;
    if (!order_is_over(seen, *last, lane) || is_weaker(seen, *last, new.who)) {
        if (is_settled(seen, *last))
            return;
        struct record *other = view_open(view, seen->range, write ? OTHER_WRITE : OTHER_READ, granule);
        if (other)
            new.who |= move_over(seen, last, other,
                                 order_is_over(seen, *other, lane) && !is_weaker(seen, *other, new.who));
    }
    *last = new;
}

// ---- lanes here and there --------------------------------------------------------------------------------------------

enum verdict { SETTLED, FREE, CROWDED };

static inline bool in_the_way(const struct seen *seen, struct record r, uint32_t who)
{
    return order_is_live(seen, r) && !(r.who & who & WHO_ATOMIC) && !order_is_own(seen, r, who >> WHO_THREAD);
}

static inline bool is_blocked(const struct seen *seen, const struct page *page, unsigned at, uint32_t who)
{
    if (!page)
        return false;
    struct record line = page->line[at / LINE], r = line;
    if (!line.segment && page->granule)
        r = page->granule[at];
    if (!order_is_live(seen, r)) // most are over, and then it does not matter whose they are
        return false;
    return in_the_way(seen, line.segment ? record_of_line(line, at) : r, who);
}

static inline enum verdict look(const struct seen *seen, const struct view *view, unsigned at, uint32_t who)
{
    bool write = seen->touched->write;
    bool settled = is_settled(seen, record_in(view->page[write ? LAST_WRITE : LAST_READ], at));
    if (settled && write)
        return SETTLED;
    for (int slot = 0; slot < (write ? SLOTS : LAST_READ); slot++)
        if (is_blocked(seen, view->page[slot], at, who))
            return CROWDED;
    return settled ? SETTLED : FREE;
}

static inline enum verdict look_at_lane(const struct seen *seen, struct view *view, unsigned lane,
                                        uint32_t mine)
{
    unsigned shift = seen->range->shift, granules = seen->touched->bytes >> shift;
    uint32_t who = mine | (seen->warp->index * LANES + lane) << WHO_THREAD;
    uint64_t granule = offset_of(seen, (int)lane) >> shift;
    enum verdict worst = SETTLED;
    for (unsigned k = 0; k < granules; k++) {
        view_turn(view, seen->range, granule + k);
        enum verdict v = look(seen, view, (granule + k) % PAGE, who);
        worst = v > worst ? v : worst;
    }
    return worst;
}

static bool is_crowded(const struct seen *seen, uint32_t lanes, uint32_t mine)
{
    struct view view = { .number = UINT64_MAX };
    for (; lanes; lanes &= lanes - 1)
        if (look_at_lane(seen, &view, (unsigned)__builtin_ctz(lanes), mine) == CROWDED)
            return true;
    return false;
}

static void each_lane(const struct seen *seen, uint32_t lanes, uint32_t mine)
{
    uint32_t thread = seen->warp->index * LANES, settled = 0;
    unsigned shift = seen->range->shift, granules = seen->touched->bytes >> shift;
    struct view view = { .number = UINT64_MAX };
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        enum verdict worst = look_at_lane(seen, &view, lane, mine);
        if (worst == CROWDED)
            judge(seen, lane, mine);
        settled |= (uint32_t)(worst == SETTLED) << lane;
    }
    // Only now: the lanes of one instruction do not race with each other here.
    for (uint32_t left = lanes & ~settled; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct record new = { seen->segment, mine | (thread + lane) << WHO_THREAD };
        for (unsigned k = 0; k < granules; k++)
            write_down(seen, &view, lane, (offset_of(seen, lane) >> shift) + k, new);
    }
}

// ---- whole lines ------------------------------------------------------------------------------------------------------

// No record of this line is in the way of a warp that touches all of it, lane after lane from `who` on.
static bool line_is_free(const struct seen *seen, const struct page *page, unsigned line, uint32_t who)
{
    if (!page)
        return true;
    struct record r = page->line[line];
    if (r.segment) {
        bool own = order_is_own(seen, r, who >> WHO_THREAD) &&
                   (r.segment < seen->since || !((r.who ^ who) & WHO_EACH_MASK));
        return !order_is_live(seen, r) || own || (r.who & who & WHO_ATOMIC);
    }
    for (unsigned i = 0; page->granule && i < LINE; i++) {
        uint32_t thread = (uint32_t)(i >> (who >> WHO_EACH & 3)) << WHO_THREAD;
        if (in_the_way(seen, page->granule[line * LINE + i], who + thread))
            return false;
    }
    return true;
}

static bool line_weakens(const struct seen *seen, const struct page *page, unsigned line, uint32_t who)
{
    if (!(who & (WHO_ATOMIC | WHO_STRONG)))
        return false;
    if (page->line[line].segment)
        return is_weaker(seen, page->line[line], who);
    for (unsigned i = 0; page->granule && i < LINE; i++)
        if (is_weaker(seen, page->granule[line * LINE + i], who))
            return true;
    return false;
}

// Writes a record for the whole line; false when its granules have to be looked at one by one.
static bool line_write_down(const struct seen *seen, uint64_t granule, struct record new)
{
    bool write = seen->touched->write;
    struct page *page = range_page(seen->range, write ? LAST_WRITE : LAST_READ, granule, true);
    unsigned line = granule % PAGE / LINE;
    if (!page || line_weakens(seen, page, line, new.who))
        return false;
    struct record *last = &page->line[line];
    uint32_t plain = new.who & ~(uint32_t)WHO_ATOMIC; // atomics of others must not be lost
    if (line_is_free(seen, page, line, plain)) {
        *last = new;
        return true;
    }
    if (!last->segment)
        return false;
    if (is_settled(seen, *last))
        return true;
    struct page *aside = range_page(seen->range, write ? OTHER_WRITE : OTHER_READ, granule, true);
    if (!aside || (aside->granule && !aside->line[line].segment))
        return false;
    struct record *other = &aside->line[line];
    new.who |= move_over(seen, last, other, line_is_free(seen, aside, line, plain));
    *last = new;
    return true;
}

// The usual case: all lanes side by side, and nobody in the way. False: look at each lane.
static bool whole_lines(const struct seen *seen, uint32_t mine)
{
    struct range *range = seen->range;
    unsigned each = seen->touched->bytes >> range->shift;
    uint64_t granule = offset_of(seen, 0) >> range->shift;
    if (!seen->straight || granule % LINE || granule % PAGE + LINE * each > PAGE || each > 8)
        return false;
    unsigned log = each == 8 ? 3 : each / 2;
    int slots = seen->touched->write ? SLOTS : LAST_READ;
    uint32_t who = mine | seen->warp->index * LANES << WHO_THREAD | log << WHO_EACH;
    uint32_t step = (uint32_t)(LINE / each) << WHO_THREAD;
    for (unsigned k = 0; k < each; k++)
        for (int slot = 0; slot < slots; slot++) {
            uint64_t at = granule + k * LINE;
            const struct page *page = range_page(range, slot, at, false);
            if (!line_is_free(seen, page, at % PAGE / LINE, who + k * step))
                return false;
        }
    for (unsigned k = 0; k < each; k++)
        if (!line_write_down(seen, granule + k * LINE, (struct record){ seen->segment, who + k * step }))
            return false;
    return true;
}

// ---- an access ----------------------------------------------------------------------------------------------------------

static bool is_one_place(const struct seen *seen)
{
    uint64_t off = 0, first = offset_of(seen, __builtin_ctz(seen->mask));
    for (uint32_t left = seen->mask; left; left &= left - 1)
        off |= offset_of(seen, __builtin_ctz(left)) ^ first;
    return off == 0;
}

static uint32_t flags_of(const struct seen *seen)
{
    static const char *const strong[] = { "volatile", "relaxed", "acquire", "release", "mmio" };
    enum { KNOWN = 0x80 };
    const struct touched *t = seen->touched;
    size_t tally = (size_t)t->op->tally;
    uint32_t atomic = t->atomic ? WHO_ATOMIC | WHO_STRONG : 0;
    if (tally >= seen->checks->tallies || !t->op->from)
        return atomic;
    uint8_t *flags = &seen->checks->flags[tally];
    for (size_t i = 0; *flags == 0 && i < sizeof strong / sizeof *strong; i++)
        if (ptx_has(t->op->from, strong[i]))
            *flags = WHO_STRONG;
    if (*flags == 0 && guesses_has(seen->checks->guesses, seen->checks->machine->module, t->op->from))
        *flags = WHO_ATOMIC;
    *flags |= KNOWN;
    return atomic | (*flags & (WHO_STRONG | WHO_ATOMIC));
}

void check_races(const struct seen *seen)
{
    const struct touched *t = seen->touched;
    uint32_t mine = flags_of(seen) | ((uint32_t)t->op->tally & (WHO_OPS - 1)) << WHO_OP;
    if (mine & WHO_STRONG && (seen->allocation || seen->checks->fences))
        order_talk(seen->warp, seen->allocation != NULL);
    if (t->write && !t->atomic && !seen->straight)
        race_in_store(seen, mine);
    if (seen->checks->crowd && !seen->allocation)
        crowd_look(seen, mine);
    uint32_t lanes = seen->mask & ~race_settled(seen);
    if (!lanes || whole_lines(seen, mine))
        return;
    if (!t->write && is_one_place(seen)) { // the first and the last of them tell as much as all
        uint32_t ends = 1u << __builtin_ctz(lanes) | 1u << (31 - __builtin_clz(lanes));
        lanes = is_crowded(seen, ends, mine) ? lanes : ends;
    }
    each_lane(seen, lanes, mine);
}

// ---- atomics that add nothing ------------------------------------------------------------------------------

// The granules of an atomic's lanes, all in one page.
struct granules {
    const struct page *page;
    uint64_t at[LANES]; // PAGE or more: not there, or of a lane that takes no part
};

static bool find_granules(const struct seen *seen, struct granules *out)
{
    const uint64_t *address = seen->touched->address;
    unsigned shift = seen->range->shift;
    uint64_t first = offset_of(seen, __builtin_ctz(seen->mask)) >> shift;
    out->page = range_page(seen->range, LAST_WRITE, first, false);
    if (!seen->touched->atomic || seen->touched->bytes >> shift != 1 || !out->page || !out->page->granule)
        return false;
    first -= first % PAGE;
    for (int lane = 0; lane < LANES; lane++)
        out->at[lane] = ((address[lane] - seen->base) >> shift) - first;
    return true;
}

// The usual case in shared memory, where all that matters is of this block: no lane needs to be looked at by itself.
static bool all_settled(const struct seen *seen, const struct granules *granules)
{
    const struct page *page = granules->page;
    int32_t lines = 0, oldest = INT32_MAX;
    uint32_t who = WHO_SETTLED | WHO_ATOMIC;
    uint64_t beyond = 0;
    for (int lane = 0; lane < LANES; lane++)
        beyond |= granules->at[lane];
    if (seen->allocation || seen->mask != FULL_MASK || beyond >= PAGE)
        return false;
    for (int lane = 0; lane < LANES; lane++) {
        struct record r = page->granule[granules->at[lane]];
        lines |= page->line[granules->at[lane] / LINE].segment;
        oldest = r.segment < oldest ? r.segment : oldest;
        who &= r.who;
    }
    return lines == 0 && oldest >= seen->oldest && who == (WHO_SETTLED | WHO_ATOMIC);
}

uint32_t race_settled(const struct seen *seen)
{
    struct granules granules;
    if (!find_granules(seen, &granules))
        return 0;
    if (all_settled(seen, &granules))
        return FULL_MASK;
    int32_t oldest = seen->oldest, now = seen->segment;
    int32_t block = seen->checks->block_first, ordered = seen->checks->ordered;
    uint32_t settled = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t at = granules.at[lane];
        if (at >= PAGE || granules.page->line[at / LINE].segment)
            continue;
        struct record r = granules.page->granule[at];
        uint32_t live =
            (uint32_t)(r.segment >= oldest) & ((uint32_t)(r.segment < block) | (r.segment >= ordered));
        uint32_t enough = r.who / WHO_SETTLED | (r.who / WHO_PAIRED & (uint32_t)(r.segment == now));
        settled |= (live & enough & r.who & WHO_ATOMIC) << lane;
    }
    return settled & seen->mask;
}

// ---- stores of one instruction -----------------------------------------------------------------------------

static bool same_values(const struct seen *seen, unsigned a, unsigned b)
{
    const struct touched *t = seen->touched;
    for (unsigned k = 0; t->values && k < t->parts; k++)
        if (t->bytes / t->parts == 8
                ? ROW64(seen->warp, t->values[k])[a] != ROW64(seen->warp, t->values[k])[b]
                : ROW32(seen->warp, t->values[k])[a] != ROW32(seen->warp, t->values[k])[b])
            return false;
    return true;
}

// Lanes that store to one place at once: which value stays is nobody's promise.
void race_in_store(const struct seen *seen, uint32_t mine)
{
    enum { SEATS = 64 };
    uint64_t place[SEATS], taken = 0;
    uint8_t sitter[SEATS];
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t offset = offset_of(seen, lane);
        unsigned seat = (unsigned)((offset * 0x9e3779b97f4a7c15ull) >> 58);
        while (taken >> seat & 1 && place[seat] != offset)
            seat = (seat + 1) % SEATS;
        if (taken >> seat & 1 && !same_values(seen, lane, sitter[seat])) {
            uint32_t thread = seen->warp->index * LANES + sitter[seat];
            struct other other = { seen->segment, mine | thread << WHO_THREAD, true };
            race_report(seen, (int)lane, offset, &other, SAME_INSTRUCTION, false);
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

bool crowd_is_wanted(const struct sim_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++)
            if (is_partial(&module->functions[f].ops[i]))
                return true;
    return false;
}

// The records of a granule: KINDS rows of one record per warp. Those of earlier blocks are told by their segments.
static struct record *crowd_of(const struct seen *seen, uint64_t granule)
{
    uint32_t warps = seen->warp->block->warp_count;
    return &seen->checks->crowd[granule * KINDS * warps];
}

size_t crowd_bytes(size_t shared, unsigned shift, uint32_t warps)
{
    return ((shared >> shift) + 1) * KINDS * warps * sizeof(struct record);
}

void crowd_start(struct checks *c, const struct block *block)
{
    if (c->crowd || c->shared.bytes == 0 || !c->partial)
        return;
    c->crowd = budget_take(&c->machine->memory->budget, FOR_CHECKS,
                           crowd_bytes(c->shared.bytes, c->shared.shift, block->warp_count));
}

void crowd_end(struct checks *c)
{
    budget_give(&c->machine->memory->budget, c->crowd);
    c->crowd = NULL;
}

// What another warp did to this granule that nothing puts before this lane's access.
static bool find_one(const struct seen *seen, uint64_t granule, uint32_t mine, unsigned lane,
                     struct other *out)
{
    const struct record *of = crowd_of(seen, granule);
    uint32_t warps = seen->warp->block->warp_count;
    for (int kind = seen->touched->write ? READS : WRITES; kind < KINDS; kind++)
        for (uint32_t w = 0; w < warps; w++) {
            struct record r = of[(uint32_t)kind * warps + w];
            if (w == seen->warp->index || !race_convicts(seen, r, mine, lane))
                continue;
            *out = (struct other){ r.segment, r.who, kind == WRITES };
            return true;
        }
    return false;
}

static void compare_with_warps(const struct seen *seen, unsigned lane, uint32_t mine)
{
    unsigned shift = seen->range->shift;
    uint64_t first = offset_of(seen, (int)lane) >> shift, end = first + (seen->touched->bytes >> shift);
    struct other other;
    for (uint64_t g = first; g < end; g++)
        if (find_one(seen, g, mine, lane, &other)) {
            if (!race_is_seen(seen, lane, mine))
                race_report(seen, (int)lane, g << shift, &other, SAME_BLOCK, false);
            return;
        }
}

static void note_lane(const struct seen *seen, unsigned lane, uint32_t mine)
{
    unsigned shift = seen->range->shift;
    uint32_t warps = seen->warp->block->warp_count, own = seen->warp->index;
    uint64_t first = offset_of(seen, (int)lane) >> shift, end = first + (seen->touched->bytes >> shift);
    struct record new = { seen->segment, mine | (own * LANES + lane) << WHO_THREAD };
    uint32_t kind = seen->touched->write ? WRITES : READS;
    for (uint64_t g = first; g < end; g++)
        crowd_of(seen, g)[kind * warps + own] = new;
}

void crowd_look(const struct seen *seen, uint32_t mine)
{
    for (uint32_t left = seen->mask; left; left &= left - 1)
        compare_with_warps(seen, (unsigned)__builtin_ctz(left), mine);
    for (uint32_t left = seen->mask; left; left &= left - 1)
        note_lane(seen, (unsigned)__builtin_ctz(left), mine);
}
