// Moves: mov of registers, immediates, special registers and addresses, packing and unpacking of vectors, and
// conversions between address spaces (cvta, isspacep), which add or subtract the base of a window.
#include "engine/sim/lanes/lanes.h"

LANES_1(mov_u16, u16, u16, a)
LANES_1(mov_u32, u32, u32, a)
LANES_1(mov_u64, u64, u64, a)
LANES_1(mov_widened, u64, u32, a)
LANES_1(mov_narrowed, u32, u64, a)
static void mov_pred(struct warp *w, const struct op *op)
{
    set_predicate(w, op->d, ROWP(w, op->a));
}
static void mov_pred_constant(struct warp *w, const struct op *op)
{
    set_predicate(w, op->d, op->imm ? FULL_MASK : 0);
}
static void mov_explicit(struct warp *w, const struct op *op) // %is_explicit_cluster
{
    const struct machine *m = w->block->machine;
    set_predicate(w, op->d, m->launch->cluster[0] || m->kernel->from->cluster[0] ? FULL_MASK : 0);
}

// ---- clocks ----------------------------------------------------------------------------------------------

// The clock counts the warp's instructions. Each read advances it, so that a loop that waits for a certain time ends.
enum { CLOCK_STEP = 20, CLOCK_LOW = 1, CLOCK_HIGH, CLOCK_WHOLE };
static void mov_clock(struct warp *w, const struct op *op)
{
    const uint64_t now = w->clock += CLOCK_STEP;
    if (op->sub == CLOCK_WHOLE) {
        LANES_EACH(u64, , now)
    } else {
        LANES_EACH(u32, , op->sub == CLOCK_HIGH ? now >> 32 : now)
    }
}
static int clock_part(const struct ptx_operand *operand)
{
    static const struct {
        const char *name;
        int part;
    } clocks[] = { { "clock", CLOCK_LOW },          { "clock_hi", CLOCK_HIGH },
                   { "clock64", CLOCK_WHOLE },      { "globaltimer", CLOCK_WHOLE },
                   { "globaltimer_lo", CLOCK_LOW }, { "globaltimer_hi", CLOCK_HIGH } };
    if (operand->kind != OPERAND_SPECIAL || !operand->name)
        return 0;
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++)
        if (!strcmp(operand->name + (operand->name[0] == '%'), clocks[i].name))
            return clocks[i].part;
    return 0;
}

// ---- vectors ---------------------------------------------------------------------------------------------

// op->rows are the rows of the parts, of op->bytes each, the lowest first; row 0: the part is discarded. The whole is
// op->a or op->d.
static void pack_32_32(struct warp *w, const struct op *op)
{
    const row_u32 *const ra = LANES_ROW(u32, op->a), *const rb = LANES_ROW(u32, op->b);
    LANES_EACH(u64, LET(u32, a, ra); LET(u32, b, rb), (uint64_t)b << 32 | a)
}
static void pack(struct warp *w, const struct op *op)
{
    const unsigned bits = 8u * op->bytes;
    uint64_t whole[LANES] = { 0 };
    for (int part = 0; part < op->parts; part++) {
        const row_u32 *const r = LANES_ROW(u32, op->rows[part]);
        for (int i = 0; i < LANES; i++)
            whole[i] |= (uint64_t)(r[i] & 0xffffffffu >> (32 - bits)) << part * bits;
    }
    if (op->parts * bits == 64) {
        LANES_EACH(u64, , whole[i])
    } else {
        LANES_EACH(u32, , whole[i])
    }
}
static void put_part(struct warp *w, const struct op *op, const uint64_t *whole, unsigned from, unsigned bits)
{
    LANES_EACH(u32, , (uint32_t)(whole[i] >> from) & 0xffffffffu >> (32 - bits))
}
static void unpack(struct warp *w, const struct op *op)
{
    const unsigned bits = 8u * op->bytes;
    uint64_t whole[LANES];
    for (int i = 0; i < LANES; i++)
        whole[i] = op->parts * bits == 64 ? LANES_ROW(u64, op->a)[i] : LANES_ROW(u32, op->a)[i];
    for (int part = 0; part < op->parts; part++) {
        const struct op to = { .d = op->rows[part] };
        if (to.d)
            put_part(w, &to, whole, part * bits, bits);
    }
}

static enum ptx_type bits_type(unsigned bytes)
{
    return bytes == 1 ? TYPE_B8 : bytes == 2 ? TYPE_B16 : bytes == 4 ? TYPE_B32 : TYPE_B64;
}
static bool decode_vector(struct decoding *d, struct op *out, const struct ptx_operand *vector, bool packs)
{
    const unsigned bytes = type_bytes(d->in->types[0]);
    const unsigned count = vector->part_count > 0 ? (unsigned)vector->part_count : 1;
    const struct ptx_operand *whole = &d->in->operands[packs ? 0 : 1];
    row *rows = arena_take(d->module->arena, count * sizeof *rows);
    if (!rows)
        return decode_fails(d, "there is not enough memory");
    if (bytes > 8 || bytes % count || bytes / count > 4)
        return decode_fails(d, "a vector of this shape is not known");
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *part = &vector->parts[i];
        if (packs)
            rows[i] = decode_value(d, part, bits_type(bytes / count));
        else
            rows[i] = part->kind == OPERAND_SINK ? 0 : decode_destination(d, part, bits_type(bytes / count));
    }
    out->rows = rows;
    out->parts = (uint8_t)count;
    out->bytes = (uint8_t)(bytes / count);
    if (packs)
        out->d = decode_destination(d, whole, bits_type(bytes));
    else
        out->a = decode_value(d, whole, bits_type(bytes));
    out->run = packs ? pack : unpack;
    if (packs && count == 2 && bytes == 8) {
        out->run = pack_32_32;
        out->a = rows[0];
        out->b = rows[1];
    }
    return !d->trouble;
}

// ---- mov -------------------------------------------------------------------------------------------------

static bool decode_predicate_move(struct decoding *d, struct op *out)
{
    const struct ptx_operand *from = &d->in->operands[1];
    out->d = decode_predicate(d, &d->in->operands[0]);
    out->run = mov_explicit;
    if (from->kind == OPERAND_SPECIAL && strstr(from->name, "is_explicit_cluster"))
        return !d->trouble;
    out->run = mov_pred_constant;
    out->imm = from->bits;
    if (from->kind == OPERAND_IMMEDIATE)
        return !d->trouble;
    out->run = mov_pred;
    out->a = decode_predicate(d, from);
    return from->negated ? decode_fails(d, "this predicate cannot be negated") : !d->trouble;
}
static bool decode_mov(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    const enum ptx_type type = in->type_count ? in->types[0] : TYPE_NONE;
    const unsigned bytes = type_bytes(type);
    if (in->operand_count != 2)
        return decode_fails(d, "it has the wrong number of operands");
    if (type == TYPE_PRED)
        return decode_predicate_move(d, out);
    if (bytes != 2 && bytes != 4 && bytes != 8)
        return decode_fails(d, "this form of it is not known");
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR)
        return decode_vector(d, out, to->kind == OPERAND_VECTOR ? to : from, from->kind == OPERAND_VECTOR);
    out->d = decode_destination(d, to, type);
    out->sub = (uint16_t)clock_part(from);
    if (out->sub) {
        out->run = mov_clock;
        out->sub = bytes == 8 ? CLOCK_WHOLE : out->sub == CLOCK_WHOLE ? CLOCK_LOW : out->sub;
        return !d->trouble;
    }
    // Rows of special registers hold 32 bits, of %gridid 64, whatever width the instruction reads.
    const bool special = from->kind == OPERAND_SPECIAL;
    const bool whole = special && strstr(from->name, "gridid");
    const bool widens = special && !whole && bytes == 8, narrows = whole && bytes < 8;
    out->run = widens       ? mov_widened
               : narrows    ? mov_narrowed
               : bytes == 8 ? mov_u64
               : bytes == 4 ? mov_u32
                            : mov_u16;
    out->a = decode_value(d, from, widens ? TYPE_U32 : narrows ? TYPE_U64 : type);
    return !d->trouble;
}

// ---- address spaces ----------------------------------------------------------------------------------------

// imm is the base of the window.
LANES_1(cvta_u64, u64, u64, a)
LANES_1(cvta_window, u64, u64, a + op->imm + w->block->apart)
LANES_1(cvta_to_window, u64, u64, a - op->imm - w->block->apart)
// ---- shared memory of the blocks of a cluster ----

static const uint64_t in_block = (1u << CLUSTER_BITS) - 1;
static uint64_t to_generic(const struct block *block, uint64_t address, uint32_t rank)
{
    return SHARED_WINDOW + cluster_apart(block, rank) + (address & OFFSETS);
}
static uint64_t from_generic(const struct block *block, uint64_t address)
{
    const uint32_t rank = cluster_rank(block, address, true);
    const uint64_t offset = address - SHARED_WINDOW - cluster_apart(block, rank);
    return rank == block->rank ? offset : offset | ((uint64_t)rank + 1) << CLUSTER_BITS;
}
LANES_2(mapa_generic, u64, u64, u32, a >> 56 == SHARED_WINDOW >> 56 ? to_generic(w->block, a, b) : a)
LANES_2(mapa_u32, u32, u32, u32, (uint32_t)(a &in_block) | (b + 1) << CLUSTER_BITS)
LANES_2(mapa_u64, u64, u64, u32, (a & in_block) | ((uint64_t)b + 1) << CLUSTER_BITS)
LANES_1(rank_generic, u32, u64, cluster_rank(w->block, a, true))
LANES_1(rank_u32, u32, u32, cluster_rank(w->block, a, false))
LANES_1(rank_u64, u32, u64, cluster_rank(w->block, a, false))
LANES_1(cvta_cluster, u64, u64, to_generic(w->block, a &in_block, cluster_rank(w->block, a, false)))
LANES_1(cvta_to_cluster, u64, u64, from_generic(w->block, a))
static bool decode_mapa(struct decoding *d, struct op *out)
{
    const bool wide = d->in->type_count && type_bytes(d->in->types[0]) == 8;
    const bool rank = d->in->base[0] == 'g', generic = !ptx_has(d->in, "shared::cluster");
    if (!d->in->type_count || (generic && !wide))
        return decode_fails(d, "this form of it is not known");
    out->run = rank ? (generic ? rank_generic
                       : wide  ? rank_u64
                               : rank_u32)
                    : (generic ? mapa_generic
                       : wide  ? mapa_u64
                               : mapa_u32);
    return lanes_operands(d, out, rank ? "ut" : "ttu");
}

static uint64_t window_of(const struct ptx_instruction *in)
{
    static const struct {
        const char *name;
        uint64_t window;
    } windows[] = { { "shared", SHARED_WINDOW },
                    { "shared::cta", SHARED_WINDOW },
                    { "shared::cluster", SHARED_WINDOW },
                    { "local", LOCAL_WINDOW } };
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        if (ptx_has(in, windows[i].name))
            return windows[i].window;
    return 0;
}
static bool decode_cvta(struct decoding *d, struct op *out)
{
    const unsigned bytes = d->in->type_count ? type_bytes(d->in->types[0]) : 0;
    const bool wide = bytes == 8;
    const uint64_t window = window_of(d->in);
    if (bytes != 4 && bytes != 8)
        return decode_fails(d, "this form of it is not known");
    out->run = !wide ? mov_u32 : !window ? cvta_u64 : ptx_has(d->in, "to") ? cvta_to_window : cvta_window;
    out->imm = window;
    if (wide && ptx_has(d->in, "shared::cluster"))
        out->run = ptx_has(d->in, "to") ? cvta_to_cluster : cvta_cluster;
    return lanes_operands(d, out, "tt");
}

// shared, or shared::cta: the block's own, and not what another block of its cluster has.
static void isspacep_own(struct warp *w, const struct op *op)
{
    const row_u64 *const ra = LANES_ROW(u64, op->a);
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (uint32_t)(ra[i] >> 56 == SHARED_WINDOW >> 56 &&
                           cluster_rank(w->block, ra[i], true) == w->block->rank)
                << i;
    set_predicate(w, op->d, bits);
}
// An address's top byte tells its window.
static void isspacep_window(struct warp *w, const struct op *op)
{
    const row_u64 *const ra = LANES_ROW(u64, op->a);
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (uint32_t)(ra[i] >> 56 == op->imm >> 56) << i;
    set_predicate(w, op->d, bits);
}
// Global and constant memory have no window; the allocation tells which of them it is.
static void isspacep_allocation(struct warp *w, const struct op *op)
{
    const row_u64 *const ra = LANES_ROW(u64, op->a);
    const struct sim_memory *memory = w->block->machine->memory;
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++) {
        const uint64_t number = ra[i] >> OFFSET_BITS;
        const bool constant = number < memory->count && memory->allocations[number].constant;
        const bool window = ra[i] >= LOCAL_WINDOW;
        bits |= (uint32_t)(!window && constant == (op->sub != 0)) << i;
    }
    set_predicate(w, op->d, bits);
}
static bool decode_isspacep(struct decoding *d, struct op *out)
{
    if (d->in->operand_count != 2 || decode_width(d, &d->in->operands[1]) != 8)
        return decode_fails(d, "it needs a predicate and an address of 64 bits");
    const bool param = ptx_has(d->in, "param") || ptx_has(d->in, "param::entry");
    out->imm = param ? PARAM_WINDOW : window_of(d->in); // cvta leaves a parameter's address as mov gives it
    out->run = !out->imm                                                         ? isspacep_allocation
               : out->imm == SHARED_WINDOW && !ptx_has(d->in, "shared::cluster") ? isspacep_own
                                                                                 : isspacep_window;
    out->sub = ptx_has(d->in, "const");
    out->d = decode_predicate(d, &d->in->operands[0]);
    out->a = decode_value(d, &d->in->operands[1], TYPE_U64);
    return !d->trouble;
}

const struct decoder LANES_TABLE(lanes_move_decoders)[] = {
    { "mov", decode_mov },         { "cvta", decode_cvta },         { "mapa", decode_mapa },
    { "getctarank", decode_mapa }, { "isspacep", decode_isspacep }, { NULL, NULL },
};
