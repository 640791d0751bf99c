// The base of the handlers of memory instructions: the lanes' addresses, whether they are valid, and what the access costs.
#ifndef WARPBOOK_SIM_ACCESS_H
#define WARPBOOK_SIM_ACCESS_H

#include "engine/sim/decode/decode.h"
#include "engine/sim/sanitize/sanitize.h"

// The files of this folder are compiled for each build (build.h), as those of lanes/ are; this is what they export.
#if LANES_BUILD
#define cost_global BUILD_NAME(cost_global)
#define cost_offsets BUILD_NAME(cost_offsets)
#define cost_rows BUILD_NAME(cost_rows)
#define cost_words BUILD_NAME(cost_words)
#define cost_shared BUILD_NAME(cost_shared)
#define cost_cas_round BUILD_NAME(cost_cas_round)
#define cost_local BUILD_NAME(cost_local)
#define cost_constant BUILD_NAME(cost_constant)
#define cost_remote BUILD_NAME(cost_remote)
#define cost_copy BUILD_NAME(cost_copy)
#define address_resolve BUILD_NAME(address_resolve)
#define address_compute BUILD_NAME(address_compute)
#define owners_settle BUILD_NAME(owners_settle)
#define address_space BUILD_NAME(address_space)
#define access_kernel_param_bytes BUILD_NAME(access_kernel_param_bytes)
#define atomic_apply BUILD_NAME(atomic_apply)
#define atomic_combiner BUILD_NAME(atomic_combiner)
#define atomic_is_red BUILD_NAME(atomic_is_red)
#define address_resolve_given BUILD_NAME(address_resolve_given)
#define address_offsets BUILD_NAME(address_offsets)
#define memory_decoders BUILD_NAME(memory_decoders)
#define matrix_decoders BUILD_NAME(matrix_decoders)
#define mbarrier_decoders BUILD_NAME(mbarrier_decoders)
#define texture_decoders BUILD_NAME(texture_decoders)
#define mbarrier_decode_copy BUILD_NAME(mbarrier_decode_copy)
#define mbarrier_decode_store BUILD_NAME(mbarrier_decode_store)
#define address_report_no_block BUILD_NAME(address_report_no_block)
#define address_range BUILD_NAME(address_range)
#define atomic_decoders BUILD_NAME(atomic_decoders)
#endif

// ---- cost.c --------------------------------------------------------------------------------------------

enum { SECTOR_BYTES = 32, LINE_BYTES = 128, BANKS = 32, BANK_BYTES = 4 };
struct access_cost { // units as in struct cost
    unsigned passes, ideal, conflicts;
};
// How an atomic is counted when several lanes have one address.
enum atomic_cost {
    ATOMIC_NONE,     // a plain load or store
    ATOMIC_TURNS,    // they are serialised
    ATOMIC_MERGED,   // shared memory: they are added up in one pass, as popc(lanes)
    ATOMIC_COMPARE,  // shared memory: they are serialised, two passes each
    ATOMIC_CAS_LOOP, // a loop of compare and swap, whose cost atomic.c counts
};
struct access_cost cost_global(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                               enum atomic_cost atomic);
struct access_cost cost_shared(const uint64_t address[LANES], uint32_t mask, unsigned bytes, bool store,
                               enum atomic_cost atomic);
// The same by offsets in a buffer of global memory; lanes that are not of `mask` have the offset of one that is. False: it takes
// the addresses.
bool cost_offsets(const uint32_t offset[LANES], uint32_t mask, unsigned bytes, enum atomic_cost atomic,
                  struct access_cost *out);
// Accesses to the busiest bank, by such offsets of words, or parts of words, in the first `room` bytes of shared memory: of all
// lanes, or of different words.
unsigned cost_words(const uint32_t offset[LANES], uint32_t mask, size_t room, bool equal_are_one);
// The cost of the compare-and-swap of one round of such a loop in shared memory. Removes the lanes whose swap succeeds from
// *left; at least one does.
struct access_cost cost_cas_round(const uint64_t address[LANES], uint32_t *left, unsigned bytes);
// In the shared memory of other blocks, whose ranks are given.
struct remote_cost {
    unsigned sectors, wavefronts;
};
struct remote_cost cost_remote(const uint64_t address[LANES], const uint32_t rank[LANES], uint32_t mask,
                               unsigned bytes, enum atomic_cost atomic);
// Different addresses of constants, each without so many lower bits: each has a turn; without those of a line, lines of their cache.
enum { CONSTANT_LINE_BITS = 6 };
unsigned cost_constant(const uint64_t address[LANES], uint32_t mask, unsigned without);
// Local memory interleaves the lanes' words: the same offset in every lane is one line.
struct access_cost cost_local(const uint64_t address[LANES], uint32_t mask, unsigned bytes);
// A full warp in as many rows of equal length, as those of a block of 16 x 16 or 8 x 8 threads are: in each, all lanes are at
// one address, or all at consecutive elements.
enum { ROWS_MOST = 4 };
struct lane_rows {
    unsigned count;
    unsigned bytes; // that each reaches over
    uint64_t start[ROWS_MOST];
};
// False: it depends on more than where the rows are.
bool cost_rows(const struct lane_rows *rows, unsigned bytes, bool shared, struct access_cost *out);
// Sectors of lanes 0 to 31 at consecutive elements, or of all lanes at one element.
static inline unsigned sectors_of_run(uint64_t first, unsigned bytes)
{
    return (unsigned)((((first + bytes - 1) / SECTOR_BYTES) - first / SECTOR_BYTES) + 1);
}

// ---- cost_copy.c ----------------------------------------------------------------------------------------------

// Whether a copy gives a size of each source, or a predicate to ignore it.
enum copy_form { COPY_WHOLE, COPY_SIZED, COPY_IGNORED };
struct warp_copy {
    const uint64_t *from, *to; // each lane's, aligned
    uint32_t mask, empty;      // empty: those of `mask` that read nothing and write zeros
    unsigned bytes;            // 4, 8 or 16 a lane
    enum copy_form form;
    bool past_l1; // .cg
};
struct copy_cost {
    struct access_cost shared; // conflicts: of banks
    unsigned sectors;          // of global memory, where it goes past L1; else they are those of a load
};
struct copy_cost cost_copy(const struct warp_copy *copy);

// ---- lane_address.c, address_offset.c, address_single.c -------------------------------------------------------

enum lane_shape {
    SHAPE_SAME,     // every lane at one address
    SHAPE_ROW,      // all 32 lanes, at consecutive elements
    SHAPE_SCATTERED // any other pattern, and any with inactive lanes
};
// Lane i's bytes are at the host address from[i] + delta; with SHAPE_SAME and SHAPE_ROW only from[first] is valid.
struct lane_addresses {
    uint64_t at[LANES];   // device addresses, or offsets into shared or local memory
    uint64_t host[LANES]; // host addresses, when the lanes have no common delta
    const uint64_t *from;
    uint64_t delta;
    uint32_t mask;   // lanes whose access is valid
    uint32_t remote; // those of them that are in the shared memory of another block of the cluster
    int first;       // the lowest lane of `mask`
    enum lane_shape shape;
    // SHAPE_SCATTERED and a full mask: lanes in a row (struct lane_rows); 0: not in rows.
    unsigned row_width;
};
struct access_request { // what an instruction does at the addresses of its lanes
    bool read, write;
    enum atomic_cost atomic;
    bool by_one;       // the compiler makes one lane do it for the warp
    bool uncounted;    // its cost is counted by who asks
    const row *values; // rows of a plain store, for the sanitizer
    // bytes of each lane, where a lane may access fewer than op->bytes; NULL: all of them
    const uint32_t *taken;
    const struct matrix_part *part; // of a matrix instruction; NULL: it is none
    const struct block *block;      // whose shared memory it is; NULL: the warp's own
};
// Resolves the addresses of the active lanes: reports invalid ones and drops their lanes, counts the cost (but for
// ATOMIC_CAS_LOOP), and calls the sanitizer. False when no lane is left.
bool address_resolve(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_addresses *out);
// The same for addresses that out->at already holds, which need not be those of the instruction's operand. The shape is
// SHAPE_SCATTERED.
bool address_resolve_given(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_addresses *out);
// Lanes that go where data say, all in one buffer or in shared memory: where each is from `base` on. Those that are not active
// are where an active one is.
struct lane_offsets {
    uint32_t of_lane[LANES];
    unsigned char *base;
};
// Does what address_resolve does for an access of which no pattern is kept, and whose lanes all are valid; else it does nothing,
// and returns false.
bool address_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_offsets *out);
// The host's memory for a span in global or shared memory; NULL: it leaves its allocation, or may not be written.
unsigned char *address_range(const struct warp *warp, enum ptx_space space, uint64_t at, uint64_t bytes,
                             bool write);
// The address of every lane as the instruction computes it, and the space of a generic address.
void address_compute(const struct warp *warp, const struct op *op, uint64_t at[restrict LANES]);
enum ptx_space address_space(uint64_t address);
// These lanes name a block that their cluster has not.
void address_report_no_block(struct warp *warp, const struct op *op, uint32_t lanes, uint32_t rank);
// Inline: a call would hand the structure over through memory, in pieces of another size than it was stored in.
INLINE void cost_count(struct warp *warp, const struct op *op, enum cost_space space, struct access_cost one)
{
    struct cost *sum = &warp->tallies[op->tally].cost[space];
    sum->requests++;
    sum->passes += one.passes;
    sum->ideal += one.ideal;
    sum->conflicts += one.conflicts;
    if (warp->recorder && space != COST_GLOBAL && space != COST_CAS_FETCH)
        sample_passes(warp, one.passes);
}
static inline unsigned char *address_host(const struct lane_addresses *reach, int lane)
{
    return (unsigned char *)(uintptr_t)(reach->from[lane] + reach->delta);
}

// ---- decoding: access.c -----------------------------------------------------------------------------------

DECODERS(memory_decoders);                                       // access.c: ld st ldu cp.async
DECODERS(atomic_decoders);                                       // atomic.c: atom red
size_t access_kernel_param_bytes(const struct function *kernel); // of a kernel's arguments

// ---- access_matrix.c -----------------------------------------------------------------------------------

DECODERS(matrix_decoders); // ldmatrix stmatrix wmma.load wmma.store

// What an atomic makes of the value that is there, and of its one or two operands.
typedef uint64_t (*combiner)(uint64_t old, uint64_t b, uint64_t c);

// ---- mbarrier.c ----------------------------------------------------------------------------------------

DECODERS(mbarrier_decoders); // mbarrier
bool mbarrier_decode_copy(struct decoding *d,
                          struct op *out); // cp.async.bulk, cp.reduce.async.bulk, cp.async.mbarrier
// st.async, and red.async with what combines a value with what is there.
bool mbarrier_decode_store(struct decoding *d, struct op *out, combiner combine);

// ---- texture.c -----------------------------------------------------------------------------------------

DECODERS(texture_decoders); // tex tld4 txq suld sust suq

// ---- atomic.c --------------------------------------------------------------------------------------

// Whether hardware executes it as a reduction, which returns nothing; in a kernel with a fence only a `red` is one.
bool atomic_is_red(const struct op *op);
// What the reduction that is being decoded combines, in elements of so many bytes; NULL: it is not known.
combiner atomic_combiner(struct decoding *d, unsigned *bytes);
void atomic_apply(void *at, unsigned bytes, combiner combine, uint64_t value);

#endif
