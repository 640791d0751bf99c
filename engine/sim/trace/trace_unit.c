// The buffers of a trace, in units: those that were touched since they were last written down are written down anew,
// with their shadow, and shots share the others. A unit that nobody ever touched is as the trace found it.
#include "engine/sim/access/access.h"
#include "engine/sim/trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 8 << 20 }; // bytes of buffers that may be copied although nothing may have touched them

// ---- what was touched -----------------------------------------------------------------------------------------

bool units_start(struct sim_trace *t)
{
    struct budget *budget = &t->memory->budget;
    t->shots.books = budget_spare(budget, FOR_TRACE, t->kept_count * sizeof *t->shots.books);
    for (size_t i = FIRST_BUFFER; t->shots.books && i < t->kept_count; i++) {
        struct book *book = &t->shots.books[i];
        book->units = (t->memory->allocations[i].bytes + UNIT - 1) / UNIT;
        book->now = budget_spare(budget, FOR_TRACE, (book->units + 1) * sizeof *book->now);
        book->touched = budget_spare(budget, FOR_TRACE, (book->units / 64 + 1) * sizeof *book->touched);
        if (!book->now || !book->touched)
            return false;
    }
    return t->shots.books != NULL;
}

static void give(struct sim_trace *t, struct piece *piece)
{
    if (!piece || --piece->users)
        return;
    t->shots.bytes -= piece->bytes;
    budget_give(&t->memory->budget, piece);
}

void units_end(struct sim_trace *t)
{
    struct budget *budget = &t->memory->budget;
    for (size_t i = FIRST_BUFFER; t->shots.books && i < t->kept_count; i++) {
        struct book *book = &t->shots.books[i];
        for (size_t u = 0; book->now && u < book->units; u++)
            give(t, book->now[u]);
        budget_give(budget, book->now);
        budget_give(budget, book->touched);
    }
    budget_give(budget, t->shots.books);
    t->shots.books = NULL;
}

static void touch(struct sim_trace *t, uint64_t address)
{
    uint64_t number = address >> OFFSET_BITS;
    size_t unit = (address & (((uint64_t)1 << OFFSET_BITS) - 1)) / UNIT;
    if (number >= FIRST_BUFFER && number < t->kept_count && unit < t->shots.books[number].units)
        t->shots.books[number].touched[unit / 64] |= (uint64_t)1 << (unit % 64);
}

// After trace_before, which has the addresses.
void units_touch(struct sim_trace *t, const struct op *op, uint32_t active)
{
    const struct last_access *last = &t->last;
    bool elsewhere = op->space == SPACE_SHARED || op->space == SPACE_LOCAL;
    if (!t->shots.on || !active || elsewhere || last->op != op || last->step != t->steps)
        return;
    uint64_t known = UINT64_MAX; // lanes are mostly near each other
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t at = last->at[__builtin_ctz(left)], end = at + op->bytes - 1u;
        if (at / UNIT == known && end / UNIT == known)
            continue;
        touch(t, at);
        touch(t, end);
        known = end / UNIT;
    }
}

bool units_touch_all(struct sim_trace *t)
{
    size_t bytes = 0;
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++)
        bytes += t->memory->allocations[i].bytes;
    if (bytes > ALL_MOST)
        return false;
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++)
        memset(t->shots.books[i].touched, 0xff, (t->shots.books[i].units / 64 + 1) * 8);
    return true;
}

static bool is_touched(const struct book *book, size_t unit)
{
    return book->touched[unit / 64] >> (unit % 64) & 1;
}

static void settle(struct book *book, size_t unit)
{
    book->touched[unit / 64] &= ~((uint64_t)1 << (unit % 64));
}

static void touch_known(struct book *book)
{
    for (size_t u = 0; u < book->units; u++)
        if (book->now[u])
            book->touched[u / 64] |= (uint64_t)1 << (u % 64);
}

// ---- a buffer's shadow as a whole -----------------------------------------------------------------------------

static void give_written(struct range *range, const struct kept *kept, size_t word, size_t words)
{
    if (!range->written)
        return;
    if (kept->shadowed && kept->written)
        memcpy(range->written + word, kept->written + word, words * 8);
    else
        memset(range->written + word, 0, words * 8);
}

// One that has to be made anew has lost its units.
static void load_shadow(struct image *image, struct sim_trace *t, size_t buffer)
{
    struct allocation *a = &t->memory->allocations[buffer];
    struct range *range = a->shadow;
    unsigned shift = range ? range->shift : 0;
    bool was = range && range->pages;
    if (!range)
        a->shadow = range = budget_take(image->budget, FOR_CHECKS, sizeof *range);
    if (!range || !image_pass_range(image, range)) {
        image->failed |= !range;
        return;
    }
    if (was && range->shift == shift)
        return;
    give_written(range, &t->kept[buffer], 0, (range->bytes + 63) / 64 + 1);
    touch_known(&t->shots.books[buffer]);
}

void units_pass_shadow(struct image *image, struct sim_trace *t, size_t buffer)
{
    struct allocation *a = &t->memory->allocations[buffer];
    bool shadowed = a->shadow != NULL;
    image_pass(image, &shadowed, sizeof shadowed);
    if (image->loads && !shadowed)
        check_memory_drop(t->memory, a);
    else if (image->loads)
        load_shadow(image, t, buffer);
    else if (shadowed)
        (void)image_pass_range(image, a->shadow);
    if (a->shadow)
        t->shots.books[buffer].shift = ((struct range *)a->shadow)->shift;
}

// ---- a unit ---------------------------------------------------------------------------------------------------

struct stretch { // of a buffer
    size_t from, bytes, word, words, page, pages;
};
static struct stretch stretch_of(const struct allocation *a, size_t unit)
{
    const struct range *range = a->shadow;
    struct stretch s = { .from = unit * UNIT, .bytes = UNIT, .word = unit * (UNIT / 64), .words = UNIT / 64 };
    if (s.bytes > a->bytes - s.from)
        s.bytes = a->bytes - s.from;
    s.words = (s.bytes + 63) / 64;
    s.pages = range ? (size_t)UNIT / PAGE >> range->shift : 0;
    s.page = unit * s.pages;
    return s;
}

static void pass_unit(struct image *image, const struct allocation *a, size_t unit)
{
    struct stretch s = stretch_of(a, unit);
    struct range *range = a->shadow;
    image_pass(image, a->host + s.from, s.bytes);
    if (range && range->written)
        image_pass(image, range->written + s.word, s.words * 8);
    if (range)
        image_pass_pages(image, range, s.page, s.pages);
}

static void start_unit(const struct allocation *a, const struct kept *kept, size_t unit)
{
    struct stretch s = stretch_of(a, unit);
    struct range *range = a->shadow;
    memcpy(a->host + s.from, kept->bytes + s.from, s.bytes);
    if (!range)
        return;
    give_written(range, kept, s.word, s.words);
    for (int slot = 0; slot < SLOTS; slot++)
        for (size_t p = s.page; p < s.page + s.pages && p < range->pages; p++)
            range_page_drop(range, &range->slot[slot][p]);
}

static struct piece *piece_of(struct sim_trace *t, const struct image *image)
{
    struct piece *piece = budget_spare(image->budget, FOR_TRACE, sizeof *piece + image->at);
    if (!piece)
        return NULL;
    piece->users = 1;
    piece->bytes = sizeof *piece + image->at;
    memcpy(piece->data, image->bytes, image->at);
    t->shots.bytes += piece->bytes;
    return piece;
}

// ---- all of them ----------------------------------------------------------------------------------------------

// One that is still what it was, though touched, keeps its piece.
static bool note_unit(struct sim_trace *t, struct book *book, struct image *scratch,
                      const struct allocation *a, size_t unit)
{
    struct piece *was = book->now[unit];
    scratch->at = 0;
    pass_unit(scratch, a, unit);
    if (scratch->failed)
        return false;
    if (was && was->bytes == sizeof *was + scratch->at &&
        memcmp(was->data, scratch->bytes, scratch->at) == 0) {
        settle(book, unit);
        return true;
    }
    struct piece *piece = piece_of(t, scratch);
    if (!piece)
        return false;
    give(t, was);
    book->now[unit] = piece;
    settle(book, unit);
    return true;
}

static bool write_down(struct sim_trace *t, size_t buffer, struct image *scratch, size_t *count)
{
    struct book *book = &t->shots.books[buffer];
    const struct allocation *a = &t->memory->allocations[buffer];
    const struct range *range = a->shadow;
    if (range && range->shift != book->shift) // what its units knew is forgotten
        touch_known(book);
    for (size_t u = 0; u < book->units; u++) {
        if (is_touched(book, u)) {
            if (!note_unit(t, book, scratch, a, u))
                return false;
        }
        *count += book->now[u] != NULL;
    }
    return true;
}

bool units_save(struct sim_trace *t, struct shot *shot)
{
    struct image scratch = { .budget = &t->memory->budget };
    bool good = true;
    size_t count = 0;
    for (size_t i = FIRST_BUFFER; good && i < t->kept_count; i++)
        good = write_down(t, i, &scratch, &count);
    budget_give(scratch.budget, scratch.bytes);
    shot->held = good ? budget_spare(scratch.budget, FOR_TRACE, (count + 1) * sizeof *shot->held) : NULL;
    if (!shot->held)
        return false;
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++)
        for (size_t u = 0; u < t->shots.books[i].units; u++) {
            struct piece *piece = t->shots.books[i].now[u];
            if (!piece)
                continue;
            piece->users++;
            shot->held[shot->held_count++] = (struct held){ i, u, piece };
        }
    t->shots.bytes += count * sizeof *shot->held;
    return true;
}

static bool put_back(struct sim_trace *t, size_t buffer, size_t unit, struct piece *piece)
{
    struct book *book = &t->shots.books[buffer];
    const struct allocation *a = &t->memory->allocations[buffer];
    if (book->now[unit] == piece && !is_touched(book, unit))
        return true;
    struct image image = { .budget = &t->memory->budget, .loads = true };
    if (piece) {
        piece->users++;
        image.bytes = piece->data;
        pass_unit(&image, a, unit);
    } else {
        start_unit(a, &t->kept[buffer], unit);
    }
    give(t, book->now[unit]);
    book->now[unit] = piece;
    settle(book, unit);
    return !image.failed;
}

bool units_load(struct sim_trace *t, const struct shot *shot)
{
    const struct held *held = shot->held, *end = held + shot->held_count;
    bool good = true;
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++)
        for (size_t u = 0; u < t->shots.books[i].units; u++) {
            bool holds = held < end && held->buffer == i && held->unit == u;
            good = put_back(t, i, u, holds ? held->piece : NULL) && good;
            held += holds;
        }
    return good;
}

void units_drop(struct sim_trace *t, struct shot *shot)
{
    for (size_t i = 0; i < shot->held_count; i++)
        give(t, shot->held[i].piece);
    t->shots.bytes -= shot->held_count * sizeof *shot->held;
    budget_give(&t->memory->budget, shot->held);
    shot->held = NULL;
    shot->held_count = 0;
}
