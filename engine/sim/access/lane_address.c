// The addresses of a memory instruction's lanes: computed, validated, counted and passed to the sanitizer.
//
// Most accesses have the pattern of the instruction's last one, somewhere else; what was found then holds for them
// (address_pattern.c).
//
// Most instructions have all lanes at one address or at consecutive elements. These two shapes are recognised in one pass
// over the address row and need no work per lane. Warps of blocks that are 16 or 8 threads wide have two or four rows of
// such lanes, whose cost follows from where the rows are. What is neither goes by its offsets (address_offset.c), by how far its
// lanes reach, or lane by lane (address_single.c).
#include "engine/sim/access/address.h"

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

// ---- how far they reach ----------------------------------------------------------------------------------

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

void address_extent(const uint64_t at[LANES], uint64_t *low, uint64_t *length)
{
    if (!near_extent(at, low, length))
        far_extent(at, low, length);
}

// ---- all lanes at once -----------------------------------------------------------------------------------

// Whether all active lanes are aligned and in one allocation, or in one shared variable.
static bool find_scattered(struct warp *warp, const struct op *op, const struct access_request *ask,
                           enum ptx_space space, struct lane_addresses *out)
{
    uint64_t crooked = 0, low, length;
    for (int i = 0; i < LANES; i++)
        crooked |= out->at[i];
    address_extent(out->at, &low, &length);
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
    address_keep_pattern(warp, op, ask, space, out, low, length + op->bytes,
                         address_count_lanes(warp, op, ask, space, out->at, out->mask));
    address_show_checks(warp, op, ask, space, out->at, whole_takers(op, ask, out->mask), SHAPE_SCATTERED, low,
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
    address_keep_pattern(warp, op, ask, space, out, first, length,
                         address_count_shape(warp, op, ask, space, first, shape));
    if (checks_are_on(warp)) {
        address_compute(warp, op, out->at);
        if (op->space == SPACE_GENERIC && space == SPACE_SHARED)
            for (int i = 0; i < LANES; i++)
                out->at[i] -= SHARED_WINDOW + warp->block->apart;
        address_show_checks(warp, op, ask, space, out->at, FULL_MASK, shape, first, length);
    }
    return true;
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
    address_keep_pattern(warp, op, ask, space, out, low, high - low + rows->bytes,
                         address_count_rows(warp, op, ask, space, rows, out->at));
    address_show_checks(warp, op, ask, space, out->at, whole_takers(op, ask, FULL_MASK), SHAPE_SCATTERED, low,
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
    return address_find_singly(warp, op, ask, out);
}

// ---- any access ------------------------------------------------------------------------------------------

bool address_resolve(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_addresses *out)
{
    out->remote = 0;
    return (warp->patterns && !ask->taken && address_find_again(warp, op, ask, out)) ||
           address_resolve_offsets(warp, op, ask, out) || find_anew(warp, op, ask, out);
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
    return address_find_singly(warp, op, ask, out);
}
