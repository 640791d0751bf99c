// Uninitialised values in memory: a bit per byte of shared memory, of the buffers that start without content and of each
// thread's local memory says whether it is written. A load of an unwritten byte is no finding yet; its value is followed
// through the registers (uninit.c). An undefined value that is stored to shared or local memory waits there: its bytes
// count as unwritten, and the table below keeps which of their bits are undefined and where the value came from, so that
// a finding names the first read and not the last copy.
#include "engine/sim/sanitize/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- bits: one per byte ---------------------------------------------------------------------------------------------

static bool is_written(const uint64_t *bits, uint64_t at)
{
    return bits[at >> 6] >> (at & 63) & 1;
}

// ---- undefined values that wait in shared and local memory, word by word; all of it ends with the block -----------

enum { WORD = 4, STORED_SHIFT = 16, STORED_STEPS = 16 };
struct stored_word {
    uint64_t word;
    struct uninit_source source;
    uint32_t block; // by number in the launch; another one's is a free slot
    uint32_t bits;  // of the word: those that are undefined. Of an unwritten byte with none nothing is known
};
struct stored_words {
    uint32_t block;
    bool any, full; // of this block: something was kept, something found no room
    struct stored_word slot[1 << STORED_SHIFT];
};

void uninit_stored_start(struct checks *checks)
{
    if (!checks->pools.stored_words)
        return;
    checks->pools.stored_words->block++;
    checks->pools.stored_words->any = checks->pools.stored_words->full = false;
}

void uninit_stored_end(struct checks *checks)
{
    budget_give(&checks->machine->memory->budget, checks->pools.stored_words);
}

// Local memory has a word of its own in every thread.
static uint64_t word_at(const struct warp *warp, enum ptx_space space, int lane, uint64_t offset)
{
    uint64_t thread = warp->index * LANES + (uint32_t)lane + 1;
    return (space == SPACE_LOCAL ? thread << 48 : 0) | offset / WORD;
}

// The word's slot, or a free one; NULL: there is no room near.
static struct stored_word *slot_of(struct stored_words *words, uint64_t word)
{
    uint64_t at = (word * 0x9e3779b97f4a7c15ull) >> (64 - STORED_SHIFT);
    for (int step = 0; step < STORED_STEPS; step++) {
        struct stored_word *slot = &words->slot[(at + (unsigned)step) & ((1u << STORED_SHIFT) - 1)];
        if (slot->block != words->block || slot->word == word)
            return slot;
    }
    return NULL;
}

static struct stored_word *find(struct stored_words *words, uint64_t word)
{
    struct stored_word *slot = words && words->any ? slot_of(words, word) : NULL;
    return slot && slot->block == words->block ? slot : NULL;
}

// Keeps the undefined `bits` of the word's bytes in `covers`; those of its other bytes stay.
static bool keep(struct stored_words *words, uint64_t word, uint32_t covers, uint32_t bits,
                 const struct uninit_source *source)
{
    struct stored_word *slot = slot_of(words, word);
    if (!slot) {
        words->full = true;
        return false;
    }
    uint32_t others = slot->block == words->block ? slot->bits & ~covers : 0;
    *slot = (struct stored_word){ word, *source, words->block, others | bits };
    words->any = true;
    return true;
}

// The bits of the word at `at` that lie before the byte `end`.
static uint32_t bits_of_word(uint64_t at, uint64_t end)
{
    unsigned from = at % WORD, to = end - at + from < WORD ? (unsigned)(end - at) + from : WORD;
    return (uint32_t)(bits_below(8 * to) & ~bits_below(8 * from));
}
#define EACH_WORD(at, from, end) for (uint64_t at = from; at < (end); at = (at / WORD + 1) * WORD)

// ---- bits that are undefined in bytes of a buffer that are defined in part -------------------------------------------

// An open hash table of words; it belongs to its buffer.
struct partial_words {
    size_t count, room; // a power of two
    struct partial_word {
        uint64_t word; // its number plus 1; 0: free
        uint32_t bits;
    } slot[];
};

void uninit_partial_drop(struct shadow *range)
{
    budget_give(range->budget, range->partial);
    range->partial = NULL;
}

static struct partial_word *partial_slot(struct partial_words *words, uint64_t word)
{
    size_t at = (size_t)((word * 0x9e3779b97f4a7c15ull) >> 20) & (words->room - 1);
    while (words->slot[at].word && words->slot[at].word != word + 1)
        at = (at + 1) & (words->room - 1);
    return &words->slot[at];
}

static bool partial_grow(struct shadow *range)
{
    struct partial_words *old = range->partial;
    size_t room = old ? 2 * old->room : 64;
    struct partial_words *new =
        budget_take(range->budget, FOR_CHECKS, sizeof *new + room * sizeof *new->slot);
    if (!new)
        return false;
    new->room = room;
    new->count = old ? old->count : 0;
    for (size_t i = 0; old && i < old->room; i++)
        if (old->slot[i].word)
            *partial_slot(new, old->slot[i].word - 1) = old->slot[i];
    range->partial = new;
    budget_give(range->budget, old);
    return true;
}

static bool partial_keep(struct shadow *range, uint64_t word, uint32_t covers, uint32_t bits)
{
    if ((!range->partial || 2 * range->partial->count >= range->partial->room) && !partial_grow(range))
        return false;
    struct partial_word *slot = partial_slot(range->partial, word);
    range->partial->count += slot->word == 0;
    slot->bits = (slot->bits & ~covers) | bits;
    slot->word = word + 1;
    return true;
}

// ---- snapshots -------------------------------------------------------------------------------------------------------

bool uninit_stored_pass(struct checks *c, bool loads, checks_pass *pass, void *context)
{
    struct stored_words *words = c->pools.stored_words;
    uint32_t count = 0;
    for (size_t i = 0; !loads && words && words->any && i < 1 << STORED_SHIFT; i++)
        count += words->slot[i].block == words->block;
    pass(context, &count, sizeof count);
    if (loads)
        uninit_stored_start(c);
    for (size_t i = 0; !loads && words && count && i < 1 << STORED_SHIFT; i++)
        if (words->slot[i].block == words->block)
            pass(context, &words->slot[i], sizeof words->slot[i]);
    for (uint32_t i = 0; loads && words && i < count; i++) {
        struct stored_word one;
        pass(context, &one, sizeof one);
        (void)keep(words, one.word, 0, one.bits, &one.source);
    }
    bool full = words && words->full;
    pass(context, &full, sizeof full);
    if (words)
        words->full = full;
    return true;
}

bool uninit_partial_pass(struct shadow *range, bool loads, checks_pass *pass, void *context)
{
    size_t room = range->partial ? range->partial->room : 0;
    pass(context, &room, sizeof room);
    size_t bytes = sizeof(struct partial_words) + room * sizeof(struct partial_word);
    if (loads) {
        uninit_partial_drop(range);
        range->partial = room ? budget_take(range->budget, FOR_CHECKS, bytes) : NULL;
    }
    if (range->partial)
        pass(context, range->partial, bytes);
    return range->partial || !room;
}

// ---- definedness of a load ---------------------------------------------------------------------------------------

static uint64_t *local_bits(const struct warp_checks *state, int lane)
{
    return state->local + (size_t)lane * (state->local_room / 64);
}

static bool is_local(const struct access *access)
{
    return access->touched->space == SPACE_LOCAL;
}

// NULL: all of it is written.
static uint64_t *written_bits(const struct access *access, int lane)
{
    const struct warp_checks *state = &access->checks->warps[access->warp->index];
    return is_local(access) ? local_bits(state, lane) : access->range->written;
}

static const uint32_t *undefined_word(const struct access *access, uint64_t word, int lane, uint64_t at)
{
    if (access->allocation) {
        struct partial_words *words = access->range->partial;
        struct partial_word *slot = words ? partial_slot(words, word) : NULL;
        return slot && slot->word ? &slot->bits : NULL;
    }
    struct stored_word *slot =
        find(access->checks->pools.stored_words, word_at(access->warp, access->touched->space, lane, at));
    return slot ? &slot->bits : NULL;
}

// The first read of an undefined value: this one, or the read before the value was stored here.
static struct uninit_source source_of(const struct access *access, int lane, unsigned from, unsigned bytes)
{
    const struct touched *t = access->touched;
    struct stored_words *words = access->allocation ? NULL : access->checks->pools.stored_words;
    uint64_t start = offset_of(access, lane) + from;
    EACH_WORD(at, start, start + bytes)
    {
        const struct stored_word *slot = find(words, word_at(access->warp, t->space, lane, at));
        if (slot && slot->bits & bits_of_word(at, start + bytes))
            return slot->source;
    }
    return (struct uninit_source){ .op = t->op,
                                   .address = t->address[lane] + from,
                                   .thread = access->warp->index * LANES + (uint32_t)lane,
                                   .space = t->space,
                                   .vague =
                                       access->allocation ? access->range->copied : words && words->full };
}

uint64_t uninit_in_memory(const struct access *access, int lane, unsigned from, unsigned bytes,
                          struct uninit_source *source)
{
    const uint64_t *written = written_bits(access, lane);
    uint64_t start = offset_of(access, lane) + from, undefined = 0;
    bool any_written = false;
    for (unsigned b = 0; written && b < bytes; b++) {
        uint64_t at = start + b, bits = 255;
        if (is_written(written, at)) {
            any_written = true;
            continue;
        }
        const uint32_t *word = undefined_word(access, at / WORD, lane, at);
        if (word && *word >> 8 * (at % WORD) & 255)
            bits = *word >> 8 * (at % WORD) & 255;
        undefined |= b < 8 ? bits << 8 * b : ~0ull;
    }
    *source = source_of(access, lane, from, bytes);
    source->padding |= is_local(access) && any_written;
    return undefined;
}

// Where the undefined value of one of these lanes came from: preferably of a lane that read it itself.
static const struct uninit_source *source_in(const struct warp *warp, const struct undefined *value,
                                             uint32_t lanes)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct uninit_read *read = &state->reads[value->read % UNINIT_READS];
    if (value->read == 0 || read->number != value->read)
        return &value->source;
    return &read->source[__builtin_ctz(lanes & read->lanes ? lanes & read->lanes : read->lanes)];
}

// ---- the finding -----------------------------------------------------------------------------------------------------

// The thread that uses the value, if another one read it: "and stores", "and thread (3,0,0) stores".
static void say_user(const struct warp *warp, int lane, const struct uninit_source *source, char out[64])
{
    uint32_t id[3];
    warp_thread_of_lane(warp, lane, id);
    snprintf(out, 64, "and");
    if (warp->index * LANES + (uint32_t)lane != source->thread)
        snprintf(out, 64, "and thread (%u,%u,%u)", id[0], id[1], id[2]);
}

// The memory that was read, and why it holds no value.
static void say_read(const struct uninit_source *source, const struct address_name *n, char out[192])
{
    static const char doubtful[] = "holds no value, or one made from memory that no thread has written";
    char line[40];
    if (source->space == SPACE_LOCAL)
        snprintf(out, 192, "local memory that %s, in %s",
                 source->vague ? doubtful : "this thread had never written",
                 finding_say_line(source->op, line));
    else
        snprintf(out, 192, "%s[%lld], which %s", n->buffer[0] ? n->buffer : n->space, (long long)n->element,
                 source->vague ? doubtful : "no thread has written");
}

static const char *say_advice(const struct uninit_source *source, const struct address_name *n)
{
    return source->space == SPACE_LOCAL ? "every element of its array" : n->buffer[0] ? n->buffer : "it";
}

// All uses of one read are one finding, at the first use.
static const struct op *first_use(struct checks *c, const struct uninit_source *source, const struct op *op)
{
    size_t tally = (size_t)source->op->tally;
    if (tally >= c->tallies)
        return op;
    if (!c->first_use[tally])
        c->first_use[tally] = op;
    return c->first_use[tally];
}

void uninit_report(struct warp *warp, const struct op *op, const struct undefined *value, uint32_t lanes,
                   const char *use)
{
    const struct uninit_source *source = source_in(warp, value, lanes);
    struct warp *reader = &warp->block->warps[source->thread / LANES];
    int user = __builtin_ctz(lanes), lane = (int)(source->thread % LANES);
    struct address_name n = { .space = "" };
    struct finding_report report = { .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .lane = lane };
    char name[80], line[40], what[192], user_name[64], where[48] = "";
    op = first_use(warp->checks, source, op);
    if (!source->missing) {
        finding_name_address(warp, source->space, source->address, &n);
        report.kind = SIM_UNINITIALISED;
        report.address = source->address;
    }
    report.op = source->op;
    report.other = op == source->op ? NULL : op;
    report.space = n.space;
    report.buffer = n.buffer;
    report.element = n.element;
    report.count = (uint64_t)__builtin_popcount(lanes);
    memcpy(report.other_block, warp->block->id, sizeof report.other_block);
    warp_thread_of_lane(warp, user, report.other_thread);
    report.other_known = report.other != NULL;
    if (!finding_same_line(op, source->op))
        snprintf(where, sizeof where, " in %s", finding_say_line(op, line));
    finding_name_lane(reader, lane, name);
    say_user(warp, user, source, user_name);
    if (source->missing) {
        finding_add(reader, &report,
                    "%s takes what a shuffle brings from lane %d of its warp, %s, %s %s%s. Such a value is "
                    "undefined: use it only where the lane that it comes from takes part.",
                    name, (int)source->address, source->missing, user_name, use, where);
        return;
    }
    say_read(source, &n, what);
    finding_add(reader, &report, "%s reads %s, %s %s%s. Give %s a value first%s.", name, what, user_name, use,
                where, say_advice(source, &n),
                source->space == SPACE_LOCAL ? "" : ", unless an index or a condition is wrong");
}

// ---- definedness of a store --------------------------------------------------------------------------------------

// Keeps the bits of a value that are undefined, word by word. False: there is no room for all of them.
static bool keep_value(const struct access *access, int lane, unsigned from, unsigned bytes,
                       uint64_t undefined, const struct uninit_source *source)
{
    struct checks *c = access->checks;
    uint64_t start = offset_of(access, lane) + from;
    bool kept = true;
    if (!access->allocation && !c->pools.stored_words) {
        c->pools.stored_words =
            budget_take(budget_of(access->warp), FOR_CHECKS, sizeof *c->pools.stored_words);
        if (!c->pools.stored_words)
            return false;
        c->pools.stored_words->block = 1;
    }
    EACH_WORD(at, start, start + bytes)
    {
        uint32_t covers = bits_of_word(at, start + bytes);
        uint64_t moved = at >= start + 8 ? 0 : undefined >> 8 * (at - start);
        uint32_t bits = (uint32_t)(moved << 8 * (at % WORD)) & covers;
        kept &= access->allocation
                    ? partial_keep(access->range, at / WORD, covers, bits)
                    : keep(c->pools.stored_words, word_at(access->warp, access->touched->space, lane, at),
                           covers, bits, source);
    }
    return kept;
}

// An undefined value gets into memory: its bytes with undefined bits count as unwritten.
static void store_undefined(const struct access *access, int lane, unsigned from, unsigned bytes,
                            uint64_t undefined, const struct uninit_source *source)
{
    uint64_t *written = written_bits(access, lane), start = offset_of(access, lane) + from;
    bool kept = keep_value(access, lane, from, bytes, undefined, source);
    for (unsigned b = 0; b < bytes && b < 8; b++) {
        uint64_t bits = undefined >> 8 * b & 255;
        if (bits == 255 || (bits && kept))
            span_mark(written, start + b, 1, false);
    }
    if (access->allocation)
        access->range->copied = true;
    if (access->range)
        access->range->whole = false;
}

static uint64_t stored_bits(const struct undefined *value, int lane, unsigned bytes)
{
    return value->lanes >> lane & 1 ? value->bits[lane] & bits_below(8 * bytes) : 0;
}

// ---- local memory --------------------------------------------------------------------------------------------------

static bool local_grow(struct budget *budget, struct warp_checks *state, size_t bytes)
{
    if (bytes <= state->local_room)
        return true;
    size_t words = (bytes + 63) / 64, old = state->local_room / 64;
    uint64_t *larger = budget_take(budget, FOR_CHECKS, LANES * words * sizeof *larger);
    if (!larger)
        return false;
    for (size_t lane = 0; old && lane < LANES; lane++)
        memcpy(larger + lane * words, state->local + lane * old, old * sizeof *larger);
    budget_give(budget, state->local);
    state->local = larger;
    state->local_room = words * 64;
    return true;
}

void uninit_local_reset(struct warp_checks *state)
{
    if (state->local)
        memset(state->local, 0, LANES * state->local_room / 8);
}

static void forget_local(const struct warp *warp, int lane, uint64_t from, uint64_t bytes)
{
    struct stored_words *words = warp->checks->pools.stored_words;
    if (!words || !words->any)
        return;
    EACH_WORD(at, from, from + bytes)
    {
        struct stored_word *slot = find(words, word_at(warp, SPACE_LOCAL, lane, at));
        if (slot)
            slot->bits &= ~bits_of_word(at, from + bytes);
    }
}

// A call's part of local memory is unwritten again when the call begins.
void uninit_call_starts(struct warp *warp, size_t from, size_t bytes)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    for (int lane = 0; lane < LANES && from < state->local_room; lane++) {
        size_t end = from + bytes < state->local_room ? from + bytes : state->local_room;
        span_mark(local_bits(state, lane), from, end - from, false);
        forget_local(warp, lane, from, end - from);
    }
}

static unsigned part_count(const struct touched *touched)
{
    return touched->parts > 1 && touched->parts <= UNINIT_PARTS ? touched->parts : 1;
}

static bool local_unwritten(const struct access *access, const struct warp_checks *state, uint32_t *parts)
{
    unsigned count = part_count(access->touched), width = access->touched->bytes / count;
    uint32_t any = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        for (unsigned k = 0; k < count; k++)
            if (!span_written(local_bits(state, lane), offset_of(access, lane) + k * width, width))
                any |= parts[k] |= 1u << lane;
    }
    return any != 0;
}

void uninit_local_access(struct access *access)
{
    struct warp_checks *state = &access->checks->warps[access->warp->index];
    unsigned count = part_count(access->touched), width = access->touched->bytes / count;
    uint32_t parts[UNINIT_PARTS] = { 0 };
    if (!local_grow(budget_of(access->warp), state, access->warp->local_used))
        return;
    if (access->touched->read && (local_unwritten(access, state, parts) || access->warp->poisoned))
        uninit_loaded(access, parts);
    for (uint32_t left = access->touched->write ? access->mask : 0; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        span_mark(local_bits(state, lane), offset_of(access, lane), access->touched->bytes, true);
        for (unsigned k = 0; k < count && access->warp->poisoned; k++) {
            uint64_t undefined = stored_bits(&state->stored[k], lane, width);
            if (undefined)
                store_undefined(access, lane, k * width, width, undefined,
                                source_in(access->warp, &state->stored[k], 1u << lane));
        }
    }
}

// ---- copies of structures ----------------------------------------------------------------------------------------

static bool gives(const struct ptx_operand *operand, int reg)
{
    if (operand->kind == OPERAND_REGISTER)
        return operand->reg == reg;
    for (int i = 0; i < operand->part_count; i++)
        if (gives(&operand->parts[i], reg))
            return true;
    return false;
}

// Whether this is a load from local memory, by name or, as clang 19 does it, by a generic address.
static bool loads_local(const struct ptx_instruction *in)
{
    static const char *const others[] = { "global", "shared", "const", "param" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ptx_has(in, others[i]))
            return false;
    return in->base && strcmp(in->base, "ld") == 0 && in->operand_count > 1;
}

// Whether what this instruction stores was loaded from local memory and is unchanged.
static bool copies(const struct ptx_function *function, const struct ptx_instruction *store)
{
    if (!store->base || strcmp(store->base, "st") != 0 || store->operand_count < 2)
        return false;
    const struct ptx_operand *value = &store->operands[1];
    int reg = value->kind == OPERAND_VECTOR && value->part_count ? value->parts[0].reg : value->reg;
    for (size_t i = 0; reg >= 0 && i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (loads_local(in) && gives(&in->operands[0], reg))
            return true;
    }
    return false;
}

// A source line that copies several such values copies a structure, or an array inside of one.
static bool copies_structure(const struct warp *warp, const struct op *store)
{
    const struct ptx_function *function = warp->function->from;
    const struct ptx_instruction *from = store->from;
    unsigned count = 0;
    if (!from || !from->line || !copies(function, from))
        return false;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->line == from->line && copies(function, in))
            count += in->operands[1].kind == OPERAND_VECTOR ? 2 : 1;
    }
    return count > 1;
}

// ---- shared and global memory --------------------------------------------------------------------------------------

// Whether all bytes are written, so that none has to be looked up. All bits are examined now and then.
static bool is_whole(struct shadow *range)
{
    enum { SELDOM = 16 };
    size_t words = range->bytes / 64;
    if (!range->whole && ++range->doubts >= SELDOM + words / 8) {
        range->doubts = 0;
        range->whole = span_written(range->written, 0, range->bytes);
    }
    return range->whole;
}

// Which lanes read bytes that no thread has written, by part of a vector.
static bool find_unwritten(const struct access *access, uint32_t *parts)
{
    const uint64_t *bits = access->range->written;
    unsigned bytes = access->touched->bytes, count = part_count(access->touched), width = bytes / count;
    if (access->straight ? span_written(bits, offset_of(access, 0), (uint64_t)LANES * bytes)
                         : is_whole(access->range))
        return false;
    if (access->touched->same
            ? span_written(bits, offset_of(access, 0), bytes)
            : lanes_written(bits, access->touched->address, access->base, access->mask, bytes))
        return false;
    uint32_t any = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t at = offset_of(access, lane);
        for (unsigned k = 0; k < count; k++)
            if (!span_written(bits, at + k * width, width))
                any |= parts[k] |= 1u << lane;
    }
    return any != 0;
}

static void mark_stored(const struct access *access)
{
    const unsigned bytes = access->touched->bytes;
    const uint64_t *address = access->touched->address, base = access->base, each = bits_below(bytes);
    uint64_t *bits = access->range->written, crooked = bytes > 8 || bytes & (bytes - 1);
    if (access->straight) {
        span_mark(bits, offset_of(access, 0), (uint64_t)LANES * bytes, true);
        return;
    }
    for (uint32_t left = access->mask; left; left &= left - 1)
        crooked |= (address[__builtin_ctz(left)] - base) & (bytes - 1);
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const uint64_t at = address[__builtin_ctz(left)] - base;
        if (crooked)
            span_mark(bits, at, bytes, true);
        else // within a word of bits
            bits[at >> 6] |= each << (at & 63);
    }
}

// Whether storing an undefined value is no finding yet: shared memory keeps it until a thread uses it, and so does scratch
// memory if the value is defined in part, such as a structure with padding. Other memory is a result.
static bool waits(const struct access *access, uint64_t undefined, unsigned width)
{
    return access->range->written && (!access->allocation || (access->allocation->role == SIM_SCRATCH &&
                                                              undefined != bits_below(8 * width)));
}

static void store_part(const struct access *access, const struct undefined *value, unsigned from,
                       unsigned width)
{
    const struct touched *t = access->touched;
    uint32_t reported = 0, local = 0;
    for (uint32_t left = value->lanes & access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t undefined = stored_bits(value, lane, width);
        const struct uninit_source *source = source_in(access->warp, value, 1u << lane);
        if (undefined && waits(access, undefined, width))
            store_undefined(access, lane, from, width, undefined, source);
        else if (undefined && !source->padding)
            *(source->space == SPACE_LOCAL ? &local : &reported) |= 1u << lane;
    }
    // Compilers copy local structures with their padding, and with elements that have no value yet.
    if (local && !copies_structure(access->warp, t->op))
        reported |= local;
    if (!reported)
        return;
    struct address_name to;
    char use[128];
    finding_name_address(access->warp, SPACE_GLOBAL, t->address[__builtin_ctz(reported)] + from, &to);
    snprintf(use, sizeof use, "stores what it computed from it to %s[%lld]", to.buffer,
             (long long)to.element);
    uninit_report(access->warp, t->op, value, reported, use);
}

// The result of an atomic on an undefined value is undefined.
static void remember_update(const struct access *access, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        struct uninit_source source = source_of(access, lane, 0, access->touched->bytes);
        (void)keep_value(access, lane, 0, access->touched->bytes, ~0ull, &source);
    }
}

// An atomic both reads and writes. Global memory: the result is there for good, so the value mattered.
static void unwritten_atomic(const struct access *access, const uint32_t *parts)
{
    const struct touched *t = access->touched;
    bool replaces = t->op->from && ptx_has(t->op->from, "exch");
    if (!access->allocation) {
        uninit_loaded(access, parts);
        if (replaces)
            mark_stored(access);
        else
            remember_update(access, parts[0]);
        return;
    }
    struct undefined value = { .lanes = parts[0] };
    value.source = source_of(access, __builtin_ctz(parts[0]), 0, t->bytes);
    mark_stored(access);
    if (replaces)
        return;
    uninit_report(access->warp, t->op, &value, parts[0], "updates it with an atomic");
}

// What a filter makes of it is not followed.
static void unwritten_fetch(const struct access *access, uint32_t lanes)
{
    struct undefined value = { .lanes = lanes };
    value.source = source_of(access, __builtin_ctz(lanes), 0, access->touched->bytes);
    uninit_report(access->warp, access->touched->op, &value, lanes, "fetches it");
}

void uninit_access(const struct access *access)
{
    const struct touched *t = access->touched;
    const struct warp_checks *state = &access->checks->warps[access->warp->index];
    unsigned count = part_count(t), width = t->bytes / count;
    uint32_t parts[UNINIT_PARTS] = { 0 };
    bool known = access->range->written != NULL;
    bool unwritten = known && t->read && find_unwritten(access, parts);
    if (t->fetch && unwritten)
        unwritten_fetch(access, parts[0]);
    else if (t->read && !t->atomic && !t->fetch && (unwritten || access->warp->poisoned))
        uninit_loaded(access, parts);
    if (unwritten && t->atomic) {
        for (unsigned k = 1; k < UNINIT_PARTS; k++)
            parts[0] |= parts[k];
        unwritten_atomic(access, parts);
    }
    if (!t->write)
        return;
    if (known && !access->range->whole && !(t->atomic && !access->allocation))
        mark_stored(access);
    for (unsigned k = 0; k < count && access->warp->poisoned && (known || access->allocation); k++) {
        struct undefined moved;
        if (t->part)
            uninit_stored_part(access->warp, t->part, k, &moved);
        store_part(access, t->part ? &moved : &state->stored[k], k * width, width);
    }
}

// ---- outputs that no thread wrote --------------------------------------------------------------------------

struct unwritten_elements {
    uint64_t first, count; // elements with a byte that no thread wrote
};

// The elements among 64 bytes that are not written completely, as a bit at the first byte of each; `size` is a power of two.
static uint64_t missing_in(uint64_t written, size_t size)
{
    uint64_t firsts = size == 64 ? 1 : ~0ull / ((1ull << size) - 1);
    for (size_t step = 1; step < size; step *= 2)
        written &= written >> step;
    return firsts & ~written;
}

static bool element_written(const struct allocation *allocation, const uint64_t *written, uint64_t at,
                            size_t size)
{
    if (!allocation->padding)
        return span_written(written, at, size);
    for (size_t byte = 0; byte < size; byte++)
        if (!allocation->padding[byte] && !(written[(at + byte) / 64] >> (at + byte) % 64 & 1))
            return false;
    return true;
}

static struct unwritten_elements find_gap(const struct allocation *allocation)
{
    const struct shadow *range = allocation->shadow;
    struct unwritten_elements gap = { 0 };
    size_t size = allocation->element_bytes ? allocation->element_bytes : 1;
    if (!range) { // no launch touched it
        gap.count = allocation->bytes / size;
        return gap;
    }
    for (uint64_t at = 0; range->written && at + size <= allocation->bytes;) {
        bool word = at % 64 == 0 && 64 % size == 0 && allocation->bytes - at >= 64 && !allocation->padding;
        uint64_t missing = word ? missing_in(range->written[at / 64], size)
                                : !element_written(allocation, range->written, at, size);
        if (missing && gap.count == 0)
            gap.first = (at + (uint64_t)__builtin_ctzll(missing)) / size;
        gap.count += (uint64_t)__builtin_popcountll(missing);
        at += word ? 64 : size;
    }
    return gap;
}

static bool any_written(const struct shadow *range)
{
    uint64_t any = 0;
    for (uint64_t word = 0; range->written && word < (range->bytes + 63) / 64; word++)
        any |= range->written[word];
    return any != 0;
}

static void describe(const struct allocation *a, size_t number, const struct unwritten_elements *gap,
                     struct sim_finding *out)
{
    size_t size = a->element_bytes ? a->element_bytes : 1;
    unsigned long long count = gap->count, elements = a->bytes / size;
    *out = (struct sim_finding){ .kind = SIM_NEVER_WRITTEN, .severity = SIM_ERROR, .count = gap->count };
    snprintf(out->space, sizeof out->space, "global");
    snprintf(out->buffer, sizeof out->buffer, "%s", a->name);
    out->element = (int64_t)gap->first;
    out->address = ((uint64_t)number << OFFSET_BITS) + gap->first * size;
    if (a->padding && a->shadow && any_written(a->shadow))
        snprintf(
            out->sentence, sizeof out->sentence,
            "No thread writes every part of %s[%llu]%s: of %llu of its %llu elements a part has no value at "
            "the end.",
            a->name, (unsigned long long)gap->first, count > 1 ? " and others" : "", count, elements);
    else if (count == elements)
        snprintf(out->sentence, sizeof out->sentence, "No thread writes %s at all: it has %llu element%s.",
                 a->name, elements, elements == 1 ? "" : "s");
    else
        snprintf(out->sentence, sizeof out->sentence,
                 "No thread writes %s[%llu]%s: %llu of its %llu elements %s no value at the end.", a->name,
                 (unsigned long long)gap->first, count > 1 ? " and others" : "", count, elements,
                 count > 1 ? "have" : "has");
}

size_t sim_memory_never_written(const struct sim_memory *memory, struct sim_finding **out)
{
    size_t found = 0, room = 0;
    *out = NULL;
    for (size_t i = FIRST_BUFFER; i < memory->count; i++) {
        const struct allocation *allocation = &memory->allocations[i];
        if (allocation->role != SIM_OUT || allocation->bytes == 0)
            continue;
        struct unwritten_elements gap = find_gap(allocation);
        if (gap.count == 0)
            continue;
        if (found == room) {
            struct sim_finding *grown = realloc(*out, (room += 8) * sizeof *grown);
            if (!grown)
                return found;
            *out = grown;
        }
        describe(allocation, i, &gap, &(*out)[found++]);
    }
    return found;
}
