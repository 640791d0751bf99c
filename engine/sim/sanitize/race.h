// Predicates on shadow cells, which race.c and race_warp.c share: which accesses a cell can be unordered with.
#ifndef WARPBOOK_SIM_SANITIZE_RACE_H
#define WARPBOOK_SIM_SANITIZE_RACE_H

#include "engine/sim/sanitize/checks.h"

static inline struct shadow_cell shadow_cell_in(const struct shadow_page *page, unsigned at)
{
    if (!page)
        return (struct shadow_cell){ 0, 0 };
    if (page->lines >> at / LINE & 1)
        return shadow_cell_of_line(page->line[at / LINE], at);
    return page->granule ? page->granule[at] : (struct shadow_cell){ 0, 0 };
}

// Whether an epoch of this launch is another block's.
static inline bool epoch_is_foreign(const struct checks *c, int32_t epoch)
{
    if (__builtin_expect(c->together != NULL, 0))
        return together_position(c->together, epoch) != c->together->position + c->seat;
    return epoch < c->block_first;
}

// Whether a cell is of this launch, or block, and after the last barrier of the whole block: only such a cell can race.
static inline bool cell_is_current(const struct access *access, struct shadow_cell r)
{
    const struct checks *c = access->checks;
    return r.epoch >= access->oldest && (epoch_is_foreign(c, r.epoch) || r.epoch >= c->ordered);
}

// Whether program order, or a synchronisation of the whole warp, puts a cell before this thread's access.
static inline bool cell_is_own(const struct access *access, struct shadow_cell r, uint32_t thread)
{
    uint32_t other = r.tag >> CELL_THREAD ^ thread;
    return !epoch_is_foreign(access->checks, r.epoch) &&
           (other == 0 || (other / LANES == 0 && r.epoch < access->sync_epoch));
}

static inline bool is_unordered(const struct access *access, struct shadow_cell r, uint32_t tag)
{
    return cell_is_current(access, r) && !(r.tag & tag & CELL_ATOMIC) &&
           !cell_is_own(access, r, tag >> CELL_THREAD);
}

// An atomic or volatile access conflicts with fewer than a plain one of the same launch does. Such a cell must not replace
// a plain one even where the two are ordered: a third access may race with the plain one alone.
static inline bool is_weaker(const struct access *access, struct shadow_cell old, uint32_t mine)
{
    return (mine & ~old.tag & (CELL_ATOMIC | CELL_STRONG)) && old.epoch >= access->oldest;
}

// Whether one more reader, or atomic, would add nothing to this cell and the one beside it.
static inline bool is_saturated(const struct access *access, struct shadow_cell r)
{
    bool enough = r.tag & CELL_SATURATED || (r.tag & CELL_SATURATED_IN_EPOCH && r.epoch == access->epoch);
    bool alike = !access->touched->write || (access->touched->atomic && r.tag & CELL_ATOMIC);
    return enough && alike && cell_is_current(access, r);
}

#endif
