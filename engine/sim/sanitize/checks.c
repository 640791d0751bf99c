// The checks of a launch: where they begin and end, which accesses are over for whom, and the way of one access
// through them. What they find: uninit.c (no thread wrote it), check_race.c (no order), check_output.c.
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/sanitize/sanitize.h"

#include <stdlib.h>
#include <string.h>

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

// Segments are 31 bits wide over the life of a memory; long before they run out, everything starts anew.
static void renumber(struct sim_memory *memory)
{
    if (memory->segments < (1u << 30))
        return;
    for (size_t i = 0; i < memory->count; i++)
        if (memory->allocations[i].shadow)
            range_grain(memory->allocations[i].shadow, 3);
    memory->segments = 0;
}

size_t checks_bytes(const struct machine *machine)
{
    const uint32_t *size = machine->launch->block;
    const struct sim_module *module = machine->module;
    size_t shared = block_shared_bytes(machine), tallies = module->tally_count + 1;
    uint32_t warps = (size[0] * size[1] * size[2] + LANES - 1) / LANES;
    size_t bytes = sizeof(struct checks) + tallies * (sizeof(void *) * 2 + 1) +
                   range_bytes(shared, shared_shift(module), true) +
                   warps * LANES * machine->kernel->local_bytes / 8;
    if (shared && crowd_is_wanted(module))
        bytes += crowd_bytes(shared, shared_shift(module), warps);
    return bytes;
}

bool check_start(struct machine *machine)
{
    struct budget *budget = &machine->memory->budget;
    struct checks *c = budget_take(budget, FOR_CHECKS, sizeof *c);
    if (!c)
        return false;
    machine->checks = c;
    c->machine = machine;
    renumber(machine->memory);
    c->segments = &machine->memory->segments;
    c->launch_first = (int32_t)*c->segments + 1;
    c->tallies = machine->module->tally_count + 1;
    c->ops = budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->ops);
    c->first_use = budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->first_use);
    c->flags = budget_take(budget, FOR_CHECKS, c->tallies * sizeof *c->flags);
    c->guesses = guesses_new();
    c->shared.budget = budget;
    c->shared.shift = shared_shift(machine->module);
    c->partial = crowd_is_wanted(machine->module);
    if (c->ops && c->first_use && c->flags && c->guesses)
        return true;
    check_end(machine);
    return false;
}

void check_end(struct machine *machine)
{
    struct checks *c = machine->checks;
    if (!c)
        return;
    struct budget *budget = &machine->memory->budget;
    for (int w = 0; w < MAX_WARPS; w++)
        budget_give(budget, c->warps[w].local);
    uninit_end(c);
    crowd_end(c);
    flight_end(c);
    stored_words_end(c);
    range_drop(&c->shared);
    // Another module's variables may have these numbers in the next launch; those of the buffers stay theirs.
    for (size_t i = 0; i < machine->memory->count && i < FIRST_BUFFER; i++)
        check_memory_drop(machine->memory, &machine->memory->allocations[i]);
    budget_give(budget, c->marks);
    budget_give(budget, c->ops);
    budget_give(budget, c->first_use);
    budget_give(budget, c->flags);
    if (c->guesses)
        guesses_drop(c->guesses);
    free(c->guesses);
    budget_give(budget, c);
    machine->checks = NULL;
}

void check_memory_drop(struct sim_memory *memory, struct allocation *one)
{
    if (one->shadow)
        range_drop(one->shadow);
    budget_give(&memory->budget, one->shadow);
    one->shadow = NULL;
}

void check_memory_free(struct sim_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        check_memory_drop(memory, &memory->allocations[i]);
}

// ---- a block, and what puts its accesses in order ------------------------------------------------------------------

static void mark_block(struct checks *c, const struct block *block)
{
    if (c->mark_count && c->marks[c->mark_count - 1].first == c->block_first)
        c->mark_count--; // the block before touched nothing
    if (c->mark_count == c->mark_room) {
        size_t room = c->mark_room ? 2 * c->mark_room : 256;
        struct block_mark *grown =
            budget_more(&c->machine->memory->budget, FOR_CHECKS, c->marks, room * sizeof *grown);
        if (!grown)
            return;
        c->marks = grown;
        c->mark_room = room;
    }
    struct block_mark *mark = &c->marks[c->mark_count++];
    mark->first = c->block_first;
    memcpy(mark->id, block->id, sizeof mark->id);
    mark->released = mark->spoke = 0;
}

void check_block_start(struct block *block)
{
    struct checks *c = block->machine->checks;
    for (uint32_t w = 0; w < block->warp_count; w++)
        block->warps[w].checks = c;
    if (!c)
        return;
    c->block_first = c->ordered = (int32_t)*c->segments + 1;
    mark_block(c, block);
    memset(c->told, 0, sizeof c->told);
    memset(c->published, 0, sizeof c->published);
    c->fenced = 0;
    c->fences = c->acquired = false;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp_checks *state = &c->warps[w];
        state->segment = state->since = state->fence = 0;
        memset(state->before, 0, sizeof state->before);
        state->partial_count = 0;
        local_reset(state);
        uninit_reset(&block->warps[w]);
    }
    if (c->shared.bytes != block->shared_bytes || !c->shared.written) {
        unsigned shift = c->shared.shift;
        range_drop(&c->shared);
        (void)range_make(&c->shared, c->shared.budget, block->shared_bytes, shift, true);
    } else {
        memset(c->shared.written, 0, (c->shared.bytes + 63) / 64 * 8);
        c->shared.whole = false;
    }
    crowd_start(c, block);
    flight_start(c);
    stored_words_start(c);
}

void check_block_end(struct block *block)
{
    (void)block;
}

// ---- an access ----------------------------------------------------------------------------------------------------

static struct range *range_of(struct budget *budget, struct allocation *allocation)
{
    if (!allocation->shadow) {
        struct range *range = budget_take(budget, FOR_CHECKS, sizeof *range);
        bool unwritten = allocation->role == SIM_OUT || allocation->role == SIM_SCRATCH;
        unsigned shift =
            width_shift((unsigned)(allocation->element_bytes % 4 ? allocation->element_bytes % 4 : 4));
        if (range && !range_make(range, budget, allocation->bytes, shift, unwritten)) {
            budget_give(budget, range);
            range = NULL;
        }
        allocation->shadow = range;
    }
    return allocation->shadow;
}

static bool is_straight(const struct seen *seen)
{
    const uint64_t *address = seen->touched->address;
    uint64_t bytes = seen->touched->bytes, off = 0;
    if (seen->mask != FULL_MASK || address[LANES - 1] - address[0] != (LANES - 1) * bytes)
        return false;
    for (int i = 0; i + 1 < LANES; i++)
        off |= (address[i + 1] - address[i]) ^ bytes;
    return off == 0;
}

static void order(struct seen *seen)
{
    size_t tally = (size_t)seen->touched->op->tally;
    if (tally < seen->checks->tallies)
        seen->checks->ops[tally] = seen->touched->op;
    seen->straight = is_straight(seen);
    seen->segment = check_segment(seen->warp);
    seen->since = seen->checks->warps[seen->warp->index].since;
}

static void see(struct seen *seen)
{
    if (!seen->range)
        return;
    const struct touched *t = seen->touched;
    unsigned width = width_shift(t->bytes / (t->parts ? t->parts : 1u));
    if (width < seen->range->shift)
        range_grain(seen->range, width);
    order(seen);
    check_written(seen);
    check_races(seen);
}

static struct seen in_shared(struct warp *warp, const struct touched *touched)
{
    struct seen seen = { .warp = warp, .checks = warp->checks, .touched = touched, .mask = touched->mask };
    seen.range = &warp->checks->shared;
    seen.oldest = warp->checks->ordered;
    return seen;
}

static void see_shared(struct warp *warp, const struct touched *touched)
{
    struct seen seen = in_shared(warp, touched);
    if (warp->checks->flights)
        flight_look(&seen);
    see(&seen);
}

void check_late(struct warp *warp, const struct touched *touched)
{
    struct seen seen = in_shared(warp, touched);
    if (!seen.range->pages)
        return;
    order(&seen);
    check_races(&seen);
}

static uint32_t lanes_of(const struct touched *touched, uint64_t base, uint32_t left)
{
    uint64_t others = 0;
    for (int i = 0; i < LANES; i++)
        others |= touched->address[i] ^ base;
    if (left == FULL_MASK && others >> OFFSET_BITS == 0)
        return FULL_MASK;
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++)
        lanes |= (uint32_t)((touched->address[i] ^ base) >> OFFSET_BITS == 0) << i & left;
    return lanes;
}

// One allocation after the other; nearly always there is one.
static void see_global(struct warp *warp, const struct touched *touched)
{
    struct sim_memory *memory = warp->block->machine->memory;
    for (uint32_t left = touched->mask; left;) {
        uint64_t owner = touched->address[__builtin_ctz(left)] >> OFFSET_BITS;
        struct seen seen = { .warp = warp, .checks = warp->checks, .touched = touched };
        seen.base = owner << OFFSET_BITS;
        seen.mask = lanes_of(touched, seen.base, left);
        left &= ~seen.mask;
        if (owner >= memory->count || memory->allocations[owner].constant)
            continue;
        seen.allocation = &memory->allocations[owner];
        seen.range = range_of(&memory->budget, &memory->allocations[owner]);
        seen.oldest = warp->checks->launch_first;
        see(&seen);
    }
}

void check_access(struct warp *warp, const struct touched *touched)
{
    if (!warp->checks || touched->mask == 0)
        return;
    if (touched->op->releases) // a fence of its own comes before it
        check_fence(warp, !ptx_has(touched->op->from, "cta"));
    if (touched->space == SPACE_SHARED)
        see_shared(warp, touched);
    else if (touched->space == SPACE_GLOBAL)
        see_global(warp, touched);
    else if (touched->space == SPACE_LOCAL) {
        struct seen seen = {
            .warp = warp, .checks = warp->checks, .touched = touched, .mask = touched->mask
        };
        check_local(&seen);
    }
}
