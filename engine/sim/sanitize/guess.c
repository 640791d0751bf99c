// A launch with every check guesses that it is clean in ways that make it fast. Most kernels between two barriers read a part
// of shared memory, write to it, or update it by atomics, and do only one of these to a buffer in the whole launch. Then no
// read and no atomic can race with anything, and none is recorded. A guess is wrong at the first access that does not fit;
// then the launch stops, buffers and variables get their first bytes back, and it runs again without that guess (launch.c).
// Writes to shared memory, and all accesses to it where lines do not fit, are subject to a finer guess (owners.c). Of a buffer
// that is neither read nor updated by atomics each granule is stored to once, so that a bit of it is enough.
// What is found is the same: a read that was not recorded is of a place that nobody may store to.
//
// It also guesses that blocks do not depend on each other and that nothing will be found. Then several host threads run
// them, each with checks and shadows of its own, in ascending order. The first finding, or the first access that may make a
// block wait for another, is a wrong guess; so is a granule that one thread wrote and another touched, for which the shadows
// are compared at the end.
#include "engine/sim/sanitize/race.h"

#include <pthread.h>
#include <string.h>

struct first_bytes {
    pthread_mutex_t lock;
    size_t count; // of allocations
    size_t
        touched_count; // of those that a host thread has a shadow of, or whose first bytes are kept: found at the end
    uint32_t *touched; // their numbers; most numbers have no allocation
    unsigned char *bytes[];
};

void guess_wrong(struct machine *m, unsigned guesses)
{
    atomic_fetch_or(&m->wrong, guesses & m->guesses);
    m->stop = true;
}

// ---- first bytes ------------------------------------------------------------------------------------------------

void guess_keep(struct machine *m, uint64_t number)
{
    enum { MOST = 256 << 20 };
    const struct allocation *a = &m->memory->allocations[number];
    struct budget *budget = &m->memory->budget;
    pthread_mutex_lock(&m->first->lock);
    unsigned char **kept = &m->first->bytes[number];
    if (!*kept && a->bytes) {
        *kept = a->bytes <= MOST ? budget_spare(budget, FOR_CHECKS, a->bytes) : NULL;
        if (*kept)
            memcpy(*kept, a->host, a->bytes);
        else
            guess_wrong(m, GUESSES);
    }
    pthread_mutex_unlock(&m->first->lock);
}

static void take_back(struct machine *m)
{
    for (size_t k = 0; k < m->first->touched_count; k++) {
        const uint32_t i = m->first->touched[k];
        if (m->first->bytes[i])
            memcpy(m->memory->allocations[i].host, m->first->bytes[i], m->memory->allocations[i].bytes);
    }
}

// ---- shadows of a launch -------------------------------------------------------------------------------------------

struct shadow *guess_shadow(struct machine *m, struct allocation *a)
{
    struct budget *budget = &m->memory->budget;
    const struct shadow *before = a->shadow;
    if (!before)
        return shadow_new(budget, a);
    struct shadow *range = budget_take(budget, FOR_CHECKS, sizeof *range);
    if (!range || !shadow_make(range, budget, before->bytes, before->shift, before->written != NULL)) {
        budget_give(budget, range);
        return NULL;
    }
    if (before->written)
        memcpy(range->written, before->written, ((before->bytes + 63) / 64 + 1) * 8);
    range->whole = before->whole;
    range->copied = before->copied;
    if (before->partial)
        guess_wrong(m, GUESSES);
    return range;
}

static void drop(struct budget *budget, struct shadow *range)
{
    if (range)
        shadow_drop(range);
    budget_give(budget, range);
}

// Of shadow.once.
static size_t once_words(const struct shadow *range)
{
    return (range->bytes >> range->shift) / 64 + 1;
}

// ---- several host threads ------------------------------------------------------------------------------------------

static bool cells_clash(struct shadow_cell a, struct shadow_cell b)
{
    return a.epoch && b.epoch && !(a.tag & b.tag & CELL_ATOMIC);
}

static bool lines_clash(const struct shadow_page *a, const struct shadow_page *b, unsigned line)
{
    if (a->lines >> line & b->lines >> line & 1)
        return cells_clash(a->line[line], b->line[line]);
    for (unsigned at = line * LINE; at < (line + 1) * LINE; at++)
        if (cells_clash(shadow_cell_in(a, at), shadow_cell_in(b, at)))
            return true;
    return false;
}

static bool pages_clash(const struct shadow_page *a, const struct shadow_page *b)
{
    if (!a || !b)
        return false;
    for (unsigned line = 0; line < PAGE_LINES; line++)
        if ((a->granule || a->lines >> line & 1) && (b->granule || b->lines >> line & 1) &&
            lines_clash(a, b, line))
            return true;
    return false;
}

// All host threads wait for what is done with the bits of whole buffers, so that it is done in vectors, written out.
typedef uint64_t bits4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { BITS4 = sizeof(bits4) / sizeof(uint64_t) };

static bool bits_meet(const uint64_t *a, const uint64_t *b, size_t words)
{
    bits4 both = { 0 };
    uint64_t rest = 0;
    size_t word = 0;
    for (; word + BITS4 <= words; word += BITS4)
        both |= *(const bits4 *)(a + word) & *(const bits4 *)(b + word);
    for (; word < words; word++)
        rest |= a[word] & b[word];
    return both[0] | both[1] | both[2] | both[3] | rest;
}

static void bits_join(uint64_t *to, const uint64_t *from, size_t words)
{
    size_t word = 0;
    for (; word + BITS4 <= words; word += BITS4)
        *(bits4 *)(to + word) |= *(const bits4 *)(from + word);
    for (; word < words; word++)
        to[word] |= from[word];
}

// Whether one host thread has written what another has touched, not both by atomics.
static bool shadows_clash(const struct shadow *a, const struct shadow *b)
{
    if (a->shift != b->shift || (a->once && b->once && bits_meet(a->once, b->once, once_words(a))))
        return true;
    for (int slot = 0; slot < SLOTS; slot++)
        for (int other = 0; other < SLOTS; other++)
            for (size_t p = 0; (slot <= OTHER_WRITE || other <= OTHER_WRITE) && p < a->pages; p++)
                if (pages_clash(a->slot[slot][p], b->slot[other][p]))
                    return true;
    return false;
}

// The guesses about an allocation that are seen to be wrong when all host threads have ended.
static unsigned compare_threads(const struct machine *m, size_t number)
{
    unsigned touched = 0;
    for (int i = 0; i < m->options.threads; i++) {
        const struct shadow *a = m->threads[i].checks->own[number];
        if (a && m->options.threads > 1 && (a->partial || a->copied))
            return GUESS_ORDER;
        touched |= a ? a->touched : 0;
        for (int j = 0; a && j < i; j++) {
            const struct shadow *b = m->threads[j].checks->own[number];
            if (b && shadows_clash(a, b))
                return GUESS_ORDER | GUESS_ONCE;
        }
    }
    return touched & (touched - 1) ? GUESS_GLOBAL : 0;
}

// The shadow of one host thread becomes the memory's, with what the others have written.
static void hand_over(struct machine *m, size_t number)
{
    struct shadow *all = NULL;
    for (int i = 0; i < m->options.threads; i++) {
        struct shadow **own = &m->threads[i].checks->own[number], *range = *own;
        if (!range)
            continue;
        if (!all) {
            all = range;
            *own = NULL;
            continue;
        }
        if (all->written)
            bits_join(all->written, range->written, (all->bytes + 63) / 64);
        all->whole |= range->whole;
    }
    if (!all)
        return;
    checks_memory_drop(m->memory, &m->memory->allocations[number]);
    all->touched = 0;
    all->kept = false;
    budget_give(&m->memory->budget, all->once);
    all->once = NULL;
    m->memory->allocations[number].shadow = all;
}

// ---- a launch ----------------------------------------------------------------------------------------------------------

static void let_go(struct machine *m)
{
    struct budget *budget = &m->memory->budget;
    for (int t = 0; t < m->options.threads; t++) {
        struct checks *c = m->threads[t].checks;
        if (!c)
            continue;
        for (size_t k = 0; k < m->first->touched_count; k++)
            drop(budget, c->own[m->first->touched[k]]);
        budget_give(budget, c->own);
        c->own = NULL;
        c->guesses = 0;
        if (*c->epochs > m->memory->epochs)
            m->memory->epochs = *c->epochs;
    }
    for (size_t k = 0; k < m->first->touched_count; k++)
        budget_give(budget, m->first->bytes[m->first->touched[k]]);
    pthread_mutex_destroy(&m->first->lock);
    budget_give(budget, m->first);
    m->first = NULL;
}

static void find_touched(struct machine *m)
{
    struct first_bytes *first = m->first;
    for (size_t i = 0; i < first->count; i++) {
        bool any = first->bytes[i];
        for (int t = 0; t < m->options.threads; t++)
            any |= m->threads[t].checks->own[i] != NULL;
        if (any)
            first->touched[first->touched_count++] = (uint32_t)i;
    }
}

// Notes which allocations the launch has touched, and which it has written to.
static void note_touched(struct machine *m)
{
    const uint32_t launch = m->memory->launches + 1;
    for (size_t k = 0; k < m->first->touched_count; k++) {
        const uint32_t i = m->first->touched[k];
        struct allocation *a = &m->memory->allocations[i];
        for (int t = 0; t < m->options.threads; t++)
            if (m->threads[t].checks->own[i])
                a->touched_in = launch;
        if (m->first->bytes[i])
            a->written_in = launch;
    }
}

// What is written is copied. Of what is touched there is a shadow, which has a bit per byte where bytes start without content.
double guess_bytes(const struct sim_memory *memory)
{
    enum { SHADOW = PAGE * 4 / (SLOTS * sizeof(struct shadow_page *)), BITS = 8 };
    double bytes = 0;
    for (size_t i = 0; i < memory->count; i++) {
        const struct allocation *a = &memory->allocations[i];
        if (a->touched_in != memory->launches + 1)
            continue;
        bytes += (double)a->bytes / (a->role == SIM_OUT || a->role == SIM_SCRATCH ? BITS : SHADOW);
        bytes += a->written_in == a->touched_in ? (double)a->bytes : 0;
    }
    return bytes;
}

bool guess_start(struct machine *m)
{
    size_t count = m->memory->count;
    struct budget *budget = &m->memory->budget;
    if (!m->guesses)
        return true;
    m->first = budget_spare(budget, FOR_CHECKS,
                            sizeof *m->first + count * (sizeof *m->first->bytes + sizeof *m->first->touched));
    if (m->first && pthread_mutex_init(&m->first->lock, NULL) != 0) {
        budget_give(budget, m->first);
        m->first = NULL;
    }
    if (!m->first)
        return false;
    m->first->count = count;
    m->first->touched = (uint32_t *)(m->first->bytes + count);
    bool good = true;
    for (int i = 0; good && i < m->options.threads; i++) {
        struct checks *c = m->threads[i].checks;
        c->own = budget_spare(budget, FOR_CHECKS, count * sizeof(struct shadow *));
        c->guesses = m->guesses;
        good = c->own != NULL;
    }
    if (!good)
        let_go(m);
    return good;
}

void guess_end(struct machine *m, bool late)
{
    if (!m->first)
        return;
    if (m->memory->budget.refused)
        m->wrong |= m->guesses;
    find_touched(m);
    for (size_t k = 0; !m->wrong && k < m->first->touched_count; k++)
        m->wrong |= compare_threads(m, m->first->touched[k]) & m->guesses;
    if (late)
        m->wrong &= ~(unsigned)GUESS_ORDER;
    note_touched(m);
    if (m->wrong)
        take_back(m);
    for (size_t k = 0; !m->wrong && k < m->first->touched_count; k++)
        hand_over(m, m->first->touched[k]);
    let_go(m);
}

// ---- accesses ---------------------------------------------------------------------------------------------------

// Notes lines of shared memory; false: some of them were touched in the other way since the last barrier.
static bool note_lines(struct checks *c, uint64_t low, uint64_t bytes, enum touch how)
{
    struct interval *now = &c->interval;
    uint64_t first = low >> TOUCHED_SHIFT, last = (low + bytes - 1) >> TOUCHED_SHIFT, clash = 0;
    if (now->began != c->ordered) {
        size_t words = (c->shared.bytes >> TOUCHED_SHIFT) / 64 + 1;
        for (int kind = 0; kind < TOUCHES; kind++)
            memset(now->touched[kind], 0, words * sizeof *now->touched[kind]);
        now->began = c->ordered;
    }
    for (uint64_t w = first / 64; w <= last / 64; w++) {
        uint64_t lines = (w == first / 64 ? ~0ull << first % 64 : ~0ull) &
                         (w == last / 64 ? ~0ull >> (63 - last % 64) : ~0ull);
        now->touched[how][w] |= lines;
        for (int kind = 0; kind < TOUCHES; kind++)
            clash |= kind == (int)how ? 0 : now->touched[kind][w] & lines;
    }
    return !clash;
}

bool guess_covers(struct checks *c, struct shadow *range, bool global, uint64_t low, uint64_t bytes,
                  enum touch how)
{
    if (!(c->guesses & (global ? GUESS_GLOBAL : GUESS_SHARED)))
        return false;
    if (global) {
        range->touched |= 1u << how;
        if (range->touched & (range->touched - 1))
            guess_wrong(c->machine, GUESS_GLOBAL);
    } else if (!note_lines(c, low, bytes, how))
        guess_wrong(c->machine, GUESS_SHARED);
    return how != TOUCH_OTHER;
}

// Sets bits; false: some were set.
static bool set_first(uint64_t *bits, uint64_t at, uint64_t count)
{
    uint64_t before = 0;
    for (const uint64_t end = at + count; at < end;) {
        const unsigned from = at % 64, n = end - at < 64 - from ? (unsigned)(end - at) : 64 - from;
        const uint64_t mask = bits_below(n) << from;
        before |= bits[at / 64] & mask;
        bits[at / 64] |= mask;
        at += n;
    }
    return !before;
}

bool guess_stores_once(const struct access *access)
{
    struct shadow *range = access->range;
    const unsigned shift = range->shift, each = access->touched->bytes >> shift;
    if (!range->once)
        range->once = budget_spare(range->budget, FOR_CHECKS, once_words(range) * sizeof *range->once);
    const uint64_t *address = access->touched->address, base = access->base;
    uint64_t *once = range->once, before = 0;
    if (!once)
        return false;
    if (access->straight)
        return set_first(once, offset_of(access, 0) >> shift, (uint64_t)LANES * each);
    for (uint32_t left = each == 1 ? access->mask : 0; left; left &= left - 1) {
        const uint64_t at = (address[__builtin_ctz(left)] - base) >> shift, bits = once[at / 64];
        before |= bits >> at % 64 & 1;
        once[at / 64] = bits | 1ull << at % 64;
    }
    for (uint32_t left = each == 1 ? 0 : access->mask; left; left &= left - 1)
        before |= !set_first(once, (address[__builtin_ctz(left)] - base) >> shift, each);
    return !before;
}
