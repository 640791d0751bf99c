// cp.async: copies from global to shared memory that a kernel waits for later. Here they are done at once: a kernel
// that forgets to wait gets its data all the same, and a finding where there are checks (check_flight.c).
#include "engine/sim/access/access.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

struct copy { // op->imm points to it
    struct op from, to;
    row size; // u32 row of how many bytes to take, the rest being zero; 0: all
};

static void copy_lane(unsigned char *to, const unsigned char *from, unsigned bytes, uint32_t size)
{
    uint32_t taken = size < bytes ? size : bytes;
    memcpy(to, from, taken);
    memset(to + taken, 0, bytes - taken);
}

static void note(struct warp *warp, const struct op *to, uint32_t lanes)
{
    uint64_t at[LANES];
    reach_addresses(warp, to, at);
    check_copy_leaves(warp, to, at, lanes);
}

static void copy_lanes(struct warp *warp, const struct op *op)
{
    const struct copy *copy = (const struct copy *)(uintptr_t)op->imm;
    const struct ask reads = { .read = true, .taken = copy->size ? ROW32(warp, copy->size) : NULL };
    static const struct ask writes = { .write = true };
    struct reach source, target;
    uint32_t active = warp->active;
    // A lane that takes no bytes does not look at its source.
    uint32_t empty = 0;
    for (int i = 0; copy->size && i < LANES; i++)
        empty |= (uint32_t)(ROW32(warp, copy->size)[i] == 0) << i;
    warp->active = active & ~empty;
    if (!warp->active || !reach_find(warp, &copy->from, &reads, &source))
        source.mask = 0;
    warp->active = active;
    if (!reach_find(warp, &copy->to, &writes, &target))
        return;
    if (check_is_on(warp))
        note(warp, &copy->to, target.mask & (source.mask | empty));
    for (uint32_t left = target.mask & (source.mask | empty); left; left &= left - 1) {
        int i = __builtin_ctz(left);
        bool takes = source.mask >> i & 1;
        uint32_t size = !takes ? 0 : copy->size ? ROW32(warp, copy->size)[i] : op->bytes;
        unsigned char *at =
            target.shape == SHAPE_SCATTERED
                ? reach_lane(&target, i)
                : reach_lane(&target, target.first) + (target.shape == SHAPE_ROW ? i * op->bytes : 0);
        const unsigned char *data =
            !takes ? at
            : source.shape == SHAPE_SCATTERED
                ? reach_lane(&source, i)
                : reach_lane(&source, source.first) + (source.shape == SHAPE_ROW ? i * op->bytes : 0);
        copy_lane(at, data, op->bytes, size);
    }
}

static void commit(struct warp *warp, const struct op *op)
{
    (void)op;
    check_copy_commits(warp);
}

static void wait_for_all(struct warp *warp, const struct op *op)
{
    check_copy_waits(warp, op, true, 0);
}

static void wait_for_groups(struct warp *warp, const struct op *op)
{
    check_copy_waits(warp, op, false, (uint32_t)op->imm);
}

// Findings and records keep the operations that they tell of, so a side lasts as long as the whole.
static bool decode_side(struct decoding *d, const struct op *whole, struct op *side, int operand,
                        enum ptx_space space, unsigned bytes)
{
    *side = (struct op){ .from = whole->from,
                         .tally = whole->tally,
                         .high = UINT32_MAX,
                         .space = (uint8_t)space,
                         .bytes = (uint8_t)bytes,
                         .parts = 1,
                         .access = SIM_GLOBAL_LOAD };
    return decode_address(d, &d->in->operands[operand], side);
}

bool access_decode_copy(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    out->access = SIM_ACCESSES;
    if (!ptx_has(in, "async") || ptx_has(in, "bulk") || ptx_has(in, "mbarrier") || ptx_has(in, "tensor"))
        return decode_fails(d, "bulk copies and their barriers are not known");
    out->imm = in->operand_count ? in->operands[0].bits : 0;
    out->run = ptx_has(in, "commit_group") ? commit
               : ptx_has(in, "wait_all")   ? wait_for_all
               : ptx_has(in, "wait_group") ? wait_for_groups
                                           : NULL;
    if (out->run)
        return true;
    if (in->operand_count < 3 || in->operands[2].kind != OPERAND_IMMEDIATE)
        return decode_fails(d, "it copies 4, 8 or 16 bytes, and names how many");
    uint64_t bytes = in->operands[2].bits;
    struct copy *copy = arena_take(d->module->arena, sizeof *copy);
    if (!copy || (bytes != 4 && bytes != 8 && bytes != 16))
        return decode_fails(d, copy ? "it copies 4, 8 or 16 bytes" : "there is no memory left");
    if (!decode_side(d, out, &copy->to, 0, SPACE_SHARED, (unsigned)bytes) ||
        !decode_side(d, out, &copy->from, 1, SPACE_GLOBAL, (unsigned)bytes))
        return false;
    // A fourth operand is the source's size, unless a cache policy, which is 64 bits wide.
    if (in->operand_count > 3 && decode_width(d, &in->operands[3]) != 8 &&
        !(copy->size = decode_value(d, &in->operands[3], TYPE_B32)))
        return false;
    out->space = SPACE_GLOBAL;
    out->access = SIM_GLOBAL_LOAD;
    out->bytes = (uint8_t)bytes;
    out->parts = 1;
    out->imm = (uint64_t)(uintptr_t)copy;
    out->run = copy_lanes;
    return true;
}
