// Races after barriers of a part of the block. Such a barrier puts some warps in order with this one and others not,
// so that no two of a word's readers stand for all of them: here every warp's last read and last write are kept.
// Kernels whose barriers all take the whole block have none of this.
#include "engine/sim/sanitize/check.h"
#include "engine/sim/sanitize/sanitize.h"

enum { KINDS = 2, READS = 0, WRITES = 1 };

static bool is_partial(const struct op *op)
{
    return op->kind == OP_BARRIER && (op->b || op->sub == BARRIER_ARRIVE);
}

bool crowd_is_wanted(const struct sim_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++)
            if (is_partial(&module->functions[f].ops[i]))
                return true;
    return false;
}

// The records of a granule: KINDS rows of one record per warp. Those of earlier blocks are told by their segments.
static struct record *crowd_of(const struct seen *seen, uint64_t granule)
{
    uint32_t warps = seen->warp->block->warp_count;
    return &seen->checks->crowd[granule * KINDS * warps];
}

size_t crowd_bytes(size_t shared, unsigned shift, uint32_t warps)
{
    return ((shared >> shift) + 1) * KINDS * warps * sizeof(struct record);
}

void crowd_start(struct checks *c, const struct block *block)
{
    if (c->crowd || c->shared.bytes == 0 || !c->partial)
        return;
    c->crowd = budget_take(&c->machine->memory->budget, FOR_CHECKS,
                           crowd_bytes(c->shared.bytes, c->shared.shift, block->warp_count));
}

void crowd_end(struct checks *c)
{
    budget_give(&c->machine->memory->budget, c->crowd);
    c->crowd = NULL;
}

// What another warp did to this granule that nothing puts before this lane's access.
static bool find_one(const struct seen *seen, uint64_t granule, uint32_t mine, unsigned lane,
                     struct other *out)
{
    const struct record *of = crowd_of(seen, granule);
    uint32_t warps = seen->warp->block->warp_count;
    for (int kind = seen->touched->write ? READS : WRITES; kind < KINDS; kind++)
        for (uint32_t w = 0; w < warps; w++) {
            struct record r = of[(uint32_t)kind * warps + w];
            if (w == seen->warp->index || !race_convicts(seen, r, mine, lane))
                continue;
            *out = (struct other){ r.segment, r.who, kind == WRITES };
            return true;
        }
    return false;
}

static void look_at_lane(const struct seen *seen, unsigned lane, uint32_t mine)
{
    unsigned shift = seen->range->shift;
    uint64_t first = offset_of(seen, (int)lane) >> shift, end = first + (seen->touched->bytes >> shift);
    struct other other;
    for (uint64_t g = first; g < end; g++)
        if (find_one(seen, g, mine, lane, &other)) {
            if (!race_is_seen(seen, lane, mine))
                race_report(seen, (int)lane, g << shift, &other, SAME_BLOCK, false);
            return;
        }
}

static void note_lane(const struct seen *seen, unsigned lane, uint32_t mine)
{
    unsigned shift = seen->range->shift;
    uint32_t warps = seen->warp->block->warp_count, own = seen->warp->index;
    uint64_t first = offset_of(seen, (int)lane) >> shift, end = first + (seen->touched->bytes >> shift);
    struct record new = { seen->segment, mine | (own * LANES + lane) << WHO_THREAD };
    uint32_t kind = seen->touched->write ? WRITES : READS;
    for (uint64_t g = first; g < end; g++)
        crowd_of(seen, g)[kind * warps + own] = new;
}

void crowd_look(const struct seen *seen, uint32_t mine)
{
    for (uint32_t left = seen->mask; left; left &= left - 1)
        look_at_lane(seen, (unsigned)__builtin_ctz(left), mine);
    for (uint32_t left = seen->mask; left; left &= left - 1)
        note_lane(seen, (unsigned)__builtin_ctz(left), mine);
}
