// Atomics at places where many atomics have been: two records convict whoever comes, and one more adds nothing. Most
// atomics of a histogram or a sum are of that kind, so all lanes are looked at in one pass.
#include "engine/sim/sanitize/check.h"

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
