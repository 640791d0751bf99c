// Instructions through which an uninitialised value passes only in part: a choice takes one side, a false makes an
// `and` false whatever the other side, a shuffle takes another lane's.
#include "engine/sim/sanitize/check.h"

#include <string.h>

static uint32_t chosen(const struct warp *warp, const struct op *op, const struct taint *in)
{
    uint32_t first = ROWP(warp, op->c);
    return (in[0].lanes & first) | (in[1].lanes & ~first) | in[2].lanes;
}

static uint32_t combined(const struct warp *warp, const struct op *op, const struct taint *in, bool decides)
{
    uint32_t a = decides ? ROWP(warp, op->a) : ~ROWP(warp, op->a);
    uint32_t b = decides ? ROWP(warp, op->b) : ~ROWP(warp, op->b);
    return (in[0].lanes | in[1].lanes) & ~(a & ~in[0].lanes) & ~(b & ~in[1].lanes);
}

// As in lanes_exchange.c: the lane that lane i reads from.
static int source_lane(const struct ptx_instruction *in, int i, uint32_t b, uint32_t c)
{
    int part = (int)(c >> 8 & 31), by = (int)(b & 31), low = i & part;
    int last = low | ((int)(c & 31) & ~part & 31);
    if (ptx_has(in, "up"))
        return i - by >= last ? i - by : i;
    int from = ptx_has(in, "down") ? i + by : ptx_has(in, "bfly") ? i ^ by : low | (by & ~part & 31);
    return from <= last ? from & 31 : i;
}

static uint32_t shuffled(const struct warp *warp, const struct op *op, const struct taint *in)
{
    uint32_t lanes = in[1].lanes | in[2].lanes;
    for (int i = 0; i < LANES; i++)
        lanes |= (in[0].lanes >> source_lane(op->from, i, ROW32(warp, op->b)[i], ROW32(warp, op->c)[i]) & 1)
                 << i;
    return lanes;
}

static bool mixes_lanes(const char *base)
{
    static const char *const names[] = { "vote", "match", "redux" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(base, names[i]) == 0)
            return true;
    return false;
}

uint32_t taint_passes(const struct warp *warp, const struct op *op, const struct taint *in, int count)
{
    const struct ptx_instruction *from = op->from;
    uint32_t any = 0;
    for (int i = 0; i < count; i++)
        any |= in[i].lanes;
    if (!any || op->kind == OP_UNKNOWN)
        return any;
    if (count == 3 && strcmp(from->base, "selp") == 0)
        return chosen(warp, op, in);
    if (count == 2 && from->types[0] == TYPE_PRED && strcmp(from->base, "and") == 0)
        return combined(warp, op, in, false);
    if (count == 2 && from->types[0] == TYPE_PRED && strcmp(from->base, "or") == 0)
        return combined(warp, op, in, true);
    if (count >= 3 && strcmp(from->base, "shfl") == 0)
        return shuffled(warp, op, in);
    return mixes_lanes(from->base) && any & warp->active ? warp->active : any;
}

// ---- bytes of a value ---------------------------------------------------------------------------------------------------

static uint32_t whole(enum ptx_type type)
{
    return (1u << (type_bytes(type) & 15)) - 1;
}

// The bytes of a constant that are not 0.
static uint32_t bytes_let_through(uint64_t constant)
{
    uint32_t bytes = 0;
    for (int b = 0; b < 8; b++)
        bytes |= (uint32_t)((constant >> 8 * b & 255) != 0) << b;
    return bytes;
}

static uint32_t shifted(const struct ptx_instruction *in, uint32_t bytes, uint64_t by)
{
    enum ptx_type type = in->types[0];
    bool down = strcmp(in->base, "shr") == 0;
    bytes &= whole(type);
    if (by % 8 || by >= 64 || (down && type_is_signed(type) && bytes >> (type_bytes(type) - 1)))
        return EVERY_BYTE;
    return (down ? bytes >> by / 8 : bytes << by / 8) & whole(type);
}

// Copies, choices and bitwise operations leave every byte where it is. Of all others nothing is known.
uint32_t taint_bytes(const struct op *op, const struct taint *in, int count)
{
    static const char *const bytewise[] = { "mov", "selp", "and", "or", "xor", "not", NULL };
    const struct ptx_instruction *from = op->from;
    const struct ptx_operand *second = &from->operands[2];
    bool constant = count > 1 && second->kind == OPERAND_IMMEDIATE;
    uint32_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes |= in[i].lanes ? in[i].bytes : 0;
    if (from->operands[0].kind == OPERAND_VECTOR || from->operands[1].kind == OPERAND_VECTOR ||
        from->types[0] == TYPE_PRED)
        return EVERY_BYTE;
    if (strcmp(from->base, "and") == 0 && constant)
        return bytes & bytes_let_through(second->bits);
    if (ptx_is_one_of(from->base, bytewise))
        return strcmp(from->base, "selp") == 0 && in[2].lanes ? EVERY_BYTE : bytes;
    if (constant && (strcmp(from->base, "shl") == 0 || strcmp(from->base, "shr") == 0))
        return shifted(from, bytes, second->bits);
    return EVERY_BYTE;
}
