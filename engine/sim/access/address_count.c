// What an access costs, and who is told of it: the counters, the sample and the checks.
#include "engine/sim/access/address.h"

#include <string.h>

static void cost_add(struct warp *warp, const struct op *op, enum ptx_space space, struct access_cost pattern)
{
    cost_count(warp, op,
               space == SPACE_SHARED  ? COST_SHARED
               : space == SPACE_LOCAL ? COST_LOCAL
                                      : COST_GLOBAL,
               pattern);
}

void address_sample_lanes(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned bytes,
                          unsigned kind)
{
    const struct kept_request *known = mask == FULL_MASK ? sample_knows(warp, at, kind) : NULL;
    if (!known || (is_recorded(warp) && !sample_again(warp, known)))
        sample_lanes(warp, at, mask, bytes, kind);
}

void address_sample(struct warp *warp, const struct op *op, const struct access_request *ask,
                    const uint64_t at[LANES], uint32_t mask, unsigned passes)
{
    const bool atomic = ask->atomic != ATOMIC_NONE;
    unsigned kind = (ask->read ? SAMPLE_LOADED : 0) | (ask->write ? SAMPLE_STORED : 0);
    address_sample_lanes(warp, at, mask, op->bytes, kind);
    if (is_recorded(warp)) // of an atomic: its lanes
        sample_waves(warp, atomic ? (unsigned)__builtin_popcount(mask)
                                  : cost_shared(at, mask, op->bytes, false, ATOMIC_NONE).passes);
    if (atomic)
        sample_atomic(warp, at, mask, passes);
}

// Tells of a step that is recorded its turns, and the lines of its lanes, which depend on where in a line the first one is.
static void sample_constants(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned turns)
{
    sample_passes(warp, turns);
    sample_waves(warp, cost_constant(at, mask, CONSTANT_LINE_BITS));
}

void address_sample_constants(struct warp *warp, const struct lane_pattern *p, uint64_t first, unsigned turns)
{
    uint64_t at[LANES];
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    sample_constants(warp, at, warp->active, turns);
}

// Constants at a place that is known beforehand are operands of the instructions that use them.
static struct access_cost count_constants(struct warp *warp, const struct op *op, const uint64_t at[LANES],
                                          uint32_t mask)
{
    if (op->fixed)
        return (struct access_cost){ 0 };
    const struct access_cost cost = cost_of_constants(cost_constant(at, mask, 0));
    cost_count(warp, op, COST_GLOBAL, cost);
    if (is_recorded(warp))
        sample_constants(warp, at, mask, cost.passes);
    return cost;
}

// The same of a full warp whose lanes have one address or consecutive elements.
static struct access_cost count_shape_of_constants(struct warp *warp, const struct op *op, uint64_t first,
                                                   enum lane_shape shape)
{
    uint64_t at[LANES];
    for (unsigned i = 0; i < LANES; i++)
        at[i] = first + (shape == SHAPE_ROW ? i * op->bytes : 0);
    return count_constants(warp, op, at, FULL_MASK);
}

struct access_cost address_count_lanes(struct warp *warp, const struct op *op,
                                       const struct access_request *ask, enum ptx_space space,
                                       const uint64_t at[LANES], uint32_t mask)
{
    enum atomic_cost atomic = ask->atomic;
    struct access_cost pattern = { 0 };
    if (!warp->tallies || space == SPACE_PARAM || atomic == ATOMIC_CAS_LOOP || ask->block || ask->uncounted)
        return pattern;
    if (space == SPACE_CONST)
        return count_constants(warp, op, at, mask);
    if (ask->by_one && atomic != ATOMIC_NONE)
        mask &= -mask;
    if (space == SPACE_SHARED)
        pattern = cost_shared(at, mask, op->bytes, ask->write, atomic);
    else if (space == SPACE_LOCAL)
        pattern = cost_local(at, mask, op->bytes);
    else
        pattern = cost_global(at, mask, op->bytes, atomic);
    cost_add(warp, op, space, pattern);
    if (warp->sample && space != SPACE_SHARED && space != SPACE_LOCAL)
        address_sample(warp, op, ask, at, mask, pattern.passes);
    return pattern;
}

struct access_cost address_shape_cost(const struct op *op, enum ptx_space space, uint64_t first,
                                      enum lane_shape shape, bool write)
{
    const unsigned bytes = shape == SHAPE_ROW ? LANES * op->bytes : op->bytes;
    if (space == SPACE_CONST)
        return cost_of_constants(shape == SHAPE_ROW ? LANES : 1);
    if (space != SPACE_SHARED)
        return (struct access_cost){ .passes = sectors_of_run(first, bytes),
                                     .ideal = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES };
    // A row has one wavefront per line; lanes that read one address are served in pairs of groups.
    unsigned lines = op->bytes <= 4 ? 1 : op->bytes / 4;
    if (shape == SHAPE_SAME && !write && lines > 1)
        lines /= 2;
    return (struct access_cost){ .passes = lines, .ideal = lines };
}

struct access_cost address_count_shape(struct warp *warp, const struct op *op,
                                       const struct access_request *ask, enum ptx_space space, uint64_t first,
                                       enum lane_shape shape)
{
    struct access_cost pattern = { 0 };
    if (!warp->tallies || ask->uncounted)
        return pattern;
    if (space == SPACE_CONST)
        return count_shape_of_constants(warp, op, first, shape);
    unsigned bytes = shape == SHAPE_ROW ? LANES * op->bytes : op->bytes;
    pattern = address_shape_cost(op, space, first, shape, ask->write);
    cost_add(warp, op, space, pattern);
    if (warp->sample && space != SPACE_SHARED)
        sample_run(warp, first, bytes, ask->write);
    return pattern;
}

void address_show_checks(struct warp *warp, const struct op *op, const struct access_request *ask,
                         enum ptx_space space, const uint64_t at[LANES], uint32_t mask, enum lane_shape shape,
                         uint64_t low, uint64_t span)
{
    if (!checks_are_on(warp) || space == SPACE_CONST || space == SPACE_PARAM)
        return;
    struct touched touched = { .op = op,
                               .space = space,
                               .address = at,
                               .mask = mask,
                               .bytes = op->bytes,
                               .read = ask->read,
                               .write = ask->write,
                               .atomic = ask->atomic != ATOMIC_NONE,
                               .values = ask->values,
                               .parts = op->parts,
                               .part = ask->part,
                               .same = shape == SHAPE_SAME,
                               .row = shape == SHAPE_ROW,
                               .low = low,
                               .span = span,
                               .block = ask->block,
                               .build = THIS_BUILD };
    checks_access(warp, &touched);
}

struct access_cost address_count_rows(struct warp *warp, const struct op *op,
                                      const struct access_request *ask, enum ptx_space space,
                                      const struct lane_rows *rows, const uint64_t at[LANES])
{
    struct access_cost pattern = { 0 };
    if (!warp->tallies || ask->uncounted)
        return pattern;
    if (space == SPACE_CONST)
        return count_constants(warp, op, at, FULL_MASK);
    if (!cost_rows(rows, op->bytes, space == SPACE_SHARED, &pattern))
        pattern = cost_shared(at, FULL_MASK, op->bytes, ask->write, ATOMIC_NONE);
    cost_add(warp, op, space, pattern);
    if (!warp->sample || space == SPACE_SHARED)
        return pattern;
    for (unsigned i = 0; i < rows->count; i++)
        sample_run(warp, rows->start[i], rows->bytes, ask->write);
    if (!ask->write && is_recorded(warp))
        sample_waves(warp, cost_shared(at, FULL_MASK, op->bytes, false, ATOMIC_NONE).passes);
    return pattern;
}
