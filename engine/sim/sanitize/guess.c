// A launch with every check guesses that it is clean in ways that make it fast. Most kernels between two barriers either read
// a part of shared memory or write to it, and in the whole launch either read a buffer or write to it. Then no read can race
// with anything, and none is recorded. A guess is wrong at the first access that does not fit; then the launch stops, buffers
// and variables get their first bytes back, and it runs again without that guess (launch.c). What is found is the same: a
// read that was not recorded is of a place that nobody may store to.
#include "engine/sim/sanitize/checks.h"

#include <pthread.h>
#include <string.h>

struct first_bytes {
    pthread_mutex_t lock;
    size_t count; // of allocations
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
    for (size_t i = 0; i < m->first->count; i++)
        if (m->first->bytes[i])
            memcpy(m->memory->allocations[i].host, m->first->bytes[i], m->memory->allocations[i].bytes);
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

bool guess_start(struct machine *m)
{
    size_t count = m->memory->count;
    struct budget *budget = &m->memory->budget;
    struct checks *c = m->threads[0].checks;
    if (!m->guesses)
        return false;
    m->first = budget_spare(budget, FOR_CHECKS, sizeof *m->first + count * sizeof *m->first->bytes);
    c->own = budget_spare(budget, FOR_CHECKS, count * sizeof(struct shadow *));
    if (!m->first || !c->own || pthread_mutex_init(&m->first->lock, NULL) != 0) {
        budget_give(budget, m->first);
        budget_give(budget, c->own);
        m->first = NULL;
        c->own = NULL;
        return false;
    }
    m->first->count = count;
    c->guesses = m->guesses;
    return true;
}

void guess_end(struct machine *m)
{
    struct budget *budget = &m->memory->budget;
    struct checks *c = m->threads[0].checks;
    if (!m->first)
        return;
    if (budget->refused)
        guess_wrong(m, GUESSES);
    if (m->wrong)
        take_back(m);
    for (size_t i = 0; i < m->first->count; i++) {
        struct shadow *own = c->own[i];
        if (own && !m->wrong) {
            checks_memory_drop(m->memory, &m->memory->allocations[i]);
            own->stored = own->read = false;
            m->memory->allocations[i].shadow = own;
        } else
            drop(budget, own);
        budget_give(budget, m->first->bytes[i]);
    }
    budget_give(budget, c->own);
    c->own = NULL;
    pthread_mutex_destroy(&m->first->lock);
    budget_give(budget, m->first);
    m->first = NULL;
}

// ---- accesses ---------------------------------------------------------------------------------------------------

// Notes lines of shared memory; false: some of them were touched in the other way since the last barrier.
static bool note_lines(struct checks *c, uint64_t low, uint64_t bytes, bool write)
{
    struct interval *now = &c->interval;
    uint64_t first = low >> TOUCHED_SHIFT, last = (low + bytes - 1) >> TOUCHED_SHIFT, clash = 0;
    if (now->began != c->ordered) {
        size_t words = (c->shared.bytes >> TOUCHED_SHIFT) / 64 + 1;
        memset(now->read, 0, words * sizeof *now->read);
        memset(now->stored, 0, words * sizeof *now->stored);
        now->began = c->ordered;
    }
    for (uint64_t w = first / 64; w <= last / 64; w++) {
        uint64_t lines = (w == first / 64 ? ~0ull << first % 64 : ~0ull) &
                         (w == last / 64 ? ~0ull >> (63 - last % 64) : ~0ull);
        clash |= lines & (write ? now->read : now->stored)[w];
        (write ? now->stored : now->read)[w] |= lines;
    }
    return !clash;
}

bool guess_covers(struct checks *c, struct shadow *range, bool global, uint64_t low, uint64_t bytes,
                  bool write)
{
    if (!(c->guesses & (global ? GUESS_GLOBAL : GUESS_SHARED)))
        return false;
    if (global) {
        if (write ? range->read : range->stored)
            guess_wrong(c->machine, GUESS_GLOBAL);
        range->read |= !write;
    } else if (!note_lines(c, low, bytes, write))
        guess_wrong(c->machine, GUESS_SHARED);
    return !write;
}
