// What the handlers of memory instructions share: where a warp's lanes point, whether they may, and what it
// costs.
#ifndef WARPBOOK_SIM_ACCESS_H
#define WARPBOOK_SIM_ACCESS_H

#include "engine/sim/decode/decode.h"

// ---- cost.c --------------------------------------------------------------------------------------------

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };
struct access_cost { // as in struct cost
    unsigned passes, ideal, conflicts;
};
// What lanes at equal addresses of an atomic cost.
enum atomic_cost {
    ATOMIC_NONE,     // a plain load or store
    ATOMIC_TURNS,    // they take turns
    ATOMIC_MERGED,   // shared: they are added up in one pass, as popc(lanes)
    ATOMIC_COMPARE,  // shared: turns of two passes each
    ATOMIC_CAS_LOOP, // a loop of loads and compares, which cas_loop.c counts
};
struct access_cost cost_global(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                               enum atomic_cost atomic);
struct access_cost cost_shared(const uint64_t address[LANES], uint32_t mask, unsigned bytes, bool store,
                               enum atomic_cost atomic);
// One round of the loop that the compiler makes of an atomic for which shared memory has no instruction: what its
// compare and swap costs. Takes the lanes that got through out of *left; at least one does.
struct access_cost cost_cas_round(const uint64_t address[LANES], uint32_t *left, unsigned bytes);
// Local memory interleaves the lanes' words, so that the same offset in every lane is one line.
struct access_cost cost_local(const uint64_t address[LANES], uint32_t mask, unsigned bytes);
// Lanes 0 to 31 one behind the other, or all at one address.
static inline unsigned sectors_of_run(uint64_t first, unsigned bytes)
{
    return (unsigned)((((first + bytes - 1) / SECTOR_BYTES) - first / SECTOR_BYTES) + 1);
}

// ---- lane_address.c ----------------------------------------------------------------------------------------------

enum shape {
    SHAPE_SAME,     // every lane at one address
    SHAPE_ROW,      // all 32 lanes, one behind the other
    SHAPE_SCATTERED // anything else, and what misses lanes
};
// Lane i's bytes lie on the host at from[i] + delta; with SHAPE_SAME and SHAPE_ROW only from[first] is valid.
struct lane_addresses {
    uint64_t at[LANES];   // device addresses, or offsets in shared or local memory
    uint64_t host[LANES]; // host addresses, when the lanes do not lie in one piece
    const uint64_t *from;
    uint64_t delta;
    uint32_t mask; // lanes that may do it
    int first;     // the first of them
    enum shape shape;
};
struct access_request { // what an instruction wants to do at its lanes' addresses
    bool read, write;
    enum atomic_cost atomic;
    bool by_one;           // the compiler lets one lane do it for the warp
    const row *values;     // of a plain store, for the checks
    const uint32_t *taken; // bytes of each lane, where a lane may take less than the whole; NULL: all of it
};
// Finds where the active lanes point, reports and leaves out those that may not, counts (but for ATOMIC_CAS_LOOP), and
// tells the checks. False when no lane is left.
bool address_resolve(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_addresses *out);
// What every lane's address is, as the instruction computes it, and in which space a generic one lies.
void address_compute(const struct warp *warp, const struct op *op, uint64_t at[LANES]);
enum ptx_space address_space(uint64_t address);
void cost_count(struct warp *warp, const struct op *op, enum cost_space space, struct access_cost pattern);
static inline unsigned char *address_host(const struct lane_addresses *reach, int lane)
{
    return (unsigned char *)(uintptr_t)(reach->from[lane] + reach->delta);
}

// ---- decoding: access.c -----------------------------------------------------------------------------------

extern const struct decoder memory_decoders[], memory_decoders_v3[]; // access.c: ld st ldu prefetch cp.async
extern const struct decoder atomic_decoders[], atomic_decoders_v3[]; // atomic.c: atom red
size_t access_kernel_param_bytes(const struct function *kernel);     // of its arguments

// ---- atomic.c --------------------------------------------------------------------------------------

// Whether hardware runs it as a reduction, which returns nothing; where the kernel has a fence, only a `red` is one.
bool atomic_is_red(const struct op *op);

#endif
