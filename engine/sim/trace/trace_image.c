// A launch's state as bytes: warps with their frames, the block, counters and checks. One way through it serves both
// to write it down and to put it back, so that the two cannot differ. What points into the machine stays where it is:
// a machine only gains frames and room, and gives none of it back before it closes. Buffers: trace_unit.c.
#include "engine/sim/sanitize/check.h"
#include "engine/sim/trace/trace.h"

#include <stdlib.h>
#include <string.h>

// ---- bytes ----------------------------------------------------------------------------------------------------

static bool make_room(struct image *image, size_t bytes)
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

void image_reserve(struct image *image, size_t bytes)
{
    unsigned char *larger =
        bytes > image->room ? budget_spare_more(image->budget, FOR_TRACE, image->bytes, bytes) : NULL;
    if (!larger)
        return;
    image->bytes = larger;
    image->room = bytes;
}

void image_pass(struct image *image, void *what, size_t bytes)
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

// A row of each lane; the room of a lane may have grown since, and what it gained is as new.
static void pass_lanes(struct image *image, unsigned char *at, size_t room)
{
    size_t was = room;
    image_pass(image, &was, sizeof was);
    for (size_t lane = 0; lane < LANES && room; lane++) {
        image_pass(image, at + lane * room, was);
        if (image->loads)
            memset(at + lane * room + was, 0, room - was);
    }
}

// ---- shadows --------------------------------------------------------------------------------------------------

static bool page_ready(struct range *range, struct page **at, bool granules)
{
    if (*at && !granules) {
        budget_give(range->budget, (*at)->granule);
        (*at)->granule = NULL;
    }
    return range_page_ready(range, at, granules);
}

static void pass_page(struct image *image, struct range *range, struct page **at)
{
    enum { NONE, LINES, GRANULES };
    uint8_t is = !*at ? NONE : (*at)->granule ? GRANULES : LINES;
    image_pass(image, &is, sizeof is);
    if (image->loads && is == NONE)
        range_page_drop(range, at);
    bool ready = is != NONE && (!image->loads || page_ready(range, at, is == GRANULES));
    struct page *page = ready ? *at : NULL;
    image->failed |= is != NONE && !page;
    if (!page)
        return;
    image_pass(image, page->line, sizeof page->line);
    if (is == GRANULES)
        image_pass(image, page->granule, PAGE * sizeof *page->granule);
}

void image_pass_pages(struct image *image, struct range *range, size_t from, size_t count)
{
    for (int s = 0; s < SLOTS; s++)
        for (size_t p = from; p < from + count && p < range->pages && !image->failed; p++)
            pass_page(image, range, &range->slot[s][p]);
}

// What a shadow is apart from its pages and bits. False: there is none.
bool image_pass_range(struct image *image, struct range *range)
{
    struct range was = *range;
    image_pass(image, &was, sizeof was);
    if (!image->loads)
        return was.pages != 0;
    if (!was.pages) {
        range_drop(range);
        return false;
    }
    bool same = range->pages == was.pages && range->shift == was.shift && !range->written == !was.written;
    if (!same) {
        range_drop(range);
        if (!range_make(range, image->budget, was.bytes, was.shift, was.written != NULL)) {
            image->failed = true;
            return false;
        }
    }
    range->whole = was.whole;
    range->doubts = was.doubts;
    return true;
}

static void pass_whole_range(struct image *image, struct range *range)
{
    unsigned shift = range->shift;
    if (!image_pass_range(image, range)) {
        image_pass(image, &shift, sizeof shift);
        range->shift = shift;
        return;
    }
    if (range->written)
        image_pass(image, range->written, ((range->bytes + 63) / 64 + 1) * 8);
    image_pass_pages(image, range, 0, range->pages);
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

// The free ones, and those that paths hold.
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

static bool has_frame(const struct frames *all, const struct frame *frame)
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

// Frames that came after the image was made are nobody's when it is put back.
static void free_others(struct budget *budget, const struct frames *now, const struct frames *then)
{
    for (size_t i = 0; i < now->count; i++)
        if (!has_frame(then, now->items[i]))
            budget_give(budget, now->items[i]);
}

static void pass_frames(struct image *image, struct warp *warp)
{
    struct frames now = { 0 }, then = { 0 };
    if (!find_frames(warp, &now)) {
        image->failed = true;
        free(now.items);
        return;
    }
    size_t count = now.count;
    image_pass(image, &count, sizeof count);
    for (size_t i = 0; i < count && !image->failed; i++) {
        struct frame *frame = image->loads ? NULL : now.items[i];
        image_pass(image, &frame, sizeof frame);
        if (!frame || !add_frame(&then, frame)) {
            image->failed = true;
            break;
        }
        image_pass(image, frame, sizeof *frame);
        image_pass(image, frame->rows, row_bytes(frame->function));
    }
    if (image->loads && !image->failed)
        free_others(budget_of(warp), &now, &then);
    free(now.items);
    free(then.items);
}

// ---- warps and their block ------------------------------------------------------------------------------------

static void pass_warp(struct image *image, struct warp *warp)
{
    const struct warp now = *warp;
    pass_frames(image, warp); // while its free ones and its paths are those of now
    image_pass(image, warp, sizeof *warp);
    warp->paths = now.paths;
    warp->depth_room = now.depth_room;
    warp->local = now.local;
    warp->local_room = now.local_room;
    image_pass(image, warp->paths, (size_t)warp->depth * sizeof *warp->paths);
    image_pass(image, warp->frames, warp->block->machine->module->function_count * sizeof *warp->frames);
    image_pass(image, warp->fault_address, LANES * sizeof *warp->fault_address);
    pass_lanes(image, warp->local, warp->local_room);
}

static void pass_block(struct image *image, struct block *block)
{
    size_t behind = offsetof(struct block, warp_count);
    image_pass(image, block, offsetof(struct block, warps));
    image_pass(image, (unsigned char *)block + behind, sizeof *block - behind);
    image_pass(image, block->shared, block->shared_bytes);
    for (uint32_t w = 0; w < block->warp_count; w++)
        pass_warp(image, &block->warps[w]);
}

// ---- checks ---------------------------------------------------------------------------------------------------

static void pass_warp_checks(struct image *image, struct warp_checks *state)
{
    const struct warp_checks now = *state;
    image_pass(image, state, sizeof *state);
    state->local = now.local;
    state->local_room = now.local_room;
    for (int f = 0; f < TAINT_FRAMES; f++) {
        state->frames[f].registers = now.frames[f].registers;
        state->frames[f].room = now.frames[f].room;
    }
    for (unsigned f = 0; f < state->frame_count; f++)
        image_pass(image, state->frames[f].registers,
                   state->frames[f].count * sizeof *state->frames[f].registers);
    pass_lanes(image, (unsigned char *)state->local, state->local_room / 8);
}

static void pass_checks(struct image *image, struct checks *c, uint32_t warps)
{
    struct range shared = c->shared;
    struct block_mark *marks = c->marks;
    struct origins *origins = c->origins; // what comes is kept there already, and comes again
    size_t room = c->mark_room;
    image_pass(image, c, offsetof(struct checks, warps));
    c->shared = shared;
    c->marks = marks;
    c->origins = origins;
    c->mark_room = room;
    pass_whole_range(image, &c->shared);
    image_pass(image, c->marks, c->mark_count * sizeof *c->marks);
    image_pass(image, c->ops, c->tallies * sizeof *c->ops);
    image_pass(image, c->first_use, c->tallies * sizeof *c->first_use);
    image_pass(image, c->flags, c->tallies * sizeof *c->flags);
    for (uint32_t w = 0; w < warps; w++)
        pass_warp_checks(image, &c->warps[w]);
}

// ---- the module's variables -----------------------------------------------------------------------------------

static void pass_variable(struct image *image, struct sim_memory *memory, struct allocation *a)
{
    bool shadowed = a->shadow != NULL;
    image_pass(image, a->host, a->bytes);
    image_pass(image, &shadowed, sizeof shadowed);
    if (image->loads && !shadowed)
        check_memory_drop(memory, a);
    if (!shadowed)
        return;
    if (!a->shadow)
        a->shadow = budget_take(image->budget, FOR_CHECKS, sizeof(struct range));
    if (a->shadow)
        pass_whole_range(image, a->shadow);
    image->failed |= !a->shadow;
}

static void pass_variables(struct image *image, const struct sim_trace *t)
{
    for (size_t i = 0; i < t->module->variable_count; i++) {
        const struct module_variable *v = &t->module->variables[i];
        if (v->from->space != SPACE_SHARED)
            pass_variable(image, t->memory, &t->memory->allocations[v->address >> OFFSET_BITS]);
    }
}

// ---- all of it ------------------------------------------------------------------------------------------------

void image_pass_trace(struct image *image, struct sim_trace *t)
{
    struct machine *m = &t->machine;
    struct thread_state *thread = &m->threads[0];
    image_pass(image, &m->executed, sizeof m->executed);
    image_pass(image, &thread->executed, sizeof thread->executed);
    image_pass(image, &thread->unsummed, sizeof thread->unsummed);
    image_pass(image, thread->tallies, m->module->tally_count * sizeof *thread->tallies);
    image_pass(image, &t->memory->segments, sizeof t->memory->segments);
    image_pass(image, &t->warp, sizeof t->warp);
    image_pass(image, &t->position, sizeof t->position);
    image_pass(image, &t->turn, sizeof t->turn);
    image_pass(image, &t->left, sizeof t->left);
    image_pass(image, &t->in_block, sizeof t->in_block);
    image_pass(image, &t->moved, sizeof t->moved);
    image_pass(image, &t->steps, sizeof t->steps);
    image_pass(image, &t->last, sizeof t->last);
    pass_block(image, &thread->block);
    if (m->checks)
        pass_checks(image, m->checks, thread->block.warp_count);
    pass_variables(image, t);
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++)
        units_pass_shadow(image, t, i);
    if (image->loads)
        m->stop = false;
}
