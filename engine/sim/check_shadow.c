// Shadows of a stretch of memory: records in pages that come when they are needed, and a bit per byte that says
// whether anybody has written it.
#include "engine/sim/check.h"

#include <stdlib.h>

static void forget(struct range *range)
{
    for (int s = 0; s < SLOTS; s++) {
        for (size_t p = 0; range->slot[s] && p < range->pages; p++) {
            if (range->slot[s][p])
                free(range->slot[s][p]->granule);
            free(range->slot[s][p]);
        }
        free(range->slot[s]);
        range->slot[s] = NULL;
    }
    range->pages = 0;
}

static bool lay_out(struct range *range)
{
    range->pages = (range->bytes >> range->shift) / PAGE + 1;
    for (int s = 0; s < SLOTS; s++)
        range->slot[s] = calloc(range->pages, sizeof *range->slot[s]);
    if (range->slot[0] && range->slot[1] && range->slot[2] && range->slot[3])
        return true;
    forget(range);
    return false;
}

bool range_make(struct range *range, size_t bytes, unsigned shift, bool unwritten)
{
    *range = (struct range){ .bytes = bytes, .shift = shift };
    if (unwritten)
        range->written = calloc((bytes + 63) / 64 + 1, 8);
    if ((!unwritten || range->written) && lay_out(range))
        return true;
    range_drop(range);
    return false;
}

void range_drop(struct range *range)
{
    forget(range);
    free(range->written);
    *range = (struct range){ .shift = range->shift };
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
        *at = calloc(1, sizeof **at);
    return *at;
}

struct record *record_open(struct range *range, enum slot slot, uint64_t granule)
{
    struct page *page = range_page(range, slot, granule, true);
    if (!page)
        return NULL;
    if (!page->granule)
        page->granule = calloc(PAGE, sizeof *page->granule);
    if (!page->granule)
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
