// Stepping back in a trace: snapshots of a launch's state, as reversible debuggers keep checkpoints, so that a step back
// re-executes from the nearest one only.
//
// Snapshots lie far apart on the way forward. A move back leaves more of them, denser towards its target, since the
// next move is likely to go a little further back. Old ones are thinned out, so that their number and memory are bounded.
#include "engine/sim/access/access.h"
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/trace/trace.h"

#include <stdlib.h>
#include <string.h>

// ---- state as bytes -----------------------------------------------------------------------------------------

// One pass through a launch's state (warps with their frames, the block, counters, checks) serves to serialise it and to
// restore it, so that the two cannot differ. Pointers into the machine stay valid: while a trace is open, a machine
// only gains frames and room and releases none before it closes. Buffers are copied by unit, below.

// ---- bytes ----------------------------------------------------------------------------------------------------

static bool make_room(struct state_image *image, size_t bytes)
{
    size_t room = image->room ? image->room : 4096;
    if (image->at + bytes <= image->room)
        return true;
    while (room < image->at + bytes)
        room *= 2;
    unsigned char *larger = budget_spare_more(image->budget, FOR_TRACE, image->bytes, room);
    if (!larger)
        return false;
    image->bytes = larger;
    image->room = room;
    return true;
}

static void image_reserve(struct state_image *image, size_t bytes)
{
    unsigned char *larger =
        bytes > image->room ? budget_spare_more(image->budget, FOR_TRACE, image->bytes, bytes) : NULL;
    if (!larger)
        return;
    image->bytes = larger;
    image->room = bytes;
}

static void image_transfer(struct state_image *image, void *what, size_t bytes)
{
    if (image->failed || !bytes)
        return;
    if (image->loads) {
        memcpy(what, image->bytes + image->at, bytes);
    } else if (!make_room(image, bytes)) {
        image->failed = true;
        return;
    } else {
        memcpy(image->bytes + image->at, what, bytes);
    }
    image->at += bytes;
}

static void transfer_piece(void *context, void *what, size_t bytes)
{
    image_transfer(context, what, bytes);
}

// Memory of each lane. A lane may have gained room since the snapshot: what it gained is cleared.
static void transfer_lanes(struct state_image *image, unsigned char *at, size_t room)
{
    size_t was = room;
    image_transfer(image, &was, sizeof was);
    for (size_t lane = 0; lane < LANES && room; lane++) {
        image_transfer(image, at + lane * room, was);
        if (image->loads)
            memset(at + lane * room + was, 0, room - was);
    }
}

// ---- shadows --------------------------------------------------------------------------------------------------

static bool page_ready(struct shadow *range, struct shadow_page **at, bool granules)
{
    if (*at && !granules) {
        budget_give(range->budget, (*at)->granule);
        (*at)->granule = NULL;
    }
    return shadow_page_ready(range, at, granules);
}

static void transfer_page(struct state_image *image, struct shadow *range, struct shadow_page **at)
{
    enum { NONE, LINES, GRANULES };
    uint8_t is = !*at ? NONE : (*at)->granule ? GRANULES : LINES;
    image_transfer(image, &is, sizeof is);
    if (image->loads && is == NONE)
        shadow_page_drop(range, at);
    bool ready = is != NONE && (!image->loads || page_ready(range, at, is == GRANULES));
    struct shadow_page *page = ready ? *at : NULL;
    image->failed |= is != NONE && !page;
    if (!page)
        return;
    image_transfer(image, &page->newest, sizeof page->newest);
    image_transfer(image, &page->lines, sizeof page->lines);
    image_transfer(image, page->line, sizeof page->line);
    if (is == GRANULES)
        image_transfer(image, page->granule, PAGE * sizeof *page->granule);
}

static void image_transfer_pages(struct state_image *image, struct shadow *range, size_t from, size_t count)
{
    for (int s = 0; s < SLOTS; s++)
        for (size_t p = from; p < from + count && p < range->pages && !image->failed; p++)
            transfer_page(image, range, &range->slot[s][p]);
}

// The head of a shadow, without its pages and bits. False: the memory had no shadow.
static bool image_transfer_range(struct state_image *image, struct shadow *range)
{
    struct shadow was = *range;
    image_transfer(image, &was, sizeof was);
    if (!image->loads && was.pages)
        (void)uninit_partial_pass(range, false, transfer_piece, image);
    if (!image->loads)
        return was.pages != 0;
    if (!was.pages) {
        shadow_drop(range);
        return false;
    }
    bool same = range->pages == was.pages && range->shift == was.shift && !range->written == !was.written;
    if (!same) {
        shadow_drop(range);
        if (!shadow_make(range, image->budget, was.bytes, was.shift, was.written != NULL)) {
            image->failed = true;
            return false;
        }
    }
    range->whole = was.whole;
    range->doubts = was.doubts;
    range->copied = was.copied;
    image->failed |= !uninit_partial_pass(range, true, transfer_piece, image);
    return true;
}

static void transfer_shadow(struct state_image *image, struct shadow *range)
{
    unsigned shift = range->shift;
    if (!image_transfer_range(image, range)) {
        image_transfer(image, &shift, sizeof shift);
        range->shift = shift;
        return;
    }
    if (range->written)
        image_transfer(image, range->written, ((range->bytes + 63) / 64 + 1) * 8);
    image_transfer_pages(image, range, 0, range->pages);
}

// ---- frames ---------------------------------------------------------------------------------------------------

struct frames {
    struct frame **items;
    size_t count, room;
};

static bool add_frame(struct frames *all, struct frame *frame)
{
    if (all->count == all->room) {
        size_t room = all->room ? all->room * 2 : 8;
        struct frame **larger = realloc(all->items, room * sizeof *larger);
        if (!larger)
            return false;
        all->items = larger;
        all->room = room;
    }
    all->items[all->count++] = frame;
    return true;
}

// The free frames, and those on the SIMT stack.
static bool find_frames(const struct warp *warp, struct frames *out)
{
    size_t functions = warp->block->machine->module->function_count;
    for (size_t f = 0; f < functions; f++)
        for (struct frame *frame = warp->frames[f]; frame; frame = frame->next)
            if (!add_frame(out, frame))
                return false;
    for (int i = 0; i < warp->depth; i++)
        if ((i == 0 || warp->paths[i].call) && !add_frame(out, warp->paths[i].frame))
            return false;
    return true;
}

static bool contains_frame(const struct frames *all, const struct frame *frame)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i] == frame)
            return true;
    return false;
}

static size_t row_bytes(const struct function *function)
{
    return function->frame_bytes + ((function->param_bytes * LANES + 63) & ~(size_t)63);
}

// Frames that were allocated after the snapshot belong to nothing once it is restored.
static void free_others(struct budget *budget, const struct frames *now, const struct frames *then)
{
    for (size_t i = 0; i < now->count; i++)
        if (!contains_frame(then, now->items[i]))
            budget_give(budget, now->items[i]);
}

static void transfer_frames(struct state_image *image, struct warp *warp)
{
    struct frames now = { 0 }, then = { 0 };
    if (!find_frames(warp, &now)) {
        image->failed = true;
        free(now.items);
        return;
    }
    size_t count = now.count;
    image_transfer(image, &count, sizeof count);
    for (size_t i = 0; i < count && !image->failed; i++) {
        struct frame *frame = image->loads ? NULL : now.items[i];
        image_transfer(image, &frame, sizeof frame);
        if (!frame || !add_frame(&then, frame)) {
            image->failed = true;
            break;
        }
        image_transfer(image, frame, sizeof *frame);
        image_transfer(image, frame->rows, row_bytes(frame->function));
    }
    if (image->loads && !image->failed)
        free_others(budget_of(warp), &now, &then);
    free(now.items);
    free(then.items);
}

// ---- warps and their block ------------------------------------------------------------------------------------

static void transfer_warp(struct state_image *image, struct warp *warp)
{
    const struct warp now = *warp;
    transfer_frames(image, warp); // before its lists of frames and its stack are overwritten
    image_transfer(image, warp, sizeof *warp);
    warp->paths = now.paths;
    warp->depth_room = now.depth_room;
    warp->local = now.local;
    warp->local_room = now.local_room;
    image_transfer(image, warp->paths, (size_t)warp->depth * sizeof *warp->paths);
    image_transfer(image, warp->frames, warp->block->machine->module->function_count * sizeof *warp->frames);
    transfer_lanes(image, warp->local, warp->local_room);
}

static void transfer_block(struct state_image *image, struct block *block)
{
    size_t after = offsetof(struct block, warp_count);
    image_transfer(image, block, offsetof(struct block, warps));
    image_transfer(image, (unsigned char *)block + after, sizeof *block - after);
    image_transfer(image, block->shared, block->shared_bytes);
    for (uint32_t w = 0; w < block->warp_count; w++)
        transfer_warp(image, &block->warps[w]);
}

// ---- checks ---------------------------------------------------------------------------------------------------

static void transfer_warp_checks(struct state_image *image, struct checks *c, struct warp_checks *state)
{
    uint64_t *local = state->local;
    size_t local_room = state->local_room;
    image->failed |= !uninit_pass(c, state, image->loads, transfer_piece, image);
    state->local = local;
    state->local_room = local_room;
    transfer_lanes(image, (unsigned char *)state->local, state->local_room / 8);
}

static void transfer_checks(struct state_image *image, struct checks *c, uint32_t warps)
{
    struct shadow shared = c->shared;
    struct block_epochs *marks = c->marks;
    const struct checks_pools pools = c->pools;
    size_t room = c->mark_room;
    image_transfer(image, c, offsetof(struct checks, warps));
    c->shared = shared;
    c->marks = marks;
    c->pools = pools;
    c->mark_room = room;
    image->failed |= !uninit_stored_pass(c, image->loads, transfer_piece, image);
    transfer_shadow(image, &c->shared);
    image_transfer(image, c->marks, c->mark_count * sizeof *c->marks);
    image_transfer(image, c->ops, c->tallies * sizeof *c->ops);
    image_transfer(image, c->first_use, c->tallies * sizeof *c->first_use);
    image_transfer(image, c->flags, c->tallies * sizeof *c->flags);
    for (uint32_t w = 0; w < warps; w++)
        transfer_warp_checks(image, c, &c->warps[w]);
}

// ---- the module's variables -----------------------------------------------------------------------------------

static void transfer_variable(struct state_image *image, struct sim_memory *memory, struct allocation *a)
{
    bool shadowed = a->shadow != NULL;
    image_transfer(image, a->host, a->bytes);
    image_transfer(image, &shadowed, sizeof shadowed);
    if (image->loads && !shadowed)
        checks_memory_drop(memory, a);
    if (!shadowed)
        return;
    if (!a->shadow)
        a->shadow = budget_take(image->budget, FOR_CHECKS, sizeof(struct shadow));
    if (a->shadow)
        transfer_shadow(image, a->shadow);
    image->failed |= !a->shadow;
}

static void transfer_variables(struct state_image *image, const struct sim_trace *t)
{
    if (t->machine.launch->cooperative)
        transfer_variable(image, t->memory, &t->memory->allocations[WORKSPACE]);
    for (size_t i = 0; i < t->module->variable_count; i++) {
        const struct module_variable *v = &t->module->variables[i];
        if (v->from->space != SPACE_SHARED)
            transfer_variable(image, t->memory, &t->memory->allocations[v->address >> OFFSET_BITS]);
    }
}

// ---- units of buffers ---------------------------------------------------------------------------------------

// Buffers are copied in units, copy-on-write: a snapshot copies the units that are dirty since the last one, with their
// shadow memory, and shares the rest with its neighbours. A unit without a copy holds what it saved when the trace opened.

enum { ALL_MOST = 8 << 20 }; // bytes of buffers that may be copied when it is not known which units are dirty

// ---- dirty units -----------------------------------------------------------------------------------------

static bool units_start(struct sim_trace *t)
{
    struct budget *budget = &t->memory->budget;
    t->snapshots.copies = budget_spare(budget, FOR_TRACE, t->kept_count * sizeof *t->snapshots.copies);
    for (size_t i = trace_next(t, 0); t->snapshots.copies && i < t->kept_count; i = trace_next(t, i)) {
        struct buffer_copies *copies = &t->snapshots.copies[i];
        copies->units = (t->memory->allocations[i].bytes + UNIT - 1) / UNIT;
        copies->now = budget_spare(budget, FOR_TRACE, (copies->units + 1) * sizeof *copies->now);
        copies->dirty = budget_spare(budget, FOR_TRACE, (copies->units / 64 + 1) * sizeof *copies->dirty);
        if (!copies->now || !copies->dirty)
            return false;
    }
    return t->snapshots.copies != NULL;
}

static void release_copy(struct sim_trace *t, struct unit_copy *copy)
{
    if (!copy || --copy->users)
        return;
    t->snapshots.bytes -= copy->bytes;
    budget_give(&t->memory->budget, copy);
}

static void units_end(struct sim_trace *t)
{
    struct budget *budget = &t->memory->budget;
    for (size_t i = trace_next(t, 0); t->snapshots.copies && i < t->kept_count; i = trace_next(t, i)) {
        struct buffer_copies *copies = &t->snapshots.copies[i];
        for (size_t u = 0; copies->now && u < copies->units; u++)
            release_copy(t, copies->now[u]);
        budget_give(budget, copies->now);
        budget_give(budget, copies->dirty);
    }
    budget_give(budget, t->snapshots.copies);
    t->snapshots.copies = NULL;
}

static void mark_dirty(struct sim_trace *t, uint64_t address)
{
    uint64_t number = address >> OFFSET_BITS;
    size_t unit = (address & OFFSETS) / UNIT;
    if (number < t->kept_count && unit < t->snapshots.copies[number].units)
        t->snapshots.copies[number].dirty[unit / 64] |= (uint64_t)1 << (unit % 64);
}

// What malloc and free change: the table in front of the heap.
static void mark_heap_dirty(struct sim_trace *t)
{
    uint64_t end = heap_start(&t->memory->allocations[t->memory->heap]);
    for (uint64_t at = 0; at < end; at += UNIT)
        mark_dirty(t, (t->memory->heap << OFFSET_BITS) + at);
}

// Runs after trace_before, which computes the addresses.
void snapshots_mark_dirty(struct sim_trace *t, const struct op *op, uint32_t active)
{
    const struct traced_access *last = &t->last;
    if (t->snapshots.on && op->kind == OP_CALL && op->call->builtin >= BUILTIN_MALLOC)
        mark_heap_dirty(t);
    bool elsewhere = op->space == SPACE_SHARED || op->space == SPACE_LOCAL;
    if (!t->snapshots.on || !active || elsewhere || last->op != op || last->step != t->steps)
        return;
    uint64_t known = UINT64_MAX; // the unit of the previous lane: neighbours mostly share one
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t at = last->at[__builtin_ctz(left)], end = at + op->bytes - 1u;
        if (at / UNIT == known && end / UNIT == known)
            continue;
        mark_dirty(t, at);
        mark_dirty(t, end);
        known = end / UNIT;
    }
}

static bool units_mark_all_dirty(struct sim_trace *t)
{
    size_t bytes = 0;
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i))
        bytes += t->memory->allocations[i].bytes;
    if (bytes > ALL_MOST)
        return false;
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i))
        memset(t->snapshots.copies[i].dirty, 0xff, (t->snapshots.copies[i].units / 64 + 1) * 8);
    return true;
}

static bool is_dirty(const struct buffer_copies *copies, size_t unit)
{
    return copies->dirty[unit / 64] >> (unit % 64) & 1;
}

static void mark_clean(struct buffer_copies *copies, size_t unit)
{
    copies->dirty[unit / 64] &= ~((uint64_t)1 << (unit % 64));
}

static void mark_copied_dirty(struct buffer_copies *copies)
{
    for (size_t u = 0; u < copies->units; u++)
        if (copies->now[u])
            copies->dirty[u / 64] |= (uint64_t)1 << (u % 64);
}

// ---- a buffer's shadow -----------------------------------------------------------------------------

static void restore_written(struct shadow *range, const struct saved_allocation *kept, size_t word,
                            size_t words)
{
    if (!range->written)
        return;
    if (kept->shadowed && kept->written)
        memcpy(range->written + word, kept->written + word, words * 8);
    else
        memset(range->written + word, 0, words * 8);
}

// A shadow that had to be allocated again has lost the shadow of its units.
static void load_shadow(struct state_image *image, struct sim_trace *t, size_t buffer)
{
    struct allocation *a = &t->memory->allocations[buffer];
    struct shadow *range = a->shadow;
    unsigned shift = range ? range->shift : 0;
    bool was = range && range->pages;
    if (!range)
        a->shadow = range = budget_take(image->budget, FOR_CHECKS, sizeof *range);
    if (!range || !image_transfer_range(image, range)) {
        image->failed |= !range;
        return;
    }
    if (was && range->shift == shift)
        return;
    restore_written(range, &t->kept[buffer], 0, (range->bytes + 63) / 64 + 1);
    mark_copied_dirty(&t->snapshots.copies[buffer]);
}

static void units_transfer_shadow(struct state_image *image, struct sim_trace *t, size_t buffer)
{
    struct allocation *a = &t->memory->allocations[buffer];
    bool shadowed = a->shadow != NULL;
    image_transfer(image, &shadowed, sizeof shadowed);
    if (image->loads && !shadowed)
        checks_memory_drop(t->memory, a);
    else if (image->loads)
        load_shadow(image, t, buffer);
    else if (shadowed)
        (void)image_transfer_range(image, a->shadow);
    if (a->shadow)
        t->snapshots.copies[buffer].shift = ((struct shadow *)a->shadow)->shift;
}

// ---- one unit ---------------------------------------------------------------------------------------------------

// The bytes of a buffer, the words of its written bits and the pages of its shadow that a unit covers.
struct unit_extent {
    size_t from, bytes, word, words, page, pages;
};
static struct unit_extent extent_of(const struct allocation *a, size_t unit)
{
    const struct shadow *range = a->shadow;
    struct unit_extent s = {
        .from = unit * UNIT, .bytes = UNIT, .word = unit * (UNIT / 64), .words = UNIT / 64
    };
    if (s.bytes > a->bytes - s.from)
        s.bytes = a->bytes - s.from;
    s.words = (s.bytes + 63) / 64;
    s.pages = range ? (size_t)UNIT / PAGE >> range->shift : 0;
    s.page = unit * s.pages;
    return s;
}

static void transfer_unit(struct state_image *image, const struct allocation *a, size_t unit)
{
    struct unit_extent s = extent_of(a, unit);
    struct shadow *range = a->shadow;
    image_transfer(image, a->host + s.from, s.bytes);
    if (range && range->written)
        image_transfer(image, range->written + s.word, s.words * 8);
    if (range)
        image_transfer_pages(image, range, s.page, s.pages);
}

static void reset_unit(const struct allocation *a, const struct saved_allocation *kept, size_t unit)
{
    struct unit_extent s = extent_of(a, unit);
    struct shadow *range = a->shadow;
    memcpy(a->host + s.from, kept->bytes + s.from, s.bytes);
    if (!range)
        return;
    restore_written(range, kept, s.word, s.words);
    for (int slot = 0; slot < SLOTS; slot++)
        for (size_t p = s.page; p < s.page + s.pages && p < range->pages; p++)
            shadow_page_drop(range, &range->slot[slot][p]);
}

static struct unit_copy *copy_of_unit(struct sim_trace *t, const struct state_image *image)
{
    struct unit_copy *copy = budget_spare(image->budget, FOR_TRACE, sizeof *copy + image->at);
    if (!copy)
        return NULL;
    copy->users = 1;
    copy->bytes = sizeof *copy + image->at;
    memcpy(copy->data, image->bytes, image->at);
    t->snapshots.bytes += copy->bytes;
    return copy;
}

// ---- all units ----------------------------------------------------------------------------------------------

// A dirty unit whose bytes are unchanged keeps its copy.
static bool save_unit(struct sim_trace *t, struct buffer_copies *copies, struct state_image *scratch,
                      const struct allocation *a, size_t unit)
{
    struct unit_copy *was = copies->now[unit];
    scratch->at = 0;
    transfer_unit(scratch, a, unit);
    if (scratch->failed)
        return false;
    if (was && was->bytes == sizeof *was + scratch->at &&
        memcmp(was->data, scratch->bytes, scratch->at) == 0) {
        mark_clean(copies, unit);
        return true;
    }
    struct unit_copy *copy = copy_of_unit(t, scratch);
    if (!copy)
        return false;
    release_copy(t, was);
    copies->now[unit] = copy;
    mark_clean(copies, unit);
    return true;
}

static bool save_buffer(struct sim_trace *t, size_t buffer, struct state_image *scratch, size_t *count)
{
    struct buffer_copies *copies = &t->snapshots.copies[buffer];
    const struct allocation *a = &t->memory->allocations[buffer];
    const struct shadow *range = a->shadow;
    if (range &&
        range->shift != copies->shift) // the shadow of its units was dropped with the old granularity
        mark_copied_dirty(copies);
    for (size_t u = 0; u < copies->units; u++) {
        if (is_dirty(copies, u)) {
            if (!save_unit(t, copies, scratch, a, u))
                return false;
        }
        *count += copies->now[u] != NULL;
    }
    return true;
}

static bool units_save(struct sim_trace *t, struct snapshot *snapshot)
{
    struct state_image scratch = { .budget = &t->memory->budget };
    bool good = true;
    size_t count = 0;
    for (size_t i = trace_next(t, 0); good && i < t->kept_count; i = trace_next(t, i))
        good = save_buffer(t, i, &scratch, &count);
    budget_give(scratch.budget, scratch.bytes);
    snapshot->saved =
        good ? budget_spare(scratch.budget, FOR_TRACE, (count + 1) * sizeof *snapshot->saved) : NULL;
    if (!snapshot->saved)
        return false;
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i))
        for (size_t u = 0; u < t->snapshots.copies[i].units; u++) {
            struct unit_copy *copy = t->snapshots.copies[i].now[u];
            if (!copy)
                continue;
            copy->users++;
            snapshot->saved[snapshot->saved_count++] = (struct saved_unit){ i, u, copy };
        }
    t->snapshots.bytes += count * sizeof *snapshot->saved;
    return true;
}

static bool restore_unit(struct sim_trace *t, size_t buffer, size_t unit, struct unit_copy *copy)
{
    struct buffer_copies *copies = &t->snapshots.copies[buffer];
    const struct allocation *a = &t->memory->allocations[buffer];
    if (copies->now[unit] == copy && !is_dirty(copies, unit))
        return true;
    struct state_image image = { .budget = &t->memory->budget, .loads = true };
    if (copy) {
        copy->users++;
        image.bytes = copy->data;
        transfer_unit(&image, a, unit);
    } else {
        reset_unit(a, &t->kept[buffer], unit);
    }
    release_copy(t, copies->now[unit]);
    copies->now[unit] = copy;
    mark_clean(copies, unit);
    return !image.failed;
}

static bool units_load(struct sim_trace *t, const struct snapshot *snapshot)
{
    const struct saved_unit *saved = snapshot->saved, *end = saved + snapshot->saved_count;
    bool good = true;
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i))
        for (size_t u = 0; u < t->snapshots.copies[i].units; u++) {
            bool holds = saved < end && saved->buffer == i && saved->unit == u;
            good = restore_unit(t, i, u, holds ? saved->copy : NULL) && good;
            saved += holds;
        }
    return good;
}

static void units_drop(struct sim_trace *t, struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->saved_count; i++)
        release_copy(t, snapshot->saved[i].copy);
    t->snapshots.bytes -= snapshot->saved_count * sizeof *snapshot->saved;
    budget_give(&t->memory->budget, snapshot->saved);
    snapshot->saved = NULL;
    snapshot->saved_count = 0;
}

// ---- the whole state ----------------------------------------------------------------------------------------

static void image_transfer_trace(struct state_image *image, struct sim_trace *t)
{
    struct machine *m = &t->machine;
    struct thread_state *thread = &m->threads[0];
    image_transfer(image, &m->executed, sizeof m->executed);
    image_transfer(image, m->workspace, sizeof m->workspace);
    image_transfer(image, &thread->unsummed, sizeof thread->unsummed);
    image_transfer(image, thread->tallies, m->module->tally_count * sizeof *thread->tallies);
    image_transfer(image, &t->memory->epochs, sizeof t->memory->epochs);
    image_transfer(image, &t->warp, sizeof t->warp);
    image_transfer(image, &t->position, sizeof t->position);
    image_transfer(image, &t->turn, sizeof t->turn);
    image_transfer(image, &t->left, sizeof t->left);
    image_transfer(image, &t->in_block, sizeof t->in_block);
    image_transfer(image, &t->moved, sizeof t->moved);
    image_transfer(image, &t->steps, sizeof t->steps);
    image_transfer(image, &t->last, sizeof t->last);
    for (uint32_t k = 0; k < m->resident; k++, thread++) {
        image_transfer(image, &thread->executed, sizeof thread->executed);
        transfer_block(image, &thread->block);
        if (thread->checks)
            transfer_checks(image, thread->checks, thread->block.warp_count);
    }
    if (m->threads->checks && m->threads->checks->together)
        image->failed |= !together_pass(m->threads->checks, image->loads, transfer_piece, image);
    transfer_variables(image, t);
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i))
        units_transfer_shadow(image, t, i);
    if (image->loads)
        m->stop = false;
}

// ---- snapshots ----------------------------------------------------------------------------------------------

// Steps between two snapshots: SPACING, plus one for each WORTH bytes that a snapshot takes; never fewer than NEAREST.
enum { SPACING = 1 << 15, NEAREST = 1 << 10, WORTH = 16 };
enum { VARIABLES_MOST = 1 << 20 }; // bytes of the module's variables, which every snapshot copies

// ---- which launches can be stepped back ---------------------------------------------------------------------------------

// Whether a trace knows all addresses that the instruction writes to. Of cp.async it knows neither.
static bool is_traceable(const struct op *op)
{
    bool elsewhere = op->space == SPACE_SHARED || op->space == SPACE_LOCAL;
    if (op->from && op->from->base && strcmp(op->from->base, "cp") == 0)
        return false;
    bool shown = op->kind == OP_LANES || op->kind == OP_WAITS;
    return op->access == SIM_ACCESSES || elsewhere || (shown && op->bytes);
}

static bool can_go_back(const struct sim_trace *t)
{
    const struct checks *c = t->machine.threads[0].checks;
    size_t bytes = 0;
    for (size_t f = 0; f < t->module->function_count; f++)
        for (size_t i = 0; i < t->module->functions[f].op_count; i++)
            if (!is_traceable(&t->module->functions[f].ops[i]))
                return false;
    for (size_t i = 0; i < t->module->variable_count; i++)
        bytes += t->module->variables[i].from->bytes;
    return t->warp && bytes <= VARIABLES_MOST && !(c && c->partial);
}

// ---- taking snapshots ----------------------------------------------------------------------------------------------

static void drop(struct sim_trace *t, size_t index)
{
    struct snapshots *snapshots = &t->snapshots;
    struct snapshot *snapshot = &snapshots->snapshot[index];
    units_drop(t, snapshot);
    snapshots->bytes -= snapshot->image.room;
    budget_give(&t->memory->budget, snapshot->image.bytes);
    findings_free(snapshot->findings);
    snapshots->count--;
    memmove(snapshot, snapshot + 1, (snapshots->count - index) * sizeof *snapshot);
}

// The snapshot whose loss costs least: the one with the smallest gap between its neighbours, relative to its distance.
static size_t least_useful(const struct sim_trace *t)
{
    const struct snapshots *snapshots = &t->snapshots;
    size_t least = 1;
    double worth = 0;
    for (size_t i = 1; i < snapshots->count; i++) {
        uint64_t after = i + 1 < snapshots->count ? snapshots->snapshot[i + 1].step : t->steps + NEAREST;
        double gap = (double)(after - snapshots->snapshot[i - 1].step);
        double here = gap / (double)(t->steps - snapshots->snapshot[i].step + NEAREST);
        if (i == 1 || here < worth) {
            worth = here;
            least = i;
        }
    }
    return least;
}

static void thin_out(struct sim_trace *t)
{
    struct snapshots *snapshots = &t->snapshots;
    while (snapshots->count > 1 && (snapshots->count > SNAPSHOTS || snapshots->bytes > SNAPSHOT_BYTES))
        drop(t, least_useful(t));
    if (snapshots->bytes > SNAPSHOT_BYTES)
        snapshots_end(t);
}

static bool save(struct sim_trace *t, struct snapshot *snapshot)
{
    if (!units_save(t, snapshot))
        return false;
    snapshot->image.budget = &t->memory->budget;
    size_t like =
        t->snapshots.count > 1 ? (snapshot - 1)->image.at : 0; // most are about as large as the one before
    image_reserve(&snapshot->image, like + like / 16);
    image_transfer_trace(&snapshot->image, t);
    unsigned char *fit =
        snapshot->image.failed
            ? NULL
            : budget_spare_more(snapshot->image.budget, FOR_TRACE, snapshot->image.bytes, snapshot->image.at);
    if (fit) {
        snapshot->image.bytes = fit;
        snapshot->image.room = snapshot->image.at;
    }
    t->snapshots.bytes += snapshot->image.room;
    snapshot->findings = findings_copy(t->machine.findings);
    return !snapshot->image.failed && snapshot->findings;
}

static uint64_t steps_to_next(const struct snapshots *snapshots, uint64_t now, size_t bytes)
{
    uint64_t steps = snapshots->aim > now ? (snapshots->aim - now) / 2 : SPACING + bytes / WORTH;
    return steps > NEAREST ? steps : NEAREST;
}

static void take(struct sim_trace *t)
{
    struct snapshots *snapshots = &t->snapshots;
    bool printed = false;
    for (uint32_t k = 0; k < t->machine.resident; k++)
        printed |= t->machine.threads[k].printed_count != 0;
    if (printed) // printed text is not part of a snapshot
        return;
    struct snapshot *snapshot = &snapshots->snapshot[snapshots->count++];
    *snapshot = (struct snapshot){ .step = t->steps };
    bool good = save(t, snapshot);
    snapshots->next = t->steps + steps_to_next(snapshots, t->steps, snapshot->image.at);
    if (good)
        thin_out(t);
    else
        drop(t, snapshots->count - 1);
}

void snapshots_step(struct sim_trace *t, uint64_t ran)
{
    if (!t->snapshots.on)
        return;
    if (ran > 1 && !units_mark_all_dirty(t))
        snapshots_end(t);
    else if (t->warp && t->steps >= t->snapshots.next)
        take(t);
}

void snapshots_start(struct sim_trace *t)
{
    t->snapshots = (struct snapshots){ 0 };
    t->snapshots.on = can_go_back(t) && units_start(t);
    if (t->snapshots.on)
        take(t);
    if (!t->snapshots.count)
        snapshots_end(t);
}

void snapshots_end(struct sim_trace *t)
{
    while (t->snapshots.count)
        drop(t, t->snapshots.count - 1);
    units_end(t);
    t->snapshots.on = false;
}

// ---- going back -----------------------------------------------------------------------------------------------

// Drops later snapshots: the frames that they refer to are released from here on.
bool snapshots_load(struct sim_trace *t, uint64_t to)
{
    struct snapshots *snapshots = &t->snapshots;
    while (snapshots->count > 1 && snapshots->snapshot[snapshots->count - 1].step > to)
        drop(t, snapshots->count - 1);
    if (!snapshots->count)
        return false;
    struct snapshot *snapshot = &snapshots->snapshot[snapshots->count - 1];
    struct state_image image = { .budget = &t->memory->budget,
                                 .bytes = snapshot->image.bytes,
                                 .room = snapshot->image.room,
                                 .loads = true };
    struct findings *findings = findings_copy(snapshot->findings);
    if (!findings)
        return false;
    findings_free(t->machine.findings);
    t->machine.findings = findings;
    for (uint32_t k = 0; k < t->machine.resident; k++)
        print_clear(&t->machine.threads[k]);
    image_transfer_trace(&image, t);
    snapshots->aim = to;
    snapshots->next = snapshot->step + steps_to_next(snapshots, snapshot->step, snapshot->image.at);
    return units_load(t, snapshot) && !image.failed;
}
