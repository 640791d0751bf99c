// Barriers in shared memory (mbarrier), and what completes on them: bulk copies (cp.async.bulk in one dimension) and
// asynchronous stores and reductions (st.async, red.async), which may be in another block of the cluster, as its barriers.
//
// An mbarrier is 64 bits that a program may not look into: the arrivals that each phase expects, those that the running phase
// still waits for, the bytes that are announced less those that came, and the parity of the phase. The simulator copies at
// once; what comes too early is found by the sanitizer.
#include "engine/sim/access/access.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

enum { COUNT_BITS = 20, BYTES_BITS = 22, MOST_COUNT = (1 << COUNT_BITS) - 1 };
#define VALID (1ull << 62)
#define ODD (1ull << 63)
struct phase_barrier {
    uint32_t expected, pending;
    int32_t bytes; // announced and not yet come; less than 0: more came
    bool odd, valid;
};

static struct phase_barrier unpacked(uint64_t bits)
{
    const uint32_t bytes = (uint32_t)(bits >> 2 * COUNT_BITS) & ((1u << BYTES_BITS) - 1);
    return (struct phase_barrier){ .expected = (uint32_t)bits & MOST_COUNT,
                                   .pending = (uint32_t)(bits >> COUNT_BITS) & MOST_COUNT,
                                   .bytes = (int32_t)(bytes << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
                                   .odd = (bits & ODD) != 0,
                                   .valid = (bits & VALID) != 0 };
}

static uint64_t packed(const struct phase_barrier *b)
{
    const uint64_t pending = b->pending, bytes = (uint32_t)b->bytes & ((1u << BYTES_BITS) - 1);
    return b->expected | pending << COUNT_BITS | bytes * (1ull << 2 * COUNT_BITS) | (b->valid ? VALID : 0) |
           (b->odd ? ODD : 0);
}

// ---- one lane's barrier ------------------------------------------------------------------------------------------------

struct barrier_spot {
    struct warp *warp;
    const struct op *op;
    int lane;
    struct block *block; // in whose shared memory it is
    uint64_t at;         // there
    struct phase_barrier barrier;
};

// The block of the cluster that an address in shared memory is in; the address becomes an offset there. NULL: there is no such
// block, which is reported.
static struct block *shared_block(struct warp *warp, const struct op *op, int lane, uint64_t *address)
{
    struct block *own = warp->block;
    const bool generic = address_space(*address) == SPACE_SHARED && *address >> OFFSET_BITS;
    const uint32_t rank = cluster_rank(own, *address, generic);
    *address -= generic ? SHARED_WINDOW + cluster_apart(own, rank) : *address >> CLUSTER_BITS << CLUSTER_BITS;
    if (rank < own->machine->cluster_size)
        return rank == own->rank ? own : block_peer(own, rank);
    address_report_no_block(warp, op, 1u << lane, rank);
    return NULL;
}

// The first warp of a block stands for the block where another block's warp does something to it.
static struct warp *seen_in(struct warp *warp, struct block *block)
{
    return block == warp->block ? warp : &block->warps[0];
}

static void report(const struct barrier_spot *s, const char *what)
{
    struct finding_report report = { .kind = SIM_BARRIER,
                                     .severity = SIM_ERROR,
                                     .op = s->op,
                                     .lane = s->lane,
                                     .space = "shared",
                                     .address = s->at };
    char who[80];
    if (!finding_repeats(s->warp, &report))
        finding_add(s->warp, &report, "%s %s", finding_name_lane(s->warp, s->lane, who), what);
}

// False: there is no barrier at this address, which is reported.
static bool spot_find(struct barrier_spot *s, uint64_t address, bool must_be_valid)
{
    uint64_t at[LANES] = { 0 };
    s->block = shared_block(s->warp, s->op, s->lane, &address);
    s->at = at[s->lane] = address;
    if (!s->block)
        return false;
    if (s->at % 8) {
        finding_misaligned(s->warp, s->op, SPACE_SHARED, at, 1u << s->lane, 8, true);
        return false;
    }
    const size_t room = s->block->shared_bytes;
    if (room < 8 || s->at > room - 8) {
        finding_out_of_bounds(s->warp, s->op, SPACE_SHARED, at, 1u << s->lane, 8, true);
        return false;
    }
    uint64_t bits;
    memcpy(&bits, s->block->shared + s->at, sizeof bits);
    s->barrier = unpacked(bits);
    if (must_be_valid && !s->barrier.valid)
        report(s, s->block == s->warp->block
                      ? "uses an mbarrier that was not initialised. Let one thread run mbarrier.init, then "
                        "all meet "
                        "at __syncthreads()."
                      : "uses an mbarrier of another block that was not initialised. Let one thread of each "
                        "block run "
                        "mbarrier.init and fence.mbarrier_init, then all meet at a barrier of the cluster.");
    return s->barrier.valid || !must_be_valid;
}

// A phase ends when nobody and nothing is awaited any more; the next one begins.
static void spot_keep(struct barrier_spot *s)
{
    struct phase_barrier *b = &s->barrier;
    if (b->valid && !b->pending && b->bytes < 0)
        report(
            s,
            "makes the last arrival of a phase that can never complete: a bulk copy has brought bytes that "
            "no "
            "expect_tx has announced. Arrive by mbarrier.arrive.expect_tx, with the copy's number of bytes.");
    const bool completes = b->valid && !b->pending && !b->bytes;
    if (completes) {
        b->odd = !b->odd;
        b->pending = b->expected;
    }
    const uint64_t bits = packed(b);
    memcpy(s->block->shared + s->at, &bits, sizeof bits);
    if (completes && checks_are_on(s->warp))
        mbarrier_completes(seen_in(s->warp, s->block), s->at);
}

// ---- mbarrier ------------------------------------------------------------------------------------------------------------

enum { INIT, INVAL, ARRIVE, DROP, EXPECT, ARRIVE_EXPECT, COMPLETE, ARRIVE_COPIES, ARRIVE_COPIES_MORE };

static void arrive(struct barrier_spot *s, uint32_t count)
{
    if (count > s->barrier.pending) {
        report(
            s,
            "arrives at an mbarrier more often than the phase expects: mbarrier.init says how many arrivals "
            "there are.");
        count = s->barrier.pending;
    }
    if (checks_are_on(s->warp))
        mbarrier_arrives(s->warp, s->block, s->at);
    s->barrier.pending -= count;
}

static void act(struct barrier_spot *s, uint32_t value)
{
    struct phase_barrier *b = &s->barrier;
    switch (s->op->sub) {
    case INIT:
        *b = (struct phase_barrier){ .expected = value & MOST_COUNT,
                                     .pending = value & MOST_COUNT,
                                     .valid = true };
        if (checks_are_on(s->warp))
            mbarrier_starts(s->warp, s->at);
        break;
    case INVAL:
        *b = (struct phase_barrier){ 0 };
        break;
    case ARRIVE:
        arrive(s, value);
        break;
    case DROP:
        b->expected -= value < b->expected ? value : b->expected;
        arrive(s, value);
        break;
    case EXPECT:
        b->bytes += (int32_t)value;
        break;
    case ARRIVE_EXPECT:
        b->bytes += (int32_t)value;
        arrive(s, 1);
        break;
    case COMPLETE:
        b->bytes -= (int32_t)value;
        break;
    case ARRIVE_COPIES:
        arrive(s, 1);
        break;
    default: // it was counted in before
        break;
    }
    spot_keep(s);
}

static void change(struct warp *warp, const struct op *op)
{
    uint64_t at[LANES];
    address_compute(warp, op, at);
    if (op->sub >= ARRIVE_COPIES && checks_are_on(warp))
        async_copy_waits(warp, op, true, 0);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        struct barrier_spot s = { .warp = warp, .op = op, .lane = __builtin_ctz(left) };
        if (!spot_find(&s, at[s.lane], op->sub != INIT))
            continue;
        if (op->sub <= INVAL && s.block != warp->block) {
            report(&s, "initialises or ends an mbarrier of another block. Let a thread of that block do it.");
            continue;
        }
        const uint64_t before = packed(&s.barrier);
        act(&s, op->b ? ROW32(warp, op->b)[s.lane] : 1);
        if (op->d)
            ROW64(warp, op->d)[s.lane] = before;
    }
}

enum { BY_STATE, BY_PARITY }; // op->sub of a test

// Whether the phase of a state, or of a parity, is over.
static void test(struct warp *warp, const struct op *op)
{
    uint64_t at[LANES];
    uint32_t over = 0;
    address_compute(warp, op, at);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        struct barrier_spot s = { .warp = warp, .op = op, .lane = __builtin_ctz(left) };
        if (!spot_find(&s, at[s.lane], true)) {
            over |= 1u << s.lane;
            continue;
        }
        if (s.block != warp->block) {
            report(&s, "waits for an mbarrier of another block. A thread can only wait for those of its own "
                       "block; let the other block arrive at one of these.");
            over |= 1u << s.lane;
            continue;
        }
        const bool odd =
            op->sub == BY_STATE ? ROW64(warp, op->b)[s.lane] >> 63 : ROW32(warp, op->b)[s.lane] & 1;
        if (s.barrier.odd == odd)
            continue;
        over |= 1u << s.lane;
        if (checks_are_on(warp))
            mbarrier_waited(warp, s.at);
    }
    set_predicate(warp, op->d, over);
    warp->yields = over == 0;
}

static void pending_count(struct warp *warp, const struct op *op)
{
    uint32_t *d = ROW32(warp, op->d);
    const uint64_t *a = ROW64(warp, op->a);
    EACH_LANE(warp, d, (uint32_t)(a[i] >> COUNT_BITS) & MOST_COUNT);
}

// ---- bulk copies -------------------------------------------------------------------------------------------------------

struct bulk { // what op->bulk points to
    struct op to, from, barrier;
    row size, blocks; // `blocks`: the mask of those that it goes to; 0: to one
    bool loads;       // to shared memory, and a barrier
    combiner combine; // of a reduction; NULL: it copies
    unsigned part;    // bytes of an element
};
struct store { // what op->store points to
    struct op to, barrier;
    row values[4];
    unsigned part;    // bytes
    combiner combine; // NULL: it stores
};

// Bytes of one lane, on one side of a copy.
struct stretch {
    enum ptx_space space;
    struct block *block; // of shared memory
    uint64_t at;
    uint32_t size;
    bool write;
};

// The host's memory; NULL: it is not there or not aligned, which is reported.
static unsigned char *stretch_find(struct warp *warp, const struct op *op, int lane, struct stretch *s,
                                   uint32_t aligned)
{
    uint64_t all[LANES] = { 0 };
    s->block = warp->block;
    if (s->space == SPACE_SHARED)
        s->block = shared_block(warp, op, lane, &s->at);
    all[lane] = s->at;
    if (!s->block)
        return NULL;
    if (s->at % aligned || s->size % aligned)
        finding_misaligned(warp, op, s->space, all, 1u << lane, aligned, s->write);
    else if (s->size) {
        unsigned char *host = address_range(seen_in(warp, s->block), s->space, s->at, s->size, s->write);
        if (!host)
            finding_out_of_bounds(warp, op, s->space, all, 1u << lane, s->size < 128 ? s->size : 128,
                                  s->write);
        return host;
    }
    return NULL;
}

static void stretch_check(struct warp *warp, const struct op *op, int lane, const struct stretch *s,
                          bool atomic)
{
    uint64_t at[LANES] = { 0 };
    const uint32_t each = s->size < 16 ? s->size : 16;
    for (uint32_t done = 0; done < s->size; done += each) {
        at[lane] = s->at + done;
        const struct touched touched = { .op = op,
                                         .space = s->space,
                                         .address = at,
                                         .mask = 1u << lane,
                                         .bytes = each,
                                         .read = !s->write || atomic,
                                         .write = s->write,
                                         .atomic = atomic,
                                         .parts = 1,
                                         .bulk = true,
                                         .block = s->block == warp->block ? NULL : s->block };
        checks_access(warp, &touched);
    }
}

// The bytes come to a barrier of the block that they are in.
static void complete(struct barrier_spot *s, uint32_t bytes)
{
    s->barrier.bytes -= (int32_t)bytes;
    if (checks_are_on(s->warp))
        mbarrier_arrives(s->warp, s->block, s->at);
    spot_keep(s);
}

static void must_be_together(const struct barrier_spot *s, const struct block *block)
{
    if (s->block != block)
        report(s, "names bytes in one block and an mbarrier in another. The barrier has to be where the "
                  "bytes go to.");
}

static void reduce(const struct bulk *bulk, unsigned char *target, const unsigned char *source, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += bulk->part) {
        uint64_t value = 0;
        memcpy(&value, source + at, bulk->part);
        atomic_apply(target + at, bulk->part, bulk->combine, value);
    }
}

// A hint that changes nothing.
static void prefetch(struct warp *warp, const struct op *op)
{
}

// The copy of one lane to one block; `rank` is not 0: to the block of that rank less 1, by multicast.
static void bulk_to(struct warp *warp, const struct op *op, int lane, uint32_t rank)
{
    const struct bulk *bulk = op->bulk;
    const uint32_t size = ROW32(warp, bulk->size)[lane];
    uint64_t from_at[LANES], to_at[LANES], barrier_at[LANES];
    address_compute(warp, &bulk->from, from_at);
    address_compute(warp, &bulk->to, to_at);
    address_compute(warp, &bulk->barrier, barrier_at);
    struct stretch from = { .space = (enum ptx_space)bulk->from.space, .at = from_at[lane], .size = size };
    struct stretch to = {
        .space = (enum ptx_space)bulk->to.space, .at = to_at[lane], .size = size, .write = true
    };
    if (rank) { // where the same offsets lie there
        struct block *named = shared_block(warp, op, lane, &to.at);
        named = named ? shared_block(warp, op, lane, &barrier_at[lane]) : NULL;
        if (!named)
            return;
        to.at |= (uint64_t)rank << CLUSTER_BITS;
        barrier_at[lane] |= (uint64_t)rank << CLUSTER_BITS;
    }
    const unsigned char *source = stretch_find(warp, op, lane, &from, 16);
    unsigned char *target = stretch_find(warp, op, lane, &to, 16);
    struct barrier_spot s = { .warp = warp, .op = op, .lane = lane };
    if (!source || !target || (bulk->loads && !spot_find(&s, barrier_at[lane], true)))
        return;
    if (bulk->loads)
        must_be_together(&s, to.block);
    if (checks_are_on(warp)) {
        stretch_check(warp, op, lane, &from, false);
        stretch_check(warp, op, lane, &to, bulk->combine != NULL);
        bulk_leaves(seen_in(warp, bulk->loads ? to.block : warp->block), op, lane, bulk->loads,
                    bulk->loads ? to.at : from.at, size, s.at);
    }
    if (bulk->combine)
        reduce(bulk, target, source, size);
    else
        memmove(target, source, size);
    if (bulk->loads)
        complete(&s, size);
}

static void bulk_copy(struct warp *warp, const struct op *op)
{
    const struct bulk *bulk = op->bulk;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (!bulk->blocks)
            bulk_to(warp, op, lane, 0);
        for (uint32_t to = bulk->blocks ? ROW32(warp, bulk->blocks)[lane] & 0xffff : 0; to; to &= to - 1)
            bulk_to(warp, op, lane, (uint32_t)__builtin_ctz(to) + 1);
    }
}

// ---- asynchronous stores and reductions ----------------------------------------------------------------------------------

static void store_lane(struct warp *warp, const struct op *op, int lane, uint64_t to_at, uint64_t barrier_at)
{
    const struct store *store = op->store;
    struct stretch to = {
        .space = SPACE_SHARED, .at = to_at, .size = (uint32_t)op->parts * store->part, .write = true
    };
    unsigned char *target = stretch_find(warp, op, lane, &to, to.size);
    struct barrier_spot s = { .warp = warp, .op = op, .lane = lane };
    if (!target || !spot_find(&s, barrier_at, true))
        return;
    must_be_together(&s, to.block);
    if (checks_are_on(warp)) {
        stretch_check(warp, op, lane, &to, store->combine != NULL);
        bulk_leaves(seen_in(warp, to.block), op, lane, true, to.at, to.size, s.at);
    }
    for (unsigned k = 0; k < op->parts; k++) {
        const uint64_t value =
            store->part == 8 ? ROW64(warp, store->values[k])[lane] : ROW32(warp, store->values[k])[lane];
        uint64_t now = 0;
        memcpy(&now, target + k * store->part, store->part);
        now = store->combine ? store->combine(now, value, 0) : value;
        memcpy(target + k * store->part, &now, store->part);
    }
    complete(&s, to.size);
}

static void store_async(struct warp *warp, const struct op *op)
{
    uint64_t to[LANES], barrier[LANES];
    address_compute(warp, &op->store->to, to);
    address_compute(warp, &op->store->barrier, barrier);
    for (uint32_t left = warp->active; left; left &= left - 1)
        store_lane(warp, op, __builtin_ctz(left), to[__builtin_ctz(left)], barrier[__builtin_ctz(left)]);
}

static void bulk_commit(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        bulk_commits(warp);
}

static void bulk_wait(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        bulk_waits(warp, (uint32_t)op->imm);
}

// ---- decoding ----------------------------------------------------------------------------------------------------------

static bool decode_test(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (in->operand_count < 3)
        return decode_fails(d, "it has too few operands");
    out->sub = ptx_has(in, "parity") ? BY_PARITY : BY_STATE;
    out->d = decode_predicate(d, &in->operands[0]);
    out->b = decode_value(d, &in->operands[2], out->sub == BY_STATE ? TYPE_B64 : TYPE_B32);
    out->run = test;
    out->kind = OP_WAITS;
    return out->d && out->b && decode_address(d, &in->operands[1], out);
}

static bool decode_mbarrier(struct decoding *d, struct op *out)
{
    static const struct {
        const char *name;
        uint16_t action;
    } actions[] = { { "init", INIT },     { "inval", INVAL },          { "arrive_drop", DROP },
                    { "arrive", ARRIVE }, { "complete_tx", COMPLETE }, { "expect_tx", EXPECT } };
    const struct ptx_instruction *in = d->in;
    if (ptx_has(in, "test_wait") || ptx_has(in, "try_wait"))
        return decode_test(d, out);
    if (ptx_has(in, "pending_count")) {
        out->run = pending_count;
        out->d = in->operand_count > 1 ? decode_destination(d, &in->operands[0], TYPE_B32) : 0;
        out->a = out->d ? decode_value(d, &in->operands[1], TYPE_B64) : 0;
        return out->a || decode_fails(d, "it has too few operands");
    }
    size_t i = 0;
    while (i < sizeof actions / sizeof *actions && !ptx_has(in, actions[i].name))
        i++;
    if (i == sizeof actions / sizeof *actions)
        return decode_fails(d, "this form of it is not known");
    out->sub = actions[i].action;
    if (out->sub == ARRIVE && ptx_has(in, "expect_tx"))
        out->sub = ARRIVE_EXPECT;
    if (out->sub == DROP && ptx_has(in, "expect_tx"))
        return decode_fails(d, "this form of it is not known");
    const int at = in->operand_count && in->operands[0].kind != OPERAND_MEMORY;
    if (in->operand_count <= at)
        return decode_fails(d, "it has too few operands");
    if (at && in->operands[0].kind != OPERAND_SINK &&
        !(out->d = decode_destination(d, &in->operands[0], TYPE_B64)))
        return false;
    if (in->operand_count > at + 1 && !(out->b = decode_value(d, &in->operands[at + 1], TYPE_B32)))
        return false;
    out->run = change;
    return decode_address(d, &in->operands[at], out);
}

// The ops of the sides live as long as the module, since shadow cells keep pointers to what accessed them.
static bool decode_side(struct decoding *d, struct op *side, int operand, enum ptx_space space)
{
    *side = (struct op){ .space = (uint8_t)space, .bytes = 16, .parts = 1, .high = UINT32_MAX };
    return decode_address(d, &d->in->operands[operand], side);
}

static bool decode_bulk_copy(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const bool loads = ptx_has(in, "mbarrier::complete_tx::bytes"), many = ptx_has(in, "multicast::cluster");
    const bool between = loads && !ptx_has(in, "global"); // from the block's own shared memory
    if (in->operand_count < 3 + loads + many || (between && many) || (!loads && !ptx_has(in, "bulk_group")))
        return decode_fails(d, "this form of bulk copy is not known");
    struct bulk *bulk = arena_take(d->module->arena, sizeof *bulk);
    if (!bulk)
        return decode_fails(d, "there is no memory left");
    *bulk = (struct bulk){ .loads = loads, .size = decode_value(d, &in->operands[2], TYPE_B32) };
    if (ptx_has(in, "reduce") && !(bulk->combine = atomic_combiner(d, &bulk->part)))
        return false;
    if (many && !(bulk->blocks = decode_value(d, &in->operands[4], TYPE_B16)))
        return false;
    out->run = bulk_copy;
    out->bulk = bulk;
    return bulk->size && decode_side(d, &bulk->to, 0, loads ? SPACE_SHARED : SPACE_GLOBAL) &&
           decode_side(d, &bulk->from, 1, loads && !between ? SPACE_GLOBAL : SPACE_SHARED) &&
           (!loads || decode_side(d, &bulk->barrier, 3, SPACE_SHARED));
}

bool mbarrier_decode_store(struct decoding *d, struct op *out, combiner combine)
{
    const struct ptx_instruction *in = d->in;
    const unsigned parts = ptx_parts_of(in), bytes = in->type_count ? type_bytes(in->types[0]) : 0;
    if (in->operand_count < 3 || !ptx_has(in, "mbarrier::complete_tx::bytes") || (bytes != 4 && bytes != 8) ||
        parts > (combine ? 1 : 4))
        return decode_fails(d, "this form of it is not known");
    struct store *store = arena_take(d->module->arena, sizeof *store);
    if (!store)
        return decode_fails(d, "there is no memory left");
    *store = (struct store){ .combine = combine, .part = bytes };
    for (unsigned k = 0; k < parts; k++) {
        const struct ptx_operand *value = &in->operands[1];
        if (parts > 1 && (value->kind != OPERAND_VECTOR || (unsigned)value->part_count != parts))
            return decode_fails(d, "the vector and the instruction differ in their number of parts");
        store->values[k] = decode_value(d, parts > 1 ? &value->parts[k] : value, in->types[0]);
        if (!store->values[k])
            return false;
    }
    out->parts = (uint8_t)parts;
    out->run = store_async;
    out->store = store;
    return decode_side(d, &store->to, 0, SPACE_SHARED) && decode_side(d, &store->barrier, 2, SPACE_SHARED);
}

bool mbarrier_decode_copy(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (ptx_has(in, "tensor"))
        return decode_fails(d, "copies by tensor maps are not known");
    if (ptx_has(in, "mbarrier")) { // cp.async.mbarrier.arrive
        out->sub = ptx_has(in, "noinc") ? ARRIVE_COPIES : ARRIVE_COPIES_MORE;
        out->run = change;
        return in->operand_count && decode_address(d, &in->operands[0], out);
    }
    if (ptx_has(in, "prefetch")) {
        out->run = prefetch;
        return true;
    }
    out->imm = in->operand_count ? in->operands[0].bits : 0;
    out->run = ptx_has(in, "commit_group") ? bulk_commit : ptx_has(in, "wait_group") ? bulk_wait : NULL;
    return out->run || decode_bulk_copy(d, out);
}

const struct decoder mbarrier_decoders[] = { { "mbarrier", decode_mbarrier }, { NULL, NULL } };
