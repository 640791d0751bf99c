// Instructions that exchange values between the lanes of a warp: shfl, vote, match, redux, elect, activemask.
//
// schedule/steer.c has gathered the lanes that the member mask names; warp->active are those that arrived. Lanes
// may name different masks in one instruction: each mask is a group of its own. The old forms without .sync have no
// mask and form one group of all active lanes.
#include "engine/sim/lanes/lanes.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

// ---- groups -----------------------------------------------------------------------------------------------------------

// The lanes in `left` that name the same mask as the first of them.
static uint32_t group_next(const struct warp *warp, const struct op *op, uint32_t left)
{
    if (!op->members)
        return left;
    const uint32_t *named = ROW32(warp, op->members);
    uint32_t wanted = named[__builtin_ctz(left)], equal = 0;
    for (int i = 0; i < LANES; i++)
        equal |= (uint32_t)(named[i] == wanted) << i;
    return left & equal;
}
#define EACH_GROUP(group, warp, op)                                                                          \
    for (uint32_t left_ = (warp)->active, group; left_ && (group = group_next(warp, op, left_), true);       \
         left_ &= ~group)

static void give(struct warp *warp, row at, uint32_t lanes, uint32_t value)
{
    uint32_t *d = ROW32(warp, at);
    for (int i = 0; i < LANES; i++)
        d[i] = lanes >> i & 1 ? value : d[i];
}

static void give_predicate(struct warp *warp, row at, uint32_t lanes, bool value)
{
    ROWP(warp, at) = (ROWP(warp, at) & ~lanes) | (value ? lanes : 0);
}

static int first_of(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

// ---- shfl ----------------------------------------------------------------------------------------------------------------

enum { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, SHUFFLE_INDEX };

struct sources { // the lane that each lane reads, and the lanes whose source is inside their segment
    int lane[LANES];
    uint32_t inside;
    uint32_t c; // 1 above the operand that they are for; 0: for none yet
};

// Lane i of a shuffle reads lane `from`, or itself where `from` is outside its segment of the warp. Bits 8 to 12 of c
// are the segment mask, bits 0 to 4 clamp `from`: they give the last lane of the segment (for .up the first).
static void find_source(struct sources *out, int i, int way, uint32_t b, uint32_t c)
{
    int part = (int)(c >> 8 & 31), by = (int)(b & 31);
    int low = i & part, last = low | ((int)(c & 31) & ~part & 31);
    int from = way == SHUFFLE_UP     ? i - by
               : way == SHUFFLE_DOWN ? i + by
               : way == SHUFFLE_XOR  ? i ^ by
                                     : low | (by & ~part & 31);
    bool within = way == SHUFFLE_UP ? from >= last : from <= last;
    out->inside |= (uint32_t)within << i;
    out->lane[i] = within ? from & 31 : i;
}

// Those of operands that are the same in all lanes, as most are; kept by way and distance.
static const struct sources *sources_of(int way, uint32_t b, uint32_t c)
{
    static _Thread_local struct sources kept[SHUFFLE_INDEX + 1][LANES];
    struct sources *sources = &kept[way][b & 31];
    c &= 0x1f1f;
    if (sources->c == c + 1)
        return sources;
    sources->inside = 0;
    for (int i = 0; i < LANES; i++)
        find_source(sources, i, way, b, c);
    sources->c = c + 1;
    return sources;
}

static bool all_equal(const uint32_t *b, const uint32_t *c)
{
    uint32_t unlike = 0;
    LANES_LOOP unlike |= (b[i] ^ b[0]) | (c[i] ^ c[0]);
    return !unlike;
}

static void shuffle(struct warp *warp, const struct op *op)
{
    const uint32_t *b = ROW32(warp, op->b), *c = ROW32(warp, op->c);
    struct sources own;
    const struct sources *sources = &own;
    uint32_t a[LANES], *restrict d = ROW32(warp, op->d);
    if (all_equal(b, c)) {
        sources = sources_of(op->sub, b[0], c[0]);
    } else {
        own.inside = 0;
        for (int i = 0; i < LANES; i++)
            find_source(&own, i, op->sub, b[i], c[i]);
    }
    memcpy(a, ROW32(warp, op->a), sizeof a);
    if (checks_are_on(warp))
        uninit_shuffle(warp, op, sources->lane);
    EACH_LANE(warp, d, a[sources->lane[i]]);
    if (op->e)
        set_predicate(warp, op->e, sources->inside);
}

// The destination and perhaps a predicate: d|p.
static bool decode_pair(struct decoding *d, const struct ptx_operand *operand, row *value, row *predicate)
{
    if (operand->kind != OPERAND_PAIR) {
        *value = decode_destination(d, operand, TYPE_B32);
        return *value != 0;
    }
    *value = decode_destination(d, &operand->parts[0], TYPE_B32);
    if (operand->parts[1].kind == OPERAND_SINK)
        return *value != 0;
    *predicate = decode_predicate(d, &operand->parts[1]);
    return *value && *predicate;
}

// The member mask of a .sync form is operand `index`; other forms have none.
static bool decode_members(struct decoding *d, struct op *out, int index)
{
    if (!ptx_has(d->in, "sync"))
        return true;
    if (d->in->operand_count <= index)
        return decode_fails(d, "it has no member mask");
    out->kind = OP_SYNCED;
    out->members = decode_value(d, &d->in->operands[index], TYPE_B32);
    return out->members != 0;
}

static bool decode_shfl(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (in->operand_count < 4)
        return decode_fails(d, "it has too few operands");
    out->sub = ptx_has(in, "up")     ? SHUFFLE_UP
               : ptx_has(in, "down") ? SHUFFLE_DOWN
               : ptx_has(in, "bfly") ? SHUFFLE_XOR
                                     : SHUFFLE_INDEX;
    out->a = decode_value(d, &in->operands[1], TYPE_B32);
    out->b = decode_value(d, &in->operands[2], TYPE_B32);
    out->c = decode_value(d, &in->operands[3], TYPE_B32);
    out->run = shuffle;
    return out->a && out->b && out->c && decode_pair(d, &in->operands[0], &out->d, &out->e) &&
           decode_members(d, out, 4);
}

// ---- vote, activemask -----------------------------------------------------------------------------------------------------

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static void vote(struct warp *warp, const struct op *op)
{
    // imm is XORed with the predicate: all ones for !p and, without a register, for the constant true.
    uint32_t yes = (op->a ? ROWP(warp, op->a) : 0) ^ (uint32_t)op->imm;
    EACH_GROUP(group, warp, op)
    {
        uint32_t ayes = yes & group;
        if (op->sub == VOTE_BALLOT)
            give(warp, op->d, group, ayes);
        else
            give_predicate(warp, op->d, group,
                           op->sub == VOTE_ANY ? ayes != 0
                                               : ayes == group || (op->sub == VOTE_UNI && ayes == 0));
    }
}

static bool decode_vote(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (in->operand_count < 2)
        return decode_fails(d, "it has too few operands");
    const struct ptx_operand *question = &in->operands[1];
    out->sub = ptx_has(in, "all")   ? VOTE_ALL
               : ptx_has(in, "any") ? VOTE_ANY
               : ptx_has(in, "uni") ? VOTE_UNI
                                    : VOTE_BALLOT;
    bool yes = question->negated;
    if (question->kind == OPERAND_IMMEDIATE)
        yes = (question->bits != 0) != question->negated;
    else if (!(out->a = decode_predicate(d, question)))
        return false;
    out->imm = yes ? FULL_MASK : 0;
    out->d = out->sub == VOTE_BALLOT ? decode_destination(d, &in->operands[0], TYPE_B32)
                                     : decode_predicate(d, &in->operands[0]);
    out->run = vote;
    return out->d && decode_members(d, out, 2);
}

static void active_mask(struct warp *warp, const struct op *op)
{
    give(warp, op->d, warp->active, warp->active);
}

static bool decode_activemask(struct decoding *d, struct op *out)
{
    if (d->in->operand_count < 1)
        return decode_fails(d, "it has too few operands");
    out->d = decode_destination(d, &d->in->operands[0], TYPE_B32);
    out->run = active_mask;
    return out->d != 0;
}

// ---- match ------------------------------------------------------------------------------------------------------------------

enum { MATCH_ANY, MATCH_ALL };

static uint32_t lanes_like(const struct warp *warp, const struct op *op, int lane)
{
    uint32_t like = 0;
    if (op->wide) {
        const uint64_t *a = ROW64(warp, op->a);
        for (int i = 0; i < LANES; i++)
            like |= (uint32_t)(a[i] == a[lane]) << i;
    } else {
        const uint32_t *a = ROW32(warp, op->a);
        for (int i = 0; i < LANES; i++)
            like |= (uint32_t)(a[i] == a[lane]) << i;
    }
    return like;
}

static void match(struct warp *warp, const struct op *op)
{
    uint32_t found[LANES];
    uint32_t everyone = 0;
    EACH_GROUP(group, warp, op)
    {
        bool all = (lanes_like(warp, op, first_of(group)) & group) == group;
        everyone |= all ? group : 0;
        for (uint32_t left = group; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            found[lane] = op->sub == MATCH_ANY ? lanes_like(warp, op, lane) & group : all ? group : 0;
        }
    }
    for (uint32_t left = warp->active; left; left &= left - 1)
        ROW32(warp, op->d)[__builtin_ctz(left)] = found[__builtin_ctz(left)];
    if (op->e)
        set_predicate(warp, op->e, everyone);
}

static bool decode_match(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    enum ptx_type type = in->type_count ? in->types[0] : TYPE_B32;
    if (in->operand_count < 2 || (type != TYPE_B32 && type != TYPE_B64))
        return decode_fails(d, "it matches values of 32 or 64 bits");
    out->sub = ptx_has(in, "any") ? MATCH_ANY : MATCH_ALL;
    out->wide = type == TYPE_B64;
    out->a = decode_value(d, &in->operands[1], type);
    out->run = match;
    return out->a && decode_pair(d, &in->operands[0], &out->d, &out->e) && decode_members(d, out, 2);
}

// ---- redux, elect --------------------------------------------------------------------------------------------------------------

enum {
    REDUCE_ADD,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_MIN_U,
    REDUCE_MAX_U,
    REDUCE_MIN_S,
    REDUCE_MAX_S
};

static uint32_t combine(unsigned how, uint32_t x, uint32_t y)
{
    switch (how) {
    case REDUCE_ADD:
        return x + y;
    case REDUCE_AND:
        return x & y;
    case REDUCE_OR:
        return x | y;
    case REDUCE_XOR:
        return x ^ y;
    case REDUCE_MIN_U:
        return y < x ? y : x;
    case REDUCE_MAX_U:
        return y > x ? y : x;
    case REDUCE_MIN_S:
        return (int32_t)y < (int32_t)x ? y : x;
    default:
        return (int32_t)y > (int32_t)x ? y : x;
    }
}

static void reduce(struct warp *warp, const struct op *op)
{
    EACH_GROUP(group, warp, op)
    {
        const uint32_t *a = ROW32(warp, op->a);
        uint32_t all = a[first_of(group)];
        for (uint32_t left = group & (group - 1); left; left &= left - 1)
            all = combine(op->sub, all, a[__builtin_ctz(left)]);
        give(warp, op->d, group, all);
    }
}

static bool decode_redux(struct decoding *d, struct op *out)
{
    static const struct {
        const char *name;
        enum ptx_type type;
        uint16_t how;
    } all[] = { { "add", TYPE_U32, REDUCE_ADD },   { "add", TYPE_S32, REDUCE_ADD },
                { "and", TYPE_B32, REDUCE_AND },   { "or", TYPE_B32, REDUCE_OR },
                { "xor", TYPE_B32, REDUCE_XOR },   { "min", TYPE_U32, REDUCE_MIN_U },
                { "max", TYPE_U32, REDUCE_MAX_U }, { "min", TYPE_S32, REDUCE_MIN_S },
                { "max", TYPE_S32, REDUCE_MAX_S } };
    const struct ptx_instruction *in = d->in;
    if (in->operand_count < 3 || !in->type_count)
        return decode_fails(d, "it has too few operands");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (ptx_has(in, all[i].name) && in->types[0] == all[i].type) {
            out->sub = all[i].how;
            out->a = decode_value(d, &in->operands[1], TYPE_B32);
            out->d = decode_destination(d, &in->operands[0], TYPE_B32);
            out->run = reduce;
            return out->a && out->d && decode_members(d, out, 2);
        }
    return decode_fails(d, "this reduction is not known");
}

static void elect(struct warp *warp, const struct op *op)
{
    EACH_GROUP(group, warp, op)
    {
        int leader = first_of(group);
        if (op->d)
            give(warp, op->d, group, (uint32_t)leader);
        if (op->e)
            ROWP(warp, op->e) = (ROWP(warp, op->e) & ~group) | 1u << leader;
    }
}

static bool decode_elect(struct decoding *d, struct op *out)
{
    if (d->in->operand_count < 2)
        return decode_fails(d, "it has too few operands");
    out->run = elect;
    return decode_pair(d, &d->in->operands[0], &out->d, &out->e) && decode_members(d, out, 1);
}

const struct decoder lanes_exchange_decoders[] = { { "shfl", decode_shfl },
                                                   { "vote", decode_vote },
                                                   { "match", decode_match },
                                                   { "activemask", decode_activemask },
                                                   { "redux", decode_redux },
                                                   { "elect", decode_elect },
                                                   { NULL, NULL } };
