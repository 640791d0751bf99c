// Every lane by itself: those of accesses that are not all in one allocation, or not all valid, which are reported, and those
// of generic addresses and of the shared memory of a cluster.
#include "engine/sim/access/address.h"

#include <string.h>

// ---- addresses and allocations ---------------------------------------------------------------------------

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

// ---- the lanes of one space ------------------------------------------------------------------------------

static void check_lanes(struct warp *warp, const struct op *op, const struct access_request *ask,
                        enum ptx_space space, const uint64_t at[LANES], uint32_t mask)
{
    address_show_checks(warp, op, ask, space, at, mask, SHAPE_SCATTERED, 0, 0);
}

static bool leaves_variable(const struct op *op, enum ptx_space space, uint64_t at)
{
    return space == SPACE_SHARED && (at < op->low || at + op->bytes > op->high);
}

static unsigned bytes_taken(const struct op *op, const struct access_request *ask, int lane)
{
    return ask->taken && ask->taken[lane] < op->bytes ? ask->taken[lane] : op->bytes;
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
        address_count_lanes(warp, op, ask, space, out->at, allowed);
        check_lanes(warp, op, ask, space, out->at, whole_takers(op, ask, allowed & ~stray));
    }
    out->mask |= allowed;
}

// ---- shared memory of the cluster ------------------------------------------------------------------------

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

bool address_find_singly(struct warp *warp, const struct op *op, const struct access_request *ask,
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
