// The addresses of a memory instruction's lanes: computed, validated, counted and passed to the sanitizer.
//
// Most accesses have the pattern of the instruction's last one, somewhere else; what was found then holds for them.
//
// Most instructions have all lanes at one address or at consecutive elements. These two shapes are recognised in one pass
// over the address row and need no work per lane. Warps of blocks that are 16 or 8 threads wide have two or four rows of
// such lanes, whose cost follows from where the rows are. Every other pattern is handled lane by lane.
#include "engine/sim/access/access.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

// ---- addresses --------------------------------------------------------------------------------------------

struct address_outline { // bits in which any lane differs from lane 0, and from consecutive elements
    uint64_t same, row;
};

static struct address_outline outline_wide(const uint64_t *address, unsigned shift)
{
    struct address_outline out = { 0, 0 };
    uint64_t first = address[0];
    for (int i = 0; i < LANES; i++) {
        out.same |= address[i] ^ first;
        out.row |= address[i] ^ (first + ((uint64_t)i << shift));
    }
    return out;
}

static struct address_outline outline_narrow(const uint32_t *address, unsigned shift)
{
    uint32_t same = 0, in_row = 0, first = address[0];
    for (int i = 0; i < LANES; i++) {
        same |= address[i] ^ first;
        in_row |= address[i] ^ (first + ((uint32_t)i << shift));
    }
    return (struct address_outline){ same, in_row };
}

// Whether lanes are as far from the first of their row of `width` as lane 1 is from lane 0: not at all, or by one element
// for each lane.
INLINE bool rows_wide(const uint64_t *address, unsigned shift, unsigned width)
{
    uint64_t unlike = 0, step = 0ull - (address[1] != address[0]);
    for (const uint64_t *first = address; first < address + LANES; first += width)
        for (unsigned i = 0; i < width; i++)
            unlike |= first[i] ^ (*first + ((uint64_t)i << shift & step));
    return !unlike;
}

INLINE bool rows_narrow(const uint32_t *address, unsigned shift, unsigned width)
{
    uint32_t unlike = 0, step = 0u - (address[1] != address[0]);
    for (const uint32_t *first = address; first < address + LANES; first += width)
        for (unsigned i = 0; i < width; i++)
            unlike |= first[i] ^ (*first + (i << shift & step));
    return !unlike;
}

enum { LONG_ROW = LANES / 2, SHORT_ROW = LANES / 4 };

// The rows of a full warp by the instruction's address row; false: it has none.
static bool find_rows(const struct warp *warp, const struct op *op, struct lane_rows *out)
{
    unsigned shift = (unsigned)__builtin_ctz(op->bytes), width;
    uint64_t apart;
    if (op->wide) {
        const uint64_t *address = ROW64(warp, op->a);
        apart = address[1] - address[0];
        if (apart && apart != op->bytes)
            return false;
        width = rows_wide(address, shift, LONG_ROW)    ? LONG_ROW
                : rows_wide(address, shift, SHORT_ROW) ? SHORT_ROW
                                                       : 0;
    } else {
        const uint32_t *address = ROW32(warp, op->a);
        apart = address[1] - address[0];
        if (apart && apart != op->bytes)
            return false;
        width = rows_narrow(address, shift, LONG_ROW)    ? LONG_ROW
                : rows_narrow(address, shift, SHORT_ROW) ? SHORT_ROW
                                                         : 0;
    }
    if (!width)
        return false;
    out->count = LANES / width;
    out->bytes = apart ? width * op->bytes : op->bytes;
    for (unsigned i = 0; i < out->count; i++)
        out->start[i] = op->wide ? ROW64(warp, op->a)[i * width] + op->imm
                                 : (uint32_t)(ROW32(warp, op->a)[i * width] + (uint32_t)op->imm);
    return true;
}

void address_compute(const struct warp *warp, const struct op *op, uint64_t at[restrict LANES])
{
    uint64_t offset = op->imm;
    if (!op->a) {
        for (int i = 0; i < LANES; i++)
            at[i] = offset;
    } else if (op->wide) {
        const uint64_t *restrict address = ROW64(warp, op->a);
        for (int i = 0; i < LANES; i++)
            at[i] = address[i] + offset;
    } else {
        const uint32_t *restrict address = ROW32(warp, op->a);
        for (int i = 0; i < LANES; i++)
            at[i] = (uint32_t)(address[i] + (uint32_t)offset);
    }
}

// ---- allocations ----------------------------------------------------------------------------------

// The allocation that contains the bytes [address, address + bytes), or NULL.
static const struct allocation *owner(const struct warp *warp, uint64_t address, uint64_t bytes)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    uint64_t number = address >> OFFSET_BITS, offset = address & OFFSETS;
    if (number == 0 || number >= memory->count)
        return NULL;
    const struct allocation *allocation = &memory->allocations[number];
    bool inside = bytes <= allocation->bytes && offset <= allocation->bytes - bytes;
    return inside && (!allocation->heap || heap_holds(allocation, offset, bytes)) ? allocation : NULL;
}

static uint64_t host_delta(const struct allocation *allocation, uint64_t address)
{
    return (uint64_t)(uintptr_t)allocation->host - (address >> OFFSET_BITS << OFFSET_BITS);
}

enum ptx_space address_space(uint64_t address)
{
    uint64_t window =
        // addresses just below a window's start count as that window's
        (address + (1ull << (OFFSET_BITS - 1))) >> 56;
    return window == SHARED_WINDOW >> 56  ? SPACE_SHARED
           : window == LOCAL_WINDOW >> 56 ? SPACE_LOCAL
           : window == PARAM_WINDOW >> 56 ? SPACE_PARAM
                                          : SPACE_GLOBAL;
}

// In the parameters of the function that the warp runs.
static uint64_t own_param_host(const struct warp *warp, uint64_t at, int lane, unsigned bytes)
{
    const size_t room = warp->function->param_bytes;
    const uint64_t offset = at - PARAM_OF(warp->function->index);
    return bytes <= room && offset <= room - bytes
               ? (uint64_t)(uintptr_t)(warp->params + (size_t)lane * room + offset)
               : 0;
}

// The host address of a lane's bytes; 0 when they are outside of every allocation.
static uint64_t lane_host(const struct warp *warp, const struct block *of, enum ptx_space space, uint64_t at,
                          int lane, unsigned bytes, bool write)
{
    const struct block *block = of ? of : warp->block;
    if (space == SPACE_SHARED)
        return bytes <= block->shared_bytes && at <= block->shared_bytes - bytes
                   ? (uint64_t)(uintptr_t)(block->shared + at)
                   : 0;
    if (space == SPACE_LOCAL)
        return bytes <= warp->local_used && at <= warp->local_used - bytes
                   ? (uint64_t)(uintptr_t)(warp->local + (size_t)lane * warp->local_room + at)
                   : 0;
    if (space == SPACE_PARAM && at >= PARAM_OF(0))
        return write ? 0 : own_param_host(warp, at, lane, bytes);
    if (space == SPACE_PARAM) {
        size_t room = access_kernel_param_bytes(block->machine->kernel);
        return !write && bytes <= room && at <= room - bytes
                   ? (uint64_t)(uintptr_t)(block->machine->kernel_params + at)
                   : 0;
    }
    const struct allocation *allocation = owner(warp, at, bytes);
    if (!allocation || (write && allocation->constant))
        return 0;
    return at + host_delta(allocation, at);
}

unsigned char *address_range(const struct warp *warp, enum ptx_space space, uint64_t at, uint64_t bytes,
                             bool write)
{
    if (bytes > UINT32_MAX)
        return NULL;
    return (unsigned char *)(uintptr_t)lane_host(warp, NULL, space, at, 0, (unsigned)bytes, write);
}

// ---- counting and checking --------------------------------------------------------------------------------

static void cost_add(struct warp *warp, const struct op *op, enum ptx_space space, struct access_cost pattern)
{
    cost_count(warp, op,
               space == SPACE_SHARED  ? COST_SHARED
               : space == SPACE_LOCAL ? COST_LOCAL
                                      : COST_GLOBAL,
               pattern);
}

INLINE bool is_recorded(const struct warp *warp)
{
    return warp->recorder && warp->recorded;
}

static void sample_scattered(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned bytes,
                             unsigned kind)
{
    const struct kept_request *known = mask == FULL_MASK ? sample_knows(warp, at, kind) : NULL;
    if (!known || (is_recorded(warp) && !sample_again(warp, known)))
        sample_lanes(warp, at, mask, bytes, kind);
}

// Tells the sample of an access to global memory, which costs so many passes.
static void sample_access(struct warp *warp, const struct op *op, const struct access_request *ask,
                          const uint64_t at[LANES], uint32_t mask, unsigned passes)
{
    const bool atomic = ask->atomic != ATOMIC_NONE;
    unsigned kind = (ask->read ? SAMPLE_LOADED : 0) | (ask->write ? SAMPLE_STORED : 0);
    sample_scattered(warp, at, mask, op->bytes, kind);
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

static void sample_pattern_of_constants(struct warp *warp, const struct lane_pattern *p, uint64_t first,
                                        unsigned turns)
{
    uint64_t at[LANES];
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    sample_constants(warp, at, warp->active, turns);
}

static struct access_cost cost_of_constants(unsigned turns)
{
    return (struct access_cost){ .passes = turns, .ideal = turns != 0 };
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

static struct access_cost count_lanes(struct warp *warp, const struct op *op,
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
        sample_access(warp, op, ask, at, mask, pattern.passes);
    return pattern;
}

static struct access_cost cost_of_shape(const struct op *op, enum ptx_space space, uint64_t first,
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

// Counts loads and stores of full warps whose lanes have one address or consecutive elements.
static struct access_cost count_shape(struct warp *warp, const struct op *op,
                                      const struct access_request *ask, enum ptx_space space, uint64_t first,
                                      enum lane_shape shape)
{
    struct access_cost pattern = { 0 };
    if (!warp->tallies || ask->uncounted)
        return pattern;
    if (space == SPACE_CONST)
        return count_shape_of_constants(warp, op, first, shape);
    unsigned bytes = shape == SHAPE_ROW ? LANES * op->bytes : op->bytes;
    pattern = cost_of_shape(op, space, first, shape, ask->write);
    cost_add(warp, op, space, pattern);
    if (warp->sample && space != SPACE_SHARED)
        sample_run(warp, first, bytes, ask->write);
    return pattern;
}

static void check_shape(struct warp *warp, const struct op *op, const struct access_request *ask,
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

static void check_lanes(struct warp *warp, const struct op *op, const struct access_request *ask,
                        enum ptx_space space, const uint64_t at[LANES], uint32_t mask)
{
    check_shape(warp, op, ask, space, at, mask, SHAPE_SCATTERED, 0, 0);
}

// ---- every lane by itself ---------------------------------------------------------------------------------

static bool leaves_variable(const struct op *op, enum ptx_space space, uint64_t at)
{
    return space == SPACE_SHARED && (at < op->low || at + op->bytes > op->high);
}

static unsigned bytes_taken(const struct op *op, const struct access_request *ask, int lane)
{
    return ask->taken && ask->taken[lane] < op->bytes ? ask->taken[lane] : op->bytes;
}

// The sanitizer does not see lanes that access fewer bytes than the instruction has.
static uint32_t whole_takers(const struct op *op, const struct access_request *ask, uint32_t mask)
{
    for (int i = 0; ask->taken && i < LANES; i++)
        if (ask->taken[i] < op->bytes)
            mask &= ~(1u << i);
    return mask;
}

// Lanes of one allocation, or of shared memory, which are compared with its end together.
struct lane_bounds {
    uint64_t base, starts; // the lowest address, and how many from there on an access may have
    uint64_t delta;        // from device to host addresses
    bool one;              // all are there, or near it
};
static struct lane_bounds bounds_of(const struct warp *warp, const struct op *op,
                                    const struct access_request *ask, enum ptx_space space, uint64_t first)
{
    struct lane_bounds b = { .one = !ask->taken && !ask->block };
    const struct sim_memory *memory = warp->block->machine->memory;
    const uint64_t number = first >> OFFSET_BITS;
    if (space == SPACE_SHARED) {
        const size_t bytes = warp->block->shared_bytes;
        b.starts = op->bytes <= bytes ? bytes - op->bytes + 1 : 0;
        b.delta = (uint64_t)(uintptr_t)warp->block->shared;
        return b;
    }
    if (space != SPACE_GLOBAL || number == 0 || number >= memory->count || memory->allocations[number].heap)
        return (struct lane_bounds){ 0 };
    const struct allocation *allocation = &memory->allocations[number];
    b.base = number << OFFSET_BITS;
    if (op->bytes <= allocation->bytes && !(ask->write && allocation->constant))
        b.starts = allocation->bytes - op->bytes + 1;
    b.delta = host_delta(allocation, first);
    return b;
}

// Of all lanes: those that the bounds leave out, and those that are not aligned. False: some of `mask` may be elsewhere.
static bool find_outside(const struct lane_bounds *b, unsigned bytes, struct lane_addresses *out,
                         uint32_t mask, uint32_t *outside, uint32_t *crooked)
{
    static const uint32_t bit[LANES] = { 1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
                                         1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
                                         1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
                                         1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
                                         1u << 28, 1u << 29, 1u << 30, 1u << 31 };
    const uint64_t base = b->base, delta = b->delta, low_bits = bytes - 1u;
    const int64_t starts = (int64_t)b->starts; // vector instructions compare signed values
    uint32_t leaves = 0, far = 0, askew = 0;
    for (int i = 0; i < LANES; i++) {
        const uint64_t offset = out->at[i] - base;
        leaves |= (int64_t)offset < starts ? 0 : bit[i];
        far |= offset >> OFFSET_BITS ? bit[i] : 0;
        askew |= out->at[i] & low_bits ? bit[i] : 0;
        out->host[i] = mask & bit[i] ? out->at[i] + delta : out->host[i]; // others may be in another space
    }
    *outside = leaves;
    *crooked = askew;
    return !(far & mask);
}

// The lanes of `mask`, all in one space, whose access is valid; others are reported. Lanes that leave their shared variable
// but not shared memory are reported as well (`stray`), and do what hardware does.
static uint32_t lanes_allowed(struct warp *warp, const struct op *op, const struct access_request *ask,
                              enum ptx_space space, struct lane_addresses *out, uint32_t mask,
                              uint32_t *stray)
{
    uint32_t outside = 0, crooked = 0;
    const struct lane_bounds bounds = bounds_of(warp, op, ask, space, out->at[__builtin_ctz(mask)]);
    const bool together = bounds.one && find_outside(&bounds, op->bytes, out, mask, &outside, &crooked);
    if (together) {
        crooked &= mask;
        outside &= mask & ~crooked;
        for (uint32_t left = space == SPACE_SHARED ? mask & ~crooked & ~outside : 0; left; left &= left - 1)
            *stray |= (uint32_t)leaves_variable(op, space, out->at[__builtin_ctz(left)])
                      << __builtin_ctz(left);
    } else
        outside = crooked = 0;
    for (uint32_t left = together ? 0 : mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (out->at[i] & (op->bytes - 1u)) {
            crooked |= 1u << i;
            continue;
        }
        out->host[i] = lane_host(warp, ask->block, space, out->at[i], i, bytes_taken(op, ask, i), ask->write);
        outside |= (uint32_t)!out->host[i] << i;
        *stray |= (uint32_t)(out->host[i] && leaves_variable(op, space, out->at[i])) << i;
    }
    if (crooked)
        finding_misaligned(warp, op, space, out->at, crooked, op->bytes, ask->write);
    if (outside | *stray)
        finding_out_of_bounds(warp, op, space, out->at, outside | *stray, op->bytes, ask->write);
    return mask & ~crooked & ~outside;
}

static void find_in_space(struct warp *warp, const struct op *op, const struct access_request *ask,
                          enum ptx_space space, struct lane_addresses *out, uint32_t mask)
{
    if (!mask)
        return;
    uint32_t stray = 0, allowed = lanes_allowed(warp, op, ask, space, out, mask, &stray);
    // The instruction was issued for all lanes, so that the invalid ones are not counted apart.
    if (allowed) {
        count_lanes(warp, op, ask, space, out->at, allowed);
        check_lanes(warp, op, ask, space, out->at, whole_takers(op, ask, allowed & ~stray));
    }
    out->mask |= allowed;
}

// ---- shared memory of the cluster ----

void address_report_no_block(struct warp *warp, const struct op *op, uint32_t lanes, uint32_t rank)
{
    struct finding_report report = { .kind = SIM_OUT_OF_BOUNDS,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .lane = __builtin_ctz(lanes),
                                     .space = "shared",
                                     .count = (uint64_t)__builtin_popcount(lanes) };
    char who[80];
    finding_add(warp, &report, "%s names block %u of its cluster, which has %u. Ranks begin at 0.",
                finding_name_lane(warp, report.lane, who), rank, warp->block->machine->cluster_size);
}

// An instruction is one request, however many blocks it reaches.
static void count_remote(struct warp *warp, const struct op *op, const struct access_request *ask,
                         const struct lane_addresses *out, const uint32_t rank[LANES])
{
    struct cost *cost = warp->tallies && out->remote ? &warp->tallies[op->tally].cost[COST_REMOTE] : NULL;
    if (!cost)
        return;
    const struct remote_cost here = cost_remote(out->at, rank, out->remote, op->bytes, ask->atomic);
    cost->requests++;
    cost->passes += here.sectors;
    cost->conflicts += here.wavefronts;
}

// The lanes of `mask`, all in shared memory; their addresses become offsets in it, block by block.
static void find_in_cluster(struct warp *warp, const struct op *op, const struct access_request *ask,
                            struct lane_addresses *out, uint32_t mask, bool generic)
{
    const struct block *own = warp->block;
    uint32_t rank[LANES];
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        rank[i] = cluster_rank(own, out->at[i], generic);
        out->at[i] -= generic ? SHARED_WINDOW + cluster_apart(own, rank[i])
                              : out->at[i] >> CLUSTER_BITS << CLUSTER_BITS;
    }
    while (mask) {
        uint32_t of = rank[__builtin_ctz(mask)], lanes = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            lanes |= rank[__builtin_ctz(left)] == of ? left & -left : 0;
        struct access_request there = *ask;
        bool known = of < own->machine->cluster_size;
        there.block = known && of != own->rank ? block_peer(own, of) : NULL;
        if (known)
            find_in_space(warp, op, &there, SPACE_SHARED, out, lanes);
        else
            address_report_no_block(warp, op, lanes, of);
        if (there.block)
            out->remote |= out->mask & lanes;
        mask &= ~lanes;
    }
    count_remote(warp, op, ask, out, rank);
}

// The lanes of a generic access may be in several spaces; their addresses become offsets in shared and local memory.
static void find_generic(struct warp *warp, const struct op *op, const struct access_request *ask,
                         struct lane_addresses *out)
{
    uint32_t in[SPACE_LOCAL + 1] = { 0 };
    uint64_t apart = warp->block->apart;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        enum ptx_space space = address_space(out->at[i]);
        in[space] |= 1u << i;
        out->at[i] -= space == SPACE_LOCAL ? LOCAL_WINDOW + apart : space == SPACE_PARAM ? PARAM_WINDOW : 0;
    }
    if (in[SPACE_SHARED])
        find_in_cluster(warp, op, ask, out, in[SPACE_SHARED], true);
    in[SPACE_SHARED] = 0;
    for (int space = SPACE_GENERIC; space <= SPACE_LOCAL; space++)
        find_in_space(warp, op, ask, (enum ptx_space)space, out, in[space]);
}

static bool find_lanes(struct warp *warp, const struct op *op, const struct access_request *ask,
                       struct lane_addresses *out)
{
    out->mask = 0;
    out->shape = SHAPE_SCATTERED;
    out->row_width = 0;
    out->from = out->host;
    out->delta = 0;
    if (op->space == SPACE_GENERIC || op->space == SPACE_PARAM)
        find_generic(warp, op, ask, out);
    else if (op->cluster)
        find_in_cluster(warp, op, ask, out, warp->active, false);
    else
        find_in_space(warp, op, ask, (enum ptx_space)op->space, out, warp->active);
    out->first = out->mask ? __builtin_ctz(out->mask) : 0;
    return out->mask != 0;
}

// ---- lanes in one allocation ------------------------------------------------------------------------------

// The host address of `length` bytes from `first` on; 0 unless all are in one allocation that may be accessed.
static uint64_t run_host(const struct warp *warp, const struct op *op, enum ptx_space space, uint64_t first,
                         uint64_t length, bool write)
{
    if (space == SPACE_SHARED) {
        const struct block *block = warp->block;
        uint64_t end = op->high < block->shared_bytes ? op->high : block->shared_bytes;
        return first >= op->low && length <= end && first <= end - length
                   ? (uint64_t)(uintptr_t)block->shared + first
                   : 0;
    }
    const struct allocation *allocation = owner(warp, first, length);
    return allocation && !(write && allocation->constant) ? first + host_delta(allocation, first) : 0;
}

// The space of the first lane of a generic access, which holds for accesses whose lanes share it.
static enum ptx_space resolve(const struct warp *warp, const struct op *op, uint64_t *first)
{
    if (op->space != SPACE_GENERIC)
        return (enum ptx_space)op->space;
    enum ptx_space space = address_space(*first);
    if (space == SPACE_SHARED)
        *first -= SHARED_WINDOW + warp->block->apart;
    return space;
}

// Lanes that are not active get `other`. There is no branch, which would be foreseen wrongly for many lanes.
static void keep_active(const struct warp *warp, uint64_t other, uint64_t at[LANES])
{
    int32_t lanes[LANES];
    memcpy(lanes, warp->lanes, sizeof lanes);
    for (int i = 0; i < LANES; i++)
        at[i] = (at[i] & (uint64_t)(int64_t)lanes[i]) | (other & ~(uint64_t)(int64_t)lanes[i]);
}

// False: some are 2^31 bytes or more from the first one. Vectors of 32 bits find a lowest value in a fraction of the time
// that those of 64 bits take.
static bool near_extent(const uint64_t at[LANES], uint64_t *low, uint64_t *length)
{
    int32_t from[LANES], least = 0, most = 0;
    uint64_t first = at[0], beyond = 0;
    for (int i = 0; i < LANES; i++) {
        beyond |= at[i] - first + (1ull << 31);
        from[i] = (int32_t)(at[i] - first);
    }
    for (int i = 0; i < LANES; i++) {
        least = from[i] < least ? from[i] : least;
        most = from[i] > most ? from[i] : most;
    }
    *low = first + (uint64_t)(int64_t)least;
    *length = (uint64_t)((int64_t)most - least);
    return !(beyond >> 32);
}

// The same for any addresses. Signed, because vector instructions compare signed values; an address outside of every
// allocation is rejected either way.
static void far_extent(const uint64_t at[LANES], uint64_t *from, uint64_t *length)
{
    int64_t low = (int64_t)at[0], high = low;
    for (int i = 0; i < LANES; i++) {
        low = (int64_t)at[i] < low ? (int64_t)at[i] : low;
        high = (int64_t)at[i] > high ? (int64_t)at[i] : high;
    }
    *from = (uint64_t)low;
    *length = (uint64_t)high - (uint64_t)low;
}

// The lowest address, and how far the highest is from it.
static void find_extent(const uint64_t at[LANES], uint64_t *low, uint64_t *length)
{
    if (!near_extent(at, low, length))
        far_extent(at, low, length);
}

// ---- the same pattern again -------------------------------------------------------------------------------

// An instruction in a loop, or in the next warp, mostly accesses memory in the same pattern as before, somewhere else. So its
// lanes are compared with those of the last time, by their distances from lane 0, in one pass over the address row; the
// extent, the shape and the cost are then known.

static void keep_cost(const struct warp *warp, struct lane_pattern *p, uint64_t first,
                      struct access_cost cost)
{
    const unsigned index = p->space == SPACE_SHARED ? 0 : word_of_sector(first);
    if (p->skew != (first & 3))
        p->ended = 0;
    if (p->counted != warp->active || p->skew != (first & 3))
        p->costed = 0;
    p->counted = warp->active;
    p->skew = first & 3;
    p->costed |= (uint8_t)(1u << index);
    p->cost[index] =
        (struct cost){ p->space != SPACE_CONST || cost.passes, cost.passes, cost.ideal, cost.conflicts };
    if (p->space == SPACE_CONST) { // wherever it begins in a sector
        for (unsigned i = 0; i < SECTOR_BYTES / 4; i++)
            p->cost[i] = p->cost[index];
        p->costed = 0xff;
    }
}

// The distance of two lanes that meet in a bank; 0: no two do.
static unsigned meeting_distance(const uint64_t at[LANES])
{
    uint32_t before = 0;
    uint8_t last[BANKS];
    for (unsigned i = 0; i < LANES; i++) {
        const unsigned bank = (unsigned)(at[i] / BANK_BYTES % BANKS);
        if (before >> bank & 1)
            return i - last[bank];
        before |= 1u << bank;
        last[bank] = (uint8_t)i;
    }
    return 0;
}

// Words of shared memory that do not meet in a bank, or two by two at one distance of lanes: what some of the lanes cost
// follows from which are active.
static void pair_lanes(const struct warp *warp, const struct op *op, const uint64_t at[LANES],
                       struct lane_pattern *p)
{
    p->paired = false;
    if (!warp->tallies || p->space != SPACE_SHARED || op->bytes != BANK_BYTES)
        return;
    const bool meeting = cost_shared(at, FULL_MASK, op->bytes, false, ATOMIC_NONE).conflicts != 0;
    const unsigned apart = meeting ? meeting_distance(at) : 0;
    uint32_t banks = 0, meet = 0;
    for (unsigned i = 0; meeting && i < LANES; i++) {
        banks |= 1u << at[i] / BANK_BYTES % BANKS;
        if (i + apart < LANES && (at[i] ^ at[i + apart]) / BANK_BYTES % BANKS == 0) {
            meet |= 1u << i;
            if (at[i] == at[i + apart])
                return;
        }
    }
    if (meeting && (meet & meet >> apart || __builtin_popcount(banks) + __builtin_popcount(meet) != LANES))
        return;
    p->paired = true;
    p->rivals = meet;
    p->apart = (uint8_t)apart;
    p->costed = 3;
    p->cost[0] = (struct cost){ 1, 1, 1, 0 };
    p->cost[1] = (struct cost){ 1, 2, 1, 1 };
}

static void keep_distances(const struct warp *warp, const struct op *op, const uint64_t at[restrict LANES],
                           uint64_t first, struct lane_pattern *p)
{
    for (int i = 0; i < LANES; i++)
        p->away[i] = at[i] - first;
    p->kept = ++warp->patterns->kept;
    if (op->wide)
        return;
    const uint32_t *restrict address = ROW32(warp, op->a);
    for (int i = 0; i < LANES; i++)
        p->away_narrow[i] = address[i] - address[0];
}

// Where some lanes are not active, which often depends on data, the distances of all are kept if their addresses are valid.
static void widen_pattern(const struct warp *warp, const struct op *op, const struct access_request *ask,
                          const uint64_t at[LANES], uint64_t moved, struct lane_pattern *p)
{
    uint64_t low, length, bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= at[i];
    find_extent(at, &low, &length);
    if (bits & (op->bytes - 1u) || length >= 1ull << OFFSET_BITS ||
        !run_host(warp, op, (enum ptx_space)p->space, low - moved, length + op->bytes, ask->write))
        return;
    p->known = FULL_MASK;
    p->low = (int64_t)(low - at[0]);
    p->span = length + op->bytes;
    pair_lanes(warp, op, at, p);
}

static enum lane_form form_of(const struct lane_pattern *p)
{
    const bool same = p->away[1] == p->away[0];
    if (p->shape != SHAPE_SCATTERED)
        return p->shape == SHAPE_SAME ? FORM_SAME : FORM_ROW;
    switch (p->row_width) {
    case LANES / 2:
        return same ? FORM_HALVES_SAME : FORM_HALVES;
    case LANES / 4:
        return same ? FORM_QUARTERS_SAME : FORM_QUARTERS;
    default:
        return FORM_SCATTERED;
    }
}

// The heap's pieces are no allocations of their own, and blocks that run together have shared memory each.
static void make_quick(const struct warp *warp, const struct op *op, const struct access_request *ask,
                       uint64_t first, struct lane_pattern *p)
{
    const struct block *block = warp->block;
    if (op->space != p->space)
        return;
    p->noted = !warp->sample ? 0 : ask->write ? SAMPLE_STORED : SAMPLE_LOADED;
    p->sampled = NULL;
    p->sampled_bits = 0;
    if (p->space == SPACE_SHARED) {
        p->from = op->low;
        p->room = (op->high < block->shared_bytes ? op->high : block->shared_bytes) - p->from - p->span;
        p->delta = (uint64_t)(uintptr_t)block->shared;
        p->quick = block->machine->resident == 1;
        return;
    }
    const struct allocation *allocation = owner(warp, first + (uint64_t)p->low, p->span);
    if (!allocation || allocation->heap)
        return;
    p->delta = host_delta(allocation, first + (uint64_t)p->low);
    p->from = (uint64_t)(uintptr_t)allocation->host - p->delta;
    p->room = allocation->bytes - p->span;
    p->quick = true;
    if (op->fixed && p->space == SPACE_CONST) // which costs nothing
        p->noted = 0;
    if (!p->noted || p->space == SPACE_CONST || !p->whole || p->shape == SHAPE_SCATTERED)
        return;
    p->sampled = sample_known(warp->sample, first);
    p->sampled_alone = sample_is_alone(warp->sample);
    const bool one_sector = p->shape == SHAPE_SAME, one_line = p->span == SIM_LINE_BYTES;
    if (p->sampled && (one_sector || one_line))
        p->sampled_bits = (uint8_t)(p->noted * sample_sectors(0, p->span - 1));
}

static bool is_row(const uint64_t away[LANES], unsigned bytes)
{
    uint64_t unlike = 0;
    for (unsigned i = 0; i < LANES; i++)
        unlike |= away[i] ^ i * bytes;
    return !unlike;
}

static void quicken_pattern(const struct warp *warp, const struct op *op, const struct access_request *ask,
                            uint64_t first, struct lane_pattern *p)
{
    make_quick(warp, op, ask, first, p);
    p->meets = p->paired && FULL_MASK >> p->apart & p->rivals;
    p->in_row = p->known == FULL_MASK && is_row(p->away, op->bytes);
    if (p->quick && p->whole)
        *(warp->sample ? &p->sampled_form : &p->form) = (uint8_t)form_of(p);
}

static void make_slow(struct lane_pattern *p)
{
    p->quick = false;
    p->form = p->sampled_form = FORM_NONE;
}

// An instruction whose pattern changes each time is looked at seldom.
enum { OFTEN = 8, SELDOM = 16 };

// The active lanes of a load or store are valid; its bytes reach from `low` over `span`.
static void keep_pattern(struct warp *warp, const struct op *op, const struct access_request *ask,
                         enum ptx_space space, const struct lane_addresses *found, uint64_t low,
                         uint64_t span, struct access_cost cost)
{
    if (!warp->patterns || !op->pattern || ask->taken)
        return;
    struct lane_pattern *p = &warp->patterns[op->pattern];
    p->known = 0;
    make_slow(p);
    if (++p->changes > OFTEN && p->changes % SELDOM)
        return;
    uint64_t at[LANES];
    address_compute(warp, op, at);
    const uint64_t moved = at[found->first] - found->at[found->first];
    const uint64_t first = op->wide ? at[0] : narrow_first((uint32_t)at[0]);
    keep_distances(warp, op, at, first, p);
    p->known = warp->active;
    p->space = (uint8_t)space;
    p->whole = warp->active == FULL_MASK;
    p->shape = (uint8_t)found->shape;
    p->row_width = (uint8_t)found->row_width;
    p->low = (int64_t)(low + moved - first);
    p->span = span;
    p->paired = false;
    p->lines.active = 0;
    p->owned = OWNED_UNKNOWN;
    p->costed = p->ended = 0;
    keep_cost(warp, p, first, cost);
    if (p->whole)
        pair_lanes(warp, op, at, p);
    else
        widen_pattern(warp, op, ask, at, moved, p);
    if (!checks_are_on(warp) || space == SPACE_CONST)
        quicken_pattern(warp, op, ask, first, p);
}

// Finds the last lane of each sector, where lane 0 is at `first`. Lanes that are not known go with the one before them.
static void find_ends(struct lane_pattern *p, uint64_t first)
{
    const unsigned word = word_of_sector(first);
    uint64_t at[LANES], last = first + p->away[__builtin_ctz(p->known)];
    uint32_t ends = 1u << (LANES - 1);
    for (int i = 0; i < LANES; i++) {
        const uint64_t here = p->known >> i & 1 ? first + p->away[i] : last;
        if (i && (here ^ last) >= SECTOR_BYTES)
            ends |= 1u << (i - 1);
        at[i] = last = here;
    }
    const bool apart =
        cost_global(at, FULL_MASK, 1, ATOMIC_NONE).passes == (unsigned)__builtin_popcount(ends);
    p->ended |= (uint8_t)(1u << word);
    p->ends[word] = apart ? ends : 0;
}

static __attribute__((noinline)) struct access_cost count_anew(const struct warp *warp, const struct op *op,
                                                               const struct access_request *ask,
                                                               struct lane_pattern *p, uint64_t first,
                                                               enum lane_shape shape)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    struct access_cost cost;
    if (shape != SHAPE_SCATTERED) {
        cost = cost_of_shape(op, space, first, shape, ask->write);
    } else {
        uint64_t at[LANES];
        address_compute(warp, op, at);
        cost = space == SPACE_SHARED  ? cost_shared(at, warp->active, op->bytes, ask->write, ATOMIC_NONE)
               : space == SPACE_CONST ? cost_of_constants(cost_constant(at, warp->active, 0))
                                      : cost_global(at, warp->active, op->bytes, ATOMIC_NONE);
    }
    keep_cost(warp, p, first, cost);
    if (shape == SHAPE_SCATTERED && op->wide && space == SPACE_GLOBAL &&
        !(p->ended >> word_of_sector(first) & 1))
        find_ends(p, first);
    return cost;
}

INLINE void count_again(struct warp *warp, const struct op *op, const struct access_request *ask,
                        struct lane_pattern *p, uint64_t first, enum lane_shape shape)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    const uint32_t active = warp->active;
    cost_row cost;
    if (!pattern_cost(p, active, first, op->bytes, &cost)) {
        const struct access_cost now = count_anew(warp, op, ask, p, first, shape);
        cost = (cost_row){ 1, now.passes, now.ideal, now.conflicts };
    }
    struct cost *sum = &warp->tallies[op->tally].cost[space == SPACE_SHARED ? COST_SHARED : COST_GLOBAL];
    *(cost_row *)sum += cost;
    if (warp->recorder && space == SPACE_SHARED)
        sample_passes(warp, (unsigned)cost[1]);
    else if (is_recorded(warp) && space == SPACE_CONST)
        sample_pattern_of_constants(warp, p, first, (unsigned)cost[1]);
}

static __attribute__((noinline)) void note_lines_anew(struct warp *warp, const struct op *op,
                                                      struct lane_pattern *p, uint64_t first, unsigned kind)
{
    const uint32_t active = warp->active;
    const bool full = active == FULL_MASK, recorded = is_recorded(warp);
    uint64_t at[LANES];
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    if (!full)
        keep_active(warp, at[__builtin_ctz(active)], at);
    if (!recorded) {
        sample_lines(warp, &p->lines, at, first, kind);
        return;
    }
    sample_scattered(warp, at, active, op->bytes, kind);
    if (!full || !p->row_width || kind == SAMPLE_LOADED)
        sample_waves(warp, cost_shared(at, active, op->bytes, false, ATOMIC_NONE).passes);
}

// Tells the sample of an access to global memory in the pattern of the last one.
static __attribute__((noinline)) void note_lines(struct warp *warp, const struct op *op,
                                                 struct lane_pattern *p, uint64_t first, unsigned kind)
{
    if (warp->active == FULL_MASK && p->shape != SHAPE_SCATTERED)
        sample_run(warp, first, p->shape == SHAPE_ROW ? LANES * op->bytes : op->bytes, kind == SAMPLE_STORED);
    else if (is_recorded(warp) || !sample_lines_again(warp, &p->lines, first, kind))
        note_lines_anew(warp, op, p, first, kind);
}

void address_note(struct warp *warp, const struct op *op, struct lane_pattern *p, uint64_t first,
                  unsigned passes)
{
    if (p->space == SPACE_SHARED)
        sample_passes(warp, passes);
    else if (p->space == SPACE_CONST && is_recorded(warp))
        sample_pattern_of_constants(warp, p, first, passes);
    else if (p->space != SPACE_CONST)
        note_lines(warp, op, p, first, p->noted);
}

void address_check(struct warp *warp, const struct op *op, const struct access_request *ask,
                   const struct lane_pattern *p, uint64_t first, uint64_t low)
{
    const bool full = warp->active == FULL_MASK;
    uint64_t at[LANES], length = p->span - op->bytes;
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    if (!full)
        keep_active(warp, at[__builtin_ctz(warp->active)], at);
    if (warp->active != p->known)
        find_extent(at, &low, &length);
    check_shape(warp, op, ask, (enum ptx_space)p->space, at, warp->active,
                full ? (enum lane_shape)p->shape : SHAPE_SCATTERED, low, length + op->bytes);
}

void address_own(struct lane_pattern *p, const struct op *op)
{
    struct lane_words *words = &p->words;
    uint64_t seen[(UINT16_MAX + 1) / 64];
    p->owned = OWNED_OTHERWISE;
    if (op->bytes != 4 || p->span > 4 * UINT16_MAX)
        return;
    *words = (struct lane_words){ .count = (unsigned)p->span / 4 };
    memset(seen, 0, (words->count + 63) / 64 * sizeof *seen);
    for (uint32_t left = p->known; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t from_lowest = p->away[lane] - (uint64_t)p->low;
        const uint64_t word = from_lowest / 4;
        if (from_lowest % 4 || seen[word / 64] >> word % 64 & 1)
            return;
        seen[word / 64] |= 1ull << word % 64;
        words->word[lane] = (uint16_t)word;
        if (words->count <= NEAR_WORDS)
            words->lane_of[word] = (uint16_t)(lane + 1);
    }
    p->owned = OWNED_APART;
}

// What more is to be done with the access; its lowest lane is at `low`, `moved` below the address in the register.
static __attribute__((noinline)) void note_again(struct warp *warp, const struct op *op,
                                                 const struct access_request *ask, struct lane_pattern *p,
                                                 uint64_t first, uint64_t low, uint64_t moved,
                                                 struct lane_addresses *out)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    uint64_t length = p->span - op->bytes;
    if (warp->sample && space != SPACE_SHARED)
        note_lines(warp, op, p, first, ask->write ? SAMPLE_STORED : SAMPLE_LOADED);
    if (!checks_are_on(warp))
        return;
    address_compute(warp, op, out->at);
    if (warp->active != FULL_MASK)
        keep_active(warp, out->at[out->first], out->at);
    for (int i = 0; moved && i < LANES; i++)
        out->at[i] -= moved;
    if (warp->active != p->known)
        find_extent(out->at, &low, &length);
    check_shape(warp, op, ask, space, out->at, warp->active, out->shape, low, length + op->bytes);
}

static bool find_again(struct warp *warp, const struct op *op, const struct access_request *ask,
                       struct lane_addresses *out)
{
    struct lane_pattern *p = &warp->patterns[op->pattern];
    uint64_t first;
    if (!warp->active || warp->active & ~p->known || !pattern_repeats(warp, op, p, &first))
        return false;
    const bool full = warp->active == FULL_MASK;
    const enum lane_shape shape = full ? (enum lane_shape)p->shape : SHAPE_SCATTERED;
    const uint64_t start = first + (uint64_t)p->low;
    uint64_t low = start;
    const enum ptx_space space = resolve(warp, op, &low);
    if (space != p->space || (full && !p->whole) || low & (op->bytes - 1u))
        return false;
    const uint64_t host = run_host(warp, op, space, low, p->span, ask->write);
    if (!host)
        return false;
    p->changes = 0;
    out->shape = shape;
    out->row_width = full ? p->row_width : 0;
    out->mask = warp->active;
    out->first = __builtin_ctz(warp->active);
    if (warp->tallies && !ask->uncounted && !(op->fixed && space == SPACE_CONST))
        count_again(warp, op, ask, p, first, shape);
    if (space != SPACE_CONST) {
        const bool checks = checks_are_on(warp);
        const bool covered = checks && !ask->write && pattern_is_covered(warp, op, p, low);
        if (warp->sample || (checks && !covered))
            note_again(warp, op, ask, p, first, low, start - low, out);
        if (checks && !p->quick)
            quicken_pattern(warp, op, ask, first, p);
    }
    out->from = p->away;
    out->delta = host + (first - start);
    return true;
}

// ---- all lanes at once ------------------------------------------------------------------------------------

// Whether all active lanes are aligned and in one allocation, or in one shared variable.
static bool find_scattered(struct warp *warp, const struct op *op, const struct access_request *ask,
                           enum ptx_space space, struct lane_addresses *out)
{
    uint64_t crooked = 0, low, length;
    for (int i = 0; i < LANES; i++)
        crooked |= out->at[i];
    find_extent(out->at, &low, &length);
    if (crooked & (op->bytes - 1u) || length >= 1ull << OFFSET_BITS)
        return false;
    uint64_t host = run_host(warp, op, space, low, length + op->bytes, ask->write);
    if (!host)
        return false;
    out->shape = SHAPE_SCATTERED;
    out->row_width = 0;
    out->from = out->at;
    out->delta = host - low;
    out->mask = warp->active;
    keep_pattern(warp, op, ask, space, out, low, length + op->bytes,
                 count_lanes(warp, op, ask, space, out->at, out->mask));
    check_shape(warp, op, ask, space, out->at, whole_takers(op, ask, out->mask), SHAPE_SCATTERED, low,
                length + op->bytes);
    return true;
}

static bool find_shaped(struct warp *warp, const struct op *op, const struct access_request *ask,
                        enum ptx_space space, uint64_t first, enum lane_shape shape,
                        struct lane_addresses *out, bool *leaves)
{
    uint64_t length = shape == SHAPE_ROW ? LANES * (uint64_t)op->bytes : op->bytes;
    uint64_t host = first & (op->bytes - 1u) ? 0 : run_host(warp, op, space, first, length, ask->write);
    *leaves = !host;
    if (!host)
        return false;
    out->shape = shape;
    out->from = out->at;
    out->at[0] = first;
    out->delta = host - first;
    out->mask = FULL_MASK;
    out->first = 0;
    out->row_width = 0;
    keep_pattern(warp, op, ask, space, out, first, length, count_shape(warp, op, ask, space, first, shape));
    if (checks_are_on(warp)) {
        address_compute(warp, op, out->at);
        if (op->space == SPACE_GENERIC && space == SPACE_SHARED)
            for (int i = 0; i < LANES; i++)
                out->at[i] -= SHARED_WINDOW + warp->block->apart;
        check_shape(warp, op, ask, space, out->at, FULL_MASK, shape, first, length);
    }
    return true;
}

static struct access_cost count_rows(struct warp *warp, const struct op *op, const struct access_request *ask,
                                     enum ptx_space space, const struct lane_rows *rows,
                                     const uint64_t at[LANES])
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

// The same as find_scattered, for rows.
static bool find_in_rows(struct warp *warp, const struct op *op, const struct access_request *ask,
                         enum ptx_space space, struct lane_rows *rows, uint64_t moved,
                         struct lane_addresses *out)
{
    uint64_t low = UINT64_MAX, high = 0, crooked = 0;
    if (!rows->count)
        return false;
    for (unsigned i = 0; i < rows->count; i++) {
        rows->start[i] -= moved;
        low = rows->start[i] < low ? rows->start[i] : low;
        high = rows->start[i] > high ? rows->start[i] : high;
        crooked |= rows->start[i];
    }
    if (crooked & (op->bytes - 1u) || high - low >= 1ull << OFFSET_BITS)
        return false;
    uint64_t host = run_host(warp, op, space, low, high - low + rows->bytes, ask->write);
    if (!host)
        return false;
    address_compute(warp, op, out->at);
    for (int i = 0; moved && i < LANES; i++)
        out->at[i] -= moved;
    out->shape = SHAPE_SCATTERED;
    out->row_width = LANES / rows->count;
    out->from = out->at;
    out->delta = host - low;
    out->mask = FULL_MASK;
    out->first = 0;
    keep_pattern(warp, op, ask, space, out, low, high - low + rows->bytes,
                 count_rows(warp, op, ask, space, rows, out->at));
    check_shape(warp, op, ask, space, out->at, whole_takers(op, ask, FULL_MASK), SHAPE_SCATTERED, low,
                high - low + rows->bytes);
    return true;
}

// The address row for the search for one space: inactive lanes get the address of an active one.
static bool find_together(struct warp *warp, const struct op *op, const struct access_request *ask,
                          struct lane_addresses *out)
{
    out->first = __builtin_ctz(warp->active);
    uint64_t first = out->at[out->first], start = first;
    enum ptx_space space = resolve(warp, op, &first);
    if (space == SPACE_LOCAL || space == SPACE_PARAM)
        return false;
    if (warp->active != FULL_MASK)
        keep_active(warp, start, out->at);
    if (start != first)
        for (int i = 0; i < LANES; i++)
            out->at[i] -= start - first;
    return find_scattered(warp, op, ask, space, out);
}

// Recognises SHAPE_SAME, SHAPE_ROW and rows, for loads and stores. `leaves`: it is one of the first two, and not all lanes are
// aligned and in one allocation.
static bool find_full(struct warp *warp, const struct op *op, const struct access_request *ask,
                      struct lane_addresses *out, bool *leaves)
{
    unsigned shift = (unsigned)__builtin_ctz(op->bytes);
    struct address_outline outline = { 0, 1 };
    uint64_t first = op->imm;
    if (op->a && op->wide) {
        outline = outline_wide(ROW64(warp, op->a), shift);
        first += ROW64(warp, op->a)[0];
    } else if (op->a) {
        outline = outline_narrow(ROW32(warp, op->a), shift);
        first = (uint32_t)(first + ROW32(warp, op->a)[0]);
    }
    struct lane_rows rows;
    bool in_rows = outline.same && outline.row;
    if (in_rows && !find_rows(warp, op, &rows))
        return false;
    uint64_t start = first;
    enum ptx_space space = resolve(warp, op, &first);
    if (space == SPACE_LOCAL || space == SPACE_PARAM)
        return false;
    if (in_rows)
        return find_in_rows(warp, op, ask, space, &rows, start - first, out);
    return find_shaped(warp, op, ask, space, first, outline.same ? SHAPE_ROW : SHAPE_SAME, out, leaves);
}

static __attribute__((noinline)) bool find_anew(struct warp *warp, const struct op *op,
                                                const struct access_request *ask, struct lane_addresses *out)
{
    bool leaves = false;
    if (warp->active == FULL_MASK && ask->atomic == ATOMIC_NONE && find_full(warp, op, ask, out, &leaves))
        return true;
    if (warp->active && !leaves) {
        address_compute(warp, op, out->at);
        if (find_together(warp, op, ask, out))
            return true;
    }
    address_compute(warp, op, out->at);
    return find_lanes(warp, op, ask, out);
}

// ---- lanes in one buffer, as data say ------------------------------------------------------------------------

// Whether this access is not looked at for a pattern: atomics never are.
INLINE bool has_no_pattern(struct warp *warp, const struct op *op)
{
    if (!op->pattern)
        return true;
    struct lane_pattern *p = &warp->patterns[op->pattern];
    if (p->changes <= OFTEN || (p->changes + 1) % SELDOM == 0)
        return false;
    p->changes++;
    p->known = 0;
    make_slow(p);
    return true;
}

// Whether offsets whose bits are collected in `bits`, and those of the limit less each of them in `over`, are aligned and not above
// the limit, which is below 2^31.
INLINE bool all_placed(uint64_t bits, uint32_t over, uint32_t bytes)
{
    return !((bits | over) >> 31 || bits & (bytes - 1u));
}

// Finds the offset of each lane from `start`, which for lanes that are off is `own`. False: some leaves the first `bytes` bytes,
// or is not aligned.
INLINE bool find_offsets(const struct warp *warp, const struct op *op, bool full, uint64_t start,
                         size_t bytes, uint32_t own, uint32_t offset[restrict LANES])
{
    const uint32_t limit = (uint32_t)(bytes - op->bytes), *restrict on = warp->lanes;
    uint32_t over = 0;
    if (!op->wide) {
        const uint32_t *restrict address = ROW32(warp, op->a), from = (uint32_t)(op->imm - start);
        uint32_t bits = 0;
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t at = address[i] + from;
            offset[i] = full ? at : (at & on[i]) | (own & ~on[i]);
            bits |= offset[i];
            over |= limit - offset[i];
        }
        return all_placed(bits, over, op->bytes);
    }
    const uint64_t *restrict address = ROW64(warp, op->a), from = op->imm - start;
    uint64_t bits = 0;
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t at = address[i] + from;
        bits |= full ? at : at & (uint64_t)(int64_t)(int32_t)on[i];
        offset[i] = full ? (uint32_t)at : ((uint32_t)at & on[i]) | (own & ~on[i]);
        over |= limit - offset[i];
    }
    return all_placed(bits, over, op->bytes);
}

static void place_lanes(uint64_t start, const uint32_t offset[LANES], uint64_t at[LANES])
{
    for (int i = 0; i < LANES; i++)
        at[i] = start + offset[i];
}

static __attribute__((noinline)) void sample_offsets(struct warp *warp, const struct op *op,
                                                     const struct access_request *ask, uint64_t start,
                                                     const uint32_t offset[LANES], unsigned passes)
{
    uint64_t at[LANES];
    place_lanes(start, offset, at);
    sample_access(warp, op, ask, at, warp->active, passes);
}

static __attribute__((noinline)) struct access_cost cost_placed(const struct warp *warp, const struct op *op,
                                                                enum atomic_cost atomic, uint64_t start,
                                                                const uint32_t offset[LANES])
{
    uint64_t at[LANES];
    place_lanes(start, offset, at);
    return cost_global(at, warp->active, op->bytes, atomic);
}

INLINE void count_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                          uint64_t start, const uint32_t offset[LANES])
{
    struct access_cost cost;
    if (!cost_offsets(offset, warp->active, op->bytes, ask->atomic, &cost))
        cost = cost_placed(warp, op, ask->atomic, start, offset);
    cost_count(warp, op, COST_GLOBAL, cost);
    if (warp->sample)
        sample_offsets(warp, op, ask, start, offset, cost.passes);
}

INLINE void count_words(struct warp *warp, const struct op *op, enum atomic_cost atomic, size_t bytes,
                        const uint32_t offset[LANES])
{
    const bool equal_are_one = atomic == ATOMIC_NONE || atomic == ATOMIC_MERGED;
    const unsigned waves = cost_words(offset, warp->active, bytes, equal_are_one),
                   times = atomic == ATOMIC_COMPARE ? 2 : 1;
    cost_count(warp, op, COST_SHARED, (struct access_cost){ waves * times, times, waves - 1 });
}

static __attribute__((noinline)) void check_offsets(struct warp *warp, const struct op *op,
                                                    const struct access_request *ask, uint64_t start,
                                                    const uint32_t offset[LANES])
{
    uint64_t at[LANES];
    uint32_t low = offset[0], high = low;
    for (int i = 0; i < LANES; i++) {
        low = offset[i] < low ? offset[i] : low;
        high = offset[i] > high ? offset[i] : high;
    }
    place_lanes(start, offset, at);
    check_shape(warp, op, ask, (enum ptx_space)op->space, at, warp->active, SHAPE_SCATTERED, start + low,
                high - low + op->bytes);
}

INLINE bool may_have_offsets(struct warp *warp, const struct op *op, const struct access_request *ask)
{
    return op->a && warp->patterns && warp->active && !ask->taken && !ask->by_one && !ask->uncounted &&
           ask->atomic != ATOMIC_CAS_LOOP && has_no_pattern(warp, op);
}

static uint64_t address_of_lane(const struct warp *warp, const struct op *op, int lane)
{
    return op->wide ? ROW64(warp, op->a)[lane] + op->imm
                    : (uint32_t)(ROW32(warp, op->a)[lane] + (uint32_t)op->imm);
}

// `full`: all lanes are active.
INLINE bool find_in_shared(struct warp *warp, const struct op *op, const struct access_request *ask,
                           bool full, struct lane_offsets *out)
{
    const struct block *block = warp->block;
    const size_t bytes = op->high < block->shared_bytes ? op->high : block->shared_bytes;
    if (op->low || op->bytes > BANK_BYTES || op->bytes > bytes || !may_have_offsets(warp, op, ask))
        return false;
    const uint32_t own = full ? 0 : (uint32_t)address_of_lane(warp, op, __builtin_ctz(warp->active));
    if (!find_offsets(warp, op, full, 0, bytes, own, out->of_lane))
        return false;
    out->base = block->shared;
    if (warp->tallies)
        count_words(warp, op, ask->atomic, bytes, out->of_lane);
    if (checks_are_on(warp))
        check_offsets(warp, op, ask, 0, out->of_lane);
    return true;
}

// In global memory, where a sample does not record the step. `start`: the address whose offset is 0.
static bool find_in_global(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_offsets *out, uint64_t *start)
{
    if (!op->wide || is_recorded(warp) || !may_have_offsets(warp, op, ask))
        return false;
    const uint64_t first = address_of_lane(warp, op, __builtin_ctz(warp->active));
    const struct allocation *allocation = owner(warp, first, op->bytes);
    if (!allocation || allocation->heap || allocation->bytes > INT32_MAX ||
        (ask->write && allocation->constant))
        return false;
    *start = first >> OFFSET_BITS << OFFSET_BITS;
    const uint32_t own = (uint32_t)(first - *start);
    if (!(warp->active == FULL_MASK
              ? find_offsets(warp, op, true, *start, allocation->bytes, own, out->of_lane)
              : find_offsets(warp, op, false, *start, allocation->bytes, own, out->of_lane)))
        return false;
    out->base = (unsigned char *)(uintptr_t)(*start + host_delta(allocation, first));
    if (warp->tallies)
        count_offsets(warp, op, ask, *start, out->of_lane);
    if (checks_are_on(warp))
        check_offsets(warp, op, ask, *start, out->of_lane);
    return true;
}

INLINE bool find_in_buffer(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_offsets *out, uint64_t *start)
{
    *start = 0;
    if (op->space == SPACE_SHARED)
        return warp->active == FULL_MASK ? find_in_shared(warp, op, ask, true, out)
                                         : find_in_shared(warp, op, ask, false, out);
    return op->space == SPACE_GLOBAL && find_in_global(warp, op, ask, out, start);
}

bool address_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_offsets *out)
{
    uint64_t start;
    return find_in_buffer(warp, op, ask, out, &start);
}

static __attribute__((noinline)) bool resolve_in_buffer(struct warp *warp, const struct op *op,
                                                        const struct access_request *ask,
                                                        struct lane_addresses *out)
{
    struct lane_offsets offsets;
    uint64_t start;
    if (!find_in_buffer(warp, op, ask, &offsets, &start))
        return false;
    place_lanes(start, offsets.of_lane, out->at);
    out->delta = (uint64_t)(uintptr_t)offsets.base - start;
    out->first = __builtin_ctz(warp->active);
    out->shape = SHAPE_SCATTERED;
    out->row_width = 0;
    out->from = out->at;
    out->mask = warp->active;
    return true;
}

bool address_resolve(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_addresses *out)
{
    out->remote = 0;
    return (warp->patterns && !ask->taken && find_again(warp, op, ask, out)) ||
           resolve_in_buffer(warp, op, ask, out) || find_anew(warp, op, ask, out);
}

bool address_resolve_given(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_addresses *out)
{
    uint64_t given[LANES];
    out->remote = 0;
    memcpy(given, out->at, sizeof given);
    if (warp->active && find_together(warp, op, ask, out))
        return true;
    memcpy(out->at, given, sizeof given);
    return find_lanes(warp, op, ask, out);
}
