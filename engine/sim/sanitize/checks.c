// The checks of a launch: their begin and end, the epochs before which earlier accesses happen before one, and the way
// of an access through them: uninit_memory.c (definedness), race.c (happens-before), async_copy.c.
#include "engine/sim/sanitize/checks.h"

#include <stdlib.h>
#include <string.h>

// ---- shadow memory: cells in pages that are made when they are needed, and a bit per byte that is written ----

void shadow_page_drop(struct shadow *range, struct shadow_page **at)
{
    if (*at)
        budget_give(range->budget, (*at)->granule);
    budget_give(range->budget, *at);
    *at = NULL;
}

bool shadow_page_ready(struct shadow *range, struct shadow_page **at, bool granules)
{
    if (!*at)
        *at = budget_take(range->budget, FOR_CHECKS, sizeof **at);
    if (*at && granules && !(*at)->granule)
        (*at)->granule = budget_take(range->budget, FOR_CHECKS, PAGE * sizeof *(*at)->granule);
    return *at && (!granules || (*at)->granule);
}

static void forget(struct shadow *range)
{
    for (int s = 0; s < SLOTS; s++) {
        for (size_t p = 0; range->slot[s] && p < range->pages; p++)
            shadow_page_drop(range, &range->slot[s][p]);
        budget_give(range->budget, range->slot[s]);
        range->slot[s] = NULL;
    }
    range->pages = 0;
    budget_give(range->budget, range->once);
    range->once = NULL;
}

static bool lay_out(struct shadow *range)
{
    range->pages = (range->bytes >> range->shift) / PAGE + 1;
    for (int s = 0; s < SLOTS; s++)
        range->slot[s] = budget_take(range->budget, FOR_CHECKS, range->pages * sizeof *range->slot[s]);
    if (range->slot[0] && range->slot[1] && range->slot[2] && range->slot[3])
        return true;
    forget(range);
    return false;
}

// The bytes that shadow_make takes.
static size_t shadow_bytes(size_t bytes, unsigned shift, bool unwritten)
{
    size_t pages = (bytes >> shift) / PAGE + 1;
    return SLOTS * budget_piece(pages * sizeof(struct shadow_page *)) +
           (unwritten ? budget_piece(((bytes + 63) / 64 + 1) * 8) : 0);
}

bool shadow_make(struct shadow *range, struct budget *budget, size_t bytes, unsigned shift, bool unwritten)
{
    *range = (struct shadow){ .budget = budget, .bytes = bytes, .shift = shift };
    if (unwritten)
        range->written = budget_take(budget, FOR_CHECKS, ((bytes + 63) / 64 + 1) * 8);
    if ((!unwritten || range->written) && lay_out(range))
        return true;
    shadow_drop(range);
    return false;
}

void shadow_drop(struct shadow *range)
{
    forget(range);
    uninit_partial_drop(range);
    budget_give(range->budget, range->written);
    *range = (struct shadow){ .budget = range->budget, .shift = range->shift };
}

// Empties the cells. Granules are 1 << shift bytes from now on where that is less than 4.
static void shadow_grain(struct shadow *range, unsigned shift)
{
    forget(range);
    range->shift = shift < 2 ? shift : range->shift;
    (void)lay_out(range);
}

struct shadow_page *shadow_page_at(struct shadow *range, enum shadow_slot slot, uint64_t granule, bool make)
{
    size_t page = granule / PAGE;
    if (page >= range->pages)
        return NULL;
    struct shadow_page **at = &range->slot[slot][page];
    if (!*at && make)
        (void)shadow_page_ready(range, at, false);
    return *at;
}

struct shadow_cell *shadow_open(struct shadow *range, enum shadow_slot slot, uint64_t granule)
{
    struct shadow_page *page = shadow_page_at(range, slot, granule, true);
    if (!page || (!page->granule && !shadow_page_ready(range, &page, true)))
        return NULL;
    unsigned at = granule % PAGE;
    if (page->lines >> at / LINE & 1) {
        struct shadow_cell *line = &page->line[at / LINE];
        for (unsigned i = 0; i < LINE; i++)
            page->granule[at - at % LINE + i] = shadow_cell_of_line(*line, i);
        line->epoch = 0;
        page->lines &= ~(1ull << at / LINE);
    }
    return &page->granule[at];
}

void shadow_forget(struct shadow *range, uint64_t at, uint64_t bytes)
{
    uint64_t first = at >> range->shift, end = (at + bytes - 1) >> range->shift;
    for (int slot = 0; slot < SLOTS; slot++)
        for (uint64_t granule = first; granule <= end; granule++) {
            struct shadow_cell *cell = NULL;
            if (!shadow_page_at(range, (enum shadow_slot)slot, granule, false))
                granule |= PAGE - 1; // the page's last one
            else if ((cell = shadow_open(range, (enum shadow_slot)slot, granule)))
                *cell = (struct shadow_cell){ 0 };
        }
    if (range->written)
        span_mark(range->written, at, bytes, false);
    range->whole = false;
}

static unsigned width_shift(unsigned bytes)
{
    return bytes >= 4 ? 2 : bytes == 2 ? 1 : 0;
}

// ---- a launch ---------------------------------------------------------------------------------------------------

// The narrowest access that may reach shared memory decides its granule.
static unsigned shared_shift(const struct sim_module *module)
{
    unsigned shift = 2;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].op_count; i++) {
            const struct op *op = &module->functions[f].ops[i];
            bool reaches = op->space == SPACE_SHARED || op->space == SPACE_GENERIC;
            if (op->access == SIM_ACCESSES || !reaches || op->bytes == 0)
                continue;
            unsigned width = width_shift(op->bytes / (op->parts ? op->parts : 1u));
            shift = width < shift ? width : shift;
        }
    return shift;
}

// Epochs are numbered with 31 bits over the life of a memory. Long before they run out, the shadow cells are emptied and the
// numbers start again.
static void renumber(struct sim_memory *memory)
{
    if (memory->epochs < (1u << 30))
        return;
    for (size_t i = 0; i < memory->count; i++)
        if (memory->allocations[i].shadow)
            shadow_grain(memory->allocations[i].shadow, 3);
    memory->epochs = 0;
}

size_t checks_bytes(const struct machine *machine)
{
    const struct sim_module *module = machine->module;
    size_t shared = block_shared_bytes(machine), tallies = module->tally_count + 1;
    uint32_t warps = (uint32_t)machine_warps(machine);
    size_t bytes = sizeof(struct checks) + warps * sizeof(struct warp_checks) +
                   tallies * (sizeof(void *) * 2 + 1) + shadow_bytes(shared, shared_shift(module), true) +
                   warps * LANES * machine->kernel->local_bytes / 8;
    if (shared && race_cells_wanted(module))
        bytes += race_cells_bytes(shared, shared_shift(module), warps);
    return bytes * machine->resident + together_bytes(machine);
}

bool checks_start(struct thread_state *thread)
{
    struct machine *machine = thread->machine;
    struct budget *budget = &machine->memory->budget;
    uint32_t warps = thread->block.warp_count;
    struct checks *c = budget_take(budget, FOR_CHECKS, sizeof *c + warps * sizeof *c->warps);
    if (!c)
        return false;
    thread->checks = c;
    c->machine = machine;
    c->warp_count = warps;
    bool first = thread == machine->threads, together = machine->resident > 1;
    if (first)
        renumber(machine->memory);
    c->own_epochs = machine->memory->epochs;
    c->epochs = first || together ? &machine->memory->epochs : &c->own_epochs;
    c->launch_first = (int32_t)*c->epochs + 1;
    c->tallies = machine->module->tally_count + 1;
    c->ops = together && !first ? machine->threads->checks->ops
                                : budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->ops);
    c->first_use = budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->first_use);
    c->flags = budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->flags);
    c->cas_loads = race_cas_loads_new();
    c->shared.budget = budget;
    c->shared.shift = shared_shift(machine->module);
    c->partial = race_cells_wanted(machine->module);
    c->wants_fences = phases_want_fences(machine->module);
    c->seat = (uint32_t)(thread - machine->threads);
    c->together = together && !first ? machine->threads->checks->together : NULL;
    bool good = !together || !first || together_start(thread);
    if (good && c->ops && c->first_use && c->flags && c->cas_loads)
        return true;
    checks_end(thread);
    return false;
}

void checks_end(struct thread_state *thread)
{
    struct machine *machine = thread->machine;
    struct checks *c = thread->checks;
    if (!c)
        return;
    struct budget *budget = &machine->memory->budget;
    for (uint32_t w = 0; w < c->warp_count; w++)
        budget_give(budget, c->warps[w].local);
    if (thread == machine->threads)
        together_end(c);
    uninit_end(c);
    race_cells_end(c);
    owners_end(c);
    async_copies_end(c);
    phases_end(c);
    uninit_stored_end(c);
    shadow_drop(&c->shared);
    // The numbers of variables may belong to another module in the next launch; buffers keep theirs.
    for (size_t i = FIRST_VARIABLE; i < machine->memory->count && i < FIRST_BUFFER; i++)
        if (machine->memory->allocations[i].shadow)
            checks_memory_drop(machine->memory, &machine->memory->allocations[i]);
    budget_give(budget, c->marks);
    if (thread == machine->threads || !c->together)
        budget_give(budget, c->ops);
    budget_give(budget, c->first_use);
    budget_give(budget, c->flags);
    race_cas_loads_free(c->cas_loads);
    budget_give(budget, c);
    thread->checks = NULL;
}

void checks_memory_drop(struct sim_memory *memory, struct allocation *one)
{
    if (one->shadow)
        shadow_drop(one->shadow);
    budget_give(&memory->budget, one->shadow);
    one->shadow = NULL;
}

void checks_memory_free(struct sim_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        checks_memory_drop(memory, &memory->allocations[i]);
}

// ---- a block and the order of its accesses -------------------------------------------------------------------------

static void mark_block(struct checks *c, const struct block *block)
{
    if (c->mark_count && c->marks[c->mark_count - 1].first == c->block_first)
        c->mark_count--; // the block before touched nothing
    if (c->mark_count == c->mark_room) {
        size_t room = c->mark_room ? 2 * c->mark_room : 256;
        struct block_epochs *grown =
            budget_more(&c->machine->memory->budget, FOR_CHECKS, c->marks, room * sizeof *grown);
        if (!grown)
            return;
        c->marks = grown;
        c->mark_room = room;
    }
    struct block_epochs *mark = &c->marks[c->mark_count++];
    mark->first = c->block_first;
    memcpy(mark->id, block->id, sizeof mark->id);
    mark->released = mark->released_atomics = 0;
}

void checks_block_start(struct block *block)
{
    struct checks *c = block->thread->checks;
    for (uint32_t w = 0; w < block->warp_count; w++)
        block->warps[w].checks = c;
    if (!c)
        return;
    c->block_first = c->ordered = (int32_t)*c->epochs + 1;
    if (c->together)
        together_block_starts(c, block);
    else
        mark_block(c, block);
    memset(c->arrived_clock, 0, sizeof c->arrived_clock);
    memset(c->released_clock, 0, sizeof c->released_clock);
    c->fence_epoch = 0;
    c->fences = c->acquired = false;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp_checks *state = &c->warps[w];
        state->epoch = state->sync_epoch = state->fence = 0;
        memset(state->clock, 0, sizeof state->clock);
        state->partial_count = 0;
        uninit_local_reset(state);
        uninit_reset(&block->warps[w]);
    }
    if (c->shared.bytes != block->shared_bytes || !c->shared.written) {
        unsigned shift = c->shared.shift;
        shadow_drop(&c->shared);
        (void)shadow_make(&c->shared, c->shared.budget, block->shared_bytes, shift, true);
    } else {
        memset(c->shared.written, 0, (c->shared.bytes + 63) / 64 * 8);
        c->shared.whole = false;
    }
    race_cells_start(c, block);
    owners_start(c);
    async_copies_start(c);
    phases_start(c);
    uninit_stored_start(c);
}

// ---- an access ----------------------------------------------------------------------------------------------------

struct shadow *shadow_new(struct budget *budget, const struct allocation *allocation)
{
    struct shadow *range = budget_take(budget, FOR_CHECKS, sizeof *range);
    bool unwritten = allocation->role == SIM_OUT || allocation->role == SIM_SCRATCH;
    unsigned shift =
        width_shift((unsigned)(allocation->element_bytes % 4 ? allocation->element_bytes % 4 : 4));
    if (range && !shadow_make(range, budget, allocation->bytes, shift, unwritten)) {
        budget_give(budget, range);
        range = NULL;
    }
    return range;
}

// The shadow of an allocation, for an access of this kind.
static struct shadow *shadow_of(struct checks *c, uint64_t number, bool write)
{
    struct machine *m = c->machine;
    struct allocation *allocation = &m->memory->allocations[number];
    if (!c->own) {
        if (!allocation->shadow)
            allocation->shadow = shadow_new(&m->memory->budget, allocation);
        allocation->touched_in = m->memory->launches + 1;
        allocation->written_in = write ? allocation->touched_in : allocation->written_in;
        return allocation->shadow;
    }
    if (!c->own[number])
        c->own[number] = guess_shadow(m, allocation);
    if (write && !(c->own[number] && c->own[number]->kept)) {
        guess_keep(m, number);
        if (c->own[number])
            c->own[number]->kept = true;
    }
    return c->own[number];
}

void sim_memory_written(struct sim_memory *memory, sim_address address, size_t bytes)
{
    uint64_t number = address >> OFFSET_BITS, at = address & OFFSETS;
    struct allocation *a = number < memory->count ? &memory->allocations[number] : NULL;
    if (!a || at > a->bytes || bytes > a->bytes - at)
        return;
    if (!a->shadow && bytes == a->bytes && a->role == SIM_SCRATCH)
        a->role = SIM_INOUT; // which takes no bits
    if (a->role != SIM_OUT && a->role != SIM_SCRATCH)
        return;
    if (!a->shadow)
        a->shadow = shadow_new(&memory->budget, a);
    struct shadow *range = a->shadow;
    if (!range || !range->written || range->whole)
        return;
    span_mark(range->written, at, bytes, true);
    range->whole = bytes == a->bytes;
}

bool sim_memory_has_content(const struct sim_memory *memory, sim_address address, size_t *bytes)
{
    uint64_t number = address >> OFFSET_BITS, at = address & OFFSETS;
    const struct allocation *a = number < memory->count ? &memory->allocations[number] : NULL;
    *bytes = 0;
    if (!a || at >= a->bytes)
        return false;
    const struct shadow *range = a->shadow;
    *bytes = a->bytes - at;
    if (!range)
        return a->role != SIM_OUT && a->role != SIM_SCRATCH;
    if (!range->written || range->whole)
        return true;
    bool content = span_written(range->written, at, 1);
    uint64_t end = at + 1, alike = content ? UINT64_MAX : 0;
    while (end < a->bytes && span_written(range->written, end, 1) == content) {
        bool word = end % 64 == 0 && a->bytes - end >= 64 && range->written[end / 64] == alike;
        end += word ? 64 : 1;
    }
    *bytes = end - at;
    return content;
}

static bool is_straight(const struct access *access)
{
    const uint64_t *address = access->touched->address;
    uint64_t bytes = access->touched->bytes, off = 0, first = address[0];
    if (access->touched->same || access->touched->row || access->touched->span)
        return access->touched->row;
    if (access->touched->mask != FULL_MASK || address[LANES - 1] - first != (LANES - 1) * bytes)
        return false;
    for (uint32_t i = 0; i < LANES; i++)
        off |= address[i] ^ (first + i * bytes);
    return off == 0;
}

static void order(struct access *access)
{
    size_t tally = (size_t)access->touched->op->tally;
    if (tally < access->checks->tallies)
        access->checks->ops[tally] = access->touched->op;
    access->epoch = race_epoch(access->warp);
    access->sync_epoch = access->checks->warps[access->warp->index].sync_epoch;
}

static void see(struct access *access)
{
    if (!access->range)
        return;
    const struct touched *t = access->touched;
    unsigned width = width_shift(t->bytes / (t->parts ? t->parts : 1u));
    if (width < access->range->shift)
        shadow_grain(access->range, width);
    order(access);
    uninit_access(access);
    race_access(access);
}

static struct access in_shared(struct warp *warp, const struct touched *touched)
{
    struct access access = {
        .warp = warp, .checks = warp->checks, .touched = touched, .mask = touched->mask
    };
    access.straight = is_straight(&access);
    access.block = touched->block ? touched->block : warp->block;
    access.range = &access.block->thread->checks->shared;
    access.oldest = warp->checks->together ? warp->checks->together->unit_first : warp->checks->ordered;
    return access;
}

static void see_shared(struct warp *warp, const struct touched *touched)
{
    struct access access = in_shared(warp, touched);
    if (touched->block) {
        if (together_access(&access))
            see(&access);
        return;
    }
    if (warp->checks->async_copies)
        async_copies_check(&access);
    if (warp->checks->phases || warp->checks->wants_fences)
        phases_check(&access);
    see(&access);
}

void checks_copy_lands(struct warp *warp, const struct touched *touched)
{
    struct access access = in_shared(warp, touched);
    if (!access.range->pages)
        return;
    order(&access);
    race_access(&access);
}

static uint32_t lanes_of(const struct touched *touched, uint64_t base, uint32_t left)
{
    uint64_t others = 0;
    if (touched->span)
        return left;
    for (int i = 0; i < LANES; i++)
        others |= touched->address[i] ^ base;
    if (others >> OFFSET_BITS == 0)
        return left;
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++)
        lanes |= (uint32_t)((touched->address[i] ^ base) >> OFFSET_BITS == 0) << i & left;
    return lanes;
}

// Checks the lanes of one allocation after those of another; nearly always all lanes access the same one.
static void see_global(struct warp *warp, const struct touched *touched)
{
    struct sim_memory *memory = warp->block->machine->memory;
    for (uint32_t left = touched->mask; left;) {
        uint64_t owner = touched->address[__builtin_ctz(left)] >> OFFSET_BITS;
        struct access access = {
            .warp = warp, .checks = warp->checks, .touched = touched, .block = warp->block
        };
        access.base = owner << OFFSET_BITS;
        access.straight = is_straight(&access) && touched->address[LANES - 1] >> OFFSET_BITS == owner;
        access.mask = access.straight || touched->same ? FULL_MASK : lanes_of(touched, access.base, left);
        left &= ~access.mask;
        if (owner >= memory->count || memory->allocations[owner].constant)
            continue;
        access.allocation = &memory->allocations[owner];
        access.range = shadow_of(warp->checks, owner, touched->write);
        access.oldest = warp->checks->launch_first;
        see(&access);
    }
}

enum { NEAR = 1024 }; // bytes of shared memory whose bits of `written` are all looked at for one access

bool checks_read_is_covered(struct warp *warp, const struct op *op, enum ptx_space space, uint64_t low,
                            uint64_t span, const struct touched *touched)
{
    struct checks *c = warp->checks;
    size_t tally = (size_t)op->tally;
    const struct shadow *range = &c->shared;
    bool global = space == SPACE_GLOBAL;
    if (!(c->guesses & (global ? GUESS_GLOBAL : GUESS_SHARED)) || warp->poisoned || tally >= c->tallies ||
        c->flags[tally] != CELL_KNOWN || op->releases)
        return false;
    if (global) {
        range = c->own[low >> OFFSET_BITS];
        if (!range || range->touched != 1 << TOUCH_READ || (range->written && !range->whole) ||
            width_shift(op->bytes / (op->parts ? op->parts : 1u)) < range->shift)
            return false;
    } else {
        if (space != SPACE_SHARED || c->async_copies || c->partial || c->wants_fences ||
            low + span > range->bytes ||
            !(range->whole || (span <= NEAR && span_written(range->written, low, span)) ||
              (touched && lanes_written(range->written, touched->address, 0, touched->mask, touched->bytes))))
            return false;
        if (!guess_has_noted(c, low, span, TOUCH_READ))
            (void)guess_covers(c, NULL, false, low, span, TOUCH_READ);
    }
    c->ops[tally] = op;
    if (!c->warps[warp->index].epoch)
        (void)race_epoch(warp);
    return true;
}

static bool is_covered(struct warp *warp, const struct touched *t)
{
    return !t->write && t->span && checks_read_is_covered(warp, t->op, t->space, t->low, t->span, t);
}

void checks_access(struct warp *warp, const struct touched *touched)
{
    if (!warp->checks || touched->mask == 0 || is_covered(warp, touched))
        return;
    if (touched->op->releases) // a fence of its own comes before it
        race_fence(warp, !ptx_has(touched->op->from, "cta"));
    if (touched->space == SPACE_SHARED)
        see_shared(warp, touched);
    else if (touched->space == SPACE_GLOBAL)
        see_global(warp, touched);
    else if (touched->space == SPACE_LOCAL) {
        struct access access = {
            .warp = warp, .checks = warp->checks, .touched = touched, .mask = touched->mask
        };
        uninit_local_access(&access);
    }
}
