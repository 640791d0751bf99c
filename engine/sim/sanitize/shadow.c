// Shadows of a stretch of memory: records in pages that come when they are needed, and a bit per byte that says
// whether anybody has written it.
#include "engine/sim/sanitize/checks.h"

void range_page_drop(struct range *range, struct page **at)
{
    if (*at)
        budget_give(range->budget, (*at)->granule);
    budget_give(range->budget, *at);
    *at = NULL;
}

bool range_page_ready(struct range *range, struct page **at, bool granules)
{
    if (!*at)
        *at = budget_take(range->budget, FOR_CHECKS, sizeof **at);
    if (*at && granules && !(*at)->granule)
        (*at)->granule = budget_take(range->budget, FOR_CHECKS, PAGE * sizeof *(*at)->granule);
    return *at && (!granules || (*at)->granule);
}

static void forget(struct range *range)
{
    for (int s = 0; s < SLOTS; s++) {
        for (size_t p = 0; range->slot[s] && p < range->pages; p++)
            range_page_drop(range, &range->slot[s][p]);
        budget_give(range->budget, range->slot[s]);
        range->slot[s] = NULL;
    }
    range->pages = 0;
}

static bool lay_out(struct range *range)
{
    range->pages = (range->bytes >> range->shift) / PAGE + 1;
    for (int s = 0; s < SLOTS; s++)
        range->slot[s] = budget_take(range->budget, FOR_CHECKS, range->pages * sizeof *range->slot[s]);
    if (range->slot[0] && range->slot[1] && range->slot[2] && range->slot[3])
        return true;
    forget(range);
    return false;
}

size_t range_bytes(size_t bytes, unsigned shift, bool unwritten)
{
    size_t pages = (bytes >> shift) / PAGE + 1;
    return SLOTS * budget_piece(pages * sizeof(struct page *)) +
           (unwritten ? budget_piece(((bytes + 63) / 64 + 1) * 8) : 0);
}

bool range_make(struct range *range, struct budget *budget, size_t bytes, unsigned shift, bool unwritten)
{
    *range = (struct range){ .budget = budget, .bytes = bytes, .shift = shift };
    if (unwritten)
        range->written = budget_take(budget, FOR_CHECKS, ((bytes + 63) / 64 + 1) * 8);
    if ((!unwritten || range->written) && lay_out(range))
        return true;
    range_drop(range);
    return false;
}

void range_drop(struct range *range)
{
    forget(range);
    partial_words_drop(range);
    budget_give(range->budget, range->written);
    *range = (struct range){ .budget = range->budget, .shift = range->shift };
}

void range_grain(struct range *range, unsigned shift)
{
    forget(range);
    range->shift = shift < 2 ? shift : range->shift;
    (void)lay_out(range);
}

struct page *range_page(struct range *range, enum slot slot, uint64_t granule, bool make)
{
    size_t page = granule / PAGE;
    if (page >= range->pages)
        return NULL;
    struct page **at = &range->slot[slot][page];
    if (!*at && make)
        (void)range_page_ready(range, at, false);
    return *at;
}

struct record *record_open(struct range *range, enum slot slot, uint64_t granule)
{
    struct page *page = range_page(range, slot, granule, true);
    if (!page || (!page->granule && !range_page_ready(range, &page, true)))
        return NULL;
    unsigned at = granule % PAGE;
    struct record *line = &page->line[at / LINE];
    if (line->segment) {
        for (unsigned i = 0; i < LINE; i++)
            page->granule[at - at % LINE + i] = record_of_line(*line, i);
        line->segment = 0;
    }
    return &page->granule[at];
}
