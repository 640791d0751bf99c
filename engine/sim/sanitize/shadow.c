// Shadow memory of an allocation or of a block's shared memory: cells in pages that are made when they are needed, and a
// bit per byte that says whether a thread has written it.
#include "engine/sim/sanitize/checks.h"

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

size_t shadow_bytes(size_t bytes, unsigned shift, bool unwritten)
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
    partial_words_drop(range);
    budget_give(range->budget, range->written);
    *range = (struct shadow){ .budget = range->budget, .shift = range->shift };
}

void shadow_grain(struct shadow *range, unsigned shift)
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
    struct shadow_cell *line = &page->line[at / LINE];
    if (line->epoch) {
        for (unsigned i = 0; i < LINE; i++)
            page->granule[at - at % LINE + i] = shadow_cell_of_line(*line, i);
        line->epoch = 0;
    }
    return &page->granule[at];
}
