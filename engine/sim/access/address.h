// Private to the files of lanes' addresses, address_*.c and lane_address.c: what they share.
#ifndef WARPBOOK_SIM_ADDRESS_H
#define WARPBOOK_SIM_ADDRESS_H

#include "engine/sim/access/pattern.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

#if LANES_BUILD
#define address_count_lanes BUILD_NAME(address_count_lanes)
#define address_count_rows BUILD_NAME(address_count_rows)
#define address_count_shape BUILD_NAME(address_count_shape)
#define address_extent BUILD_NAME(address_extent)
#define address_find_again BUILD_NAME(address_find_again)
#define address_find_singly BUILD_NAME(address_find_singly)
#define address_keep_pattern BUILD_NAME(address_keep_pattern)
#define address_resolve_offsets BUILD_NAME(address_resolve_offsets)
#define address_sample BUILD_NAME(address_sample)
#define address_sample_constants BUILD_NAME(address_sample_constants)
#define address_sample_lanes BUILD_NAME(address_sample_lanes)
#define address_shape_cost BUILD_NAME(address_shape_cost)
#define address_show_checks BUILD_NAME(address_show_checks)
#endif

// ---- allocations ----

// The allocation that contains the bytes [address, address + bytes), or NULL.
INLINE const struct allocation *owner(const struct warp *warp, uint64_t address, uint64_t bytes)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    uint64_t number = address >> OFFSET_BITS, offset = address & OFFSETS;
    if (number == 0 || number >= memory->count)
        return NULL;
    const struct allocation *allocation = &memory->allocations[number];
    bool inside = bytes <= allocation->bytes && offset <= allocation->bytes - bytes;
    return inside && (!allocation->heap || heap_holds(allocation, offset, bytes)) ? allocation : NULL;
}

INLINE uint64_t host_delta(const struct allocation *allocation, uint64_t address)
{
    return (uint64_t)(uintptr_t)allocation->host - (address >> OFFSET_BITS << OFFSET_BITS);
}

// The host address of `length` bytes from `first` on; 0 unless all are in one allocation that may be accessed.
INLINE uint64_t run_host(const struct warp *warp, const struct op *op, enum ptx_space space, uint64_t first,
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
INLINE enum ptx_space resolve(const struct warp *warp, const struct op *op, uint64_t *first)
{
    if (op->space != SPACE_GENERIC)
        return (enum ptx_space)op->space;
    enum ptx_space space = address_space(*first);
    if (space == SPACE_SHARED)
        *first -= SHARED_WINDOW + warp->block->apart;
    return space;
}

// ---- lanes ----

// Lanes that are not active get `other`. There is no branch, which would be foreseen wrongly for many lanes.
INLINE void keep_active(const struct warp *warp, uint64_t other, uint64_t at[LANES])
{
    int32_t lanes[LANES];
    memcpy(lanes, warp->lanes, sizeof lanes);
    for (int i = 0; i < LANES; i++)
        at[i] = (at[i] & (uint64_t)(int64_t)lanes[i]) | (other & ~(uint64_t)(int64_t)lanes[i]);
}

// The sanitizer does not see lanes that access fewer bytes than the instruction has.
INLINE uint32_t whole_takers(const struct op *op, const struct access_request *ask, uint32_t mask)
{
    for (int i = 0; ask->taken && i < LANES; i++)
        if (ask->taken[i] < op->bytes)
            mask &= ~(1u << i);
    return mask;
}

// ---- lane_address.c ----

// The lowest address, and how far the highest is from it.
void address_extent(const uint64_t at[LANES], uint64_t *low, uint64_t *length);

// ---- address_count.c ----

INLINE bool is_recorded(const struct warp *warp)
{
    return warp->recorder && warp->recorded;
}

INLINE struct access_cost cost_of_constants(unsigned turns)
{
    return (struct access_cost){ .passes = turns, .ideal = turns != 0 };
}

// Each counts an access and tells the sample of it: of lanes in one space; of a full warp whose lanes have one address or
// consecutive elements; of one in rows, whose addresses are `at`.
struct access_cost address_count_lanes(struct warp *warp, const struct op *op,
                                       const struct access_request *ask, enum ptx_space space,
                                       const uint64_t at[LANES], uint32_t mask);
struct access_cost address_count_shape(struct warp *warp, const struct op *op,
                                       const struct access_request *ask, enum ptx_space space, uint64_t first,
                                       enum lane_shape shape);
struct access_cost address_count_rows(struct warp *warp, const struct op *op,
                                      const struct access_request *ask, enum ptx_space space,
                                      const struct lane_rows *rows, const uint64_t at[LANES]);
// What such a shape costs.
struct access_cost address_shape_cost(const struct op *op, enum ptx_space space, uint64_t first,
                                      enum lane_shape shape, bool write);
// Tells the sample of an access to global memory, which costs so many passes; and the same without what is told of recorded
// steps and of atomics.
void address_sample(struct warp *warp, const struct op *op, const struct access_request *ask,
                    const uint64_t at[LANES], uint32_t mask, unsigned passes);
void address_sample_lanes(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned bytes,
                          unsigned kind);
// The same of constants in a pattern, whose lane 0 is at `first`.
void address_sample_constants(struct warp *warp, const struct lane_pattern *p, uint64_t first,
                              unsigned turns);
// Shows the checks the lanes of `mask`, whose bytes reach from `low` over `span`; 0: over what is not known.
void address_show_checks(struct warp *warp, const struct op *op, const struct access_request *ask,
                         enum ptx_space space, const uint64_t at[LANES], uint32_t mask, enum lane_shape shape,
                         uint64_t low, uint64_t span);

// ---- address_single.c ----

// Looks at each lane by itself. False: none is left.
bool address_find_singly(struct warp *warp, const struct op *op, const struct access_request *ask,
                         struct lane_addresses *out);

// ---- address_pattern.c ----

// An instruction whose pattern changes each time is looked at seldom.
enum { OFTEN = 8, SELDOM = 16 };

INLINE void make_slow(struct lane_pattern *p)
{
    p->quick = false;
    p->form = p->sampled_form = FORM_NONE;
}

// Finds an access that repeats the pattern of the last one. False: it does not, and nothing has been done.
bool address_find_again(struct warp *warp, const struct op *op, const struct access_request *ask,
                        struct lane_addresses *out);
// The active lanes of a load or store are valid; its bytes reach from `low` over `span`.
void address_keep_pattern(struct warp *warp, const struct op *op, const struct access_request *ask,
                          enum ptx_space space, const struct lane_addresses *found, uint64_t low,
                          uint64_t span, struct access_cost cost);

// ---- address_offset.c ----

// As address_offsets, for those who want the lanes' addresses.
bool address_resolve_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                             struct lane_addresses *out);

#endif
