// The most common accesses: a full warp loads or stores a word in each lane, in the pattern of the last access, and no check
// has to do with it. What is done for them is chosen when the pattern is kept (struct lane_pattern: form).
#ifndef WARPBOOK_SIM_WORDS_H
#define WARPBOOK_SIM_WORDS_H

#include "engine/sim/access/pattern.h"

typedef uint32_t words8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t any_word __attribute__((may_alias, aligned(1)));
enum { WORDS8 = 8 };

INLINE void words_copy(void *to, const void *from, unsigned count)
{
    UNROLLED
    for (unsigned i = 0; i < count / WORDS8; i++)
        ((words8 *)to)[i] = ((const words8 *)from)[i];
}
// A word of each lane where all bits of `on` are set.
INLINE void words_copy_some(void *to, const void *from, const uint32_t on[LANES])
{
    UNROLLED
    for (unsigned i = 0; i < LANES / WORDS8; i++) {
        const words8 mask = ((const words8 *)on)[i];
        words8 *d = (words8 *)to + i;
        *d = (*d & ~mask) | (((const words8 *)from)[i] & mask);
    }
}
INLINE void words_fill(void *to, const void *from, unsigned count)
{
    const words8 value = (words8){ 0 } + *(const any_word *)from;
    for (unsigned i = 0; i < count / WORDS8; i++)
        ((words8 *)to)[i] = value;
}

// Counts it; false: what it costs where lane 0 is at `first` is not known.
INLINE bool words_count(struct warp *warp, const struct op *op, const struct lane_pattern *p, uint64_t first)
{
    const bool shared = p->space == SPACE_SHARED;
    const unsigned index = shared ? p->meets : word_of_sector(first);
    if (!warp->tallies)
        return true;
    if (!(p->paired || p->counted == FULL_MASK) || !(p->costed >> index & 1))
        return false;
    *(cost_row *)&warp->tallies[op->tally].cost[shared ? COST_SHARED : COST_GLOBAL] +=
        *(const cost_row *)&p->cost[index];
    return true;
}

// Where lane 0's word, or value of `bytes` bytes, is in the host's memory; 0: it is no such access. Then nothing has been
// counted. A number, because the distances of other lanes may be negative, and pointers must not wrap around. `sampled`: a
// sample is taken, which is to be told of it.
INLINE uint64_t words_find(struct warp *warp, const struct op *op, unsigned bytes, bool write, bool checked,
                           bool sampled, struct lane_pattern **found)
{
    uint64_t first;
    if (!warp->patterns || warp->active != FULL_MASK)
        return 0;
    struct lane_pattern *p = &warp->patterns[op->pattern];
    if ((sampled ? p->sampled_form : p->form) == FORM_NONE || !pattern_follows(warp, op, p, &first))
        return 0;
    const uint64_t low = first + (uint64_t)p->low;
    if (low - p->from > p->room || low % bytes)
        return 0;
    if (checked && p->space != SPACE_CONST && !pattern_is_settled(warp, op, write, p, low))
        return 0;
    if (!words_count(warp, op, p, first))
        return 0;
    *found = p;
    return first + p->delta;
}

// A run of bytes whose step is not recorded is looked up and noted at once.
static __attribute__((noinline)) void words_note_news(struct warp *warp, const struct op *op,
                                                      struct lane_pattern *p, uint64_t first)
{
    const bool run = p->sampled && !sample_is_told(warp, p->noted);
    if (run ? !sample_note_run(p->sampled, first, p->span, p->noted, p->sampled_bits, p->sampled_alone)
            : pattern_is_news(warp, p, first))
        address_note(warp, op, p, first, (unsigned)p->cost[p->meets].passes);
}

// Tells the sample. It comes last, and is in functions of its own, so that no register has to be kept for it in those that call
// it; the address may have been overwritten.
INLINE void words_note(struct warp *warp, const struct op *op, struct lane_pattern *p, uint64_t host)
{
    const uint64_t first = host - p->delta;
    if (!p->noted || (p->space == SPACE_SHARED && !warp->recorder))
        return;
    if (p->sampled_bits && !warp->recorder && sample_in_one_line(first, first + p->span - 1) &&
        sample_run_known(p->sampled, first, p->span, p->noted, p->sampled_bits))
        return;
    words_note_news(warp, op, p, first);
}

INLINE void *lane_word(const struct lane_pattern *p, uint64_t first, unsigned lane)
{
    return (void *)(uintptr_t)(first + p->away[lane]);
}

// `checked`: the checks are on, which have to have nothing to do at it.
INLINE bool words_load(struct warp *warp, const struct op *op, bool checked, bool sampled)
{
    struct lane_pattern *p;
    const uint64_t first = words_find(warp, op, sizeof(any_word), false, checked, sampled, &p);
    uint32_t *d = ROW32(warp, op->d);
    if (!first)
        return false;
    switch ((enum lane_form)(sampled ? p->sampled_form : p->form)) {
    case FORM_SAME:
        words_fill(d, lane_word(p, first, 0), LANES);
        break;
    case FORM_ROW:
        words_copy(d, lane_word(p, first, 0), LANES);
        break;
    case FORM_HALVES:
        words_copy(d, lane_word(p, first, 0), LANES / 2);
        words_copy(d + LANES / 2, lane_word(p, first, LANES / 2), LANES / 2);
        break;
    case FORM_HALVES_SAME:
        words_fill(d, lane_word(p, first, 0), LANES / 2);
        words_fill(d + LANES / 2, lane_word(p, first, LANES / 2), LANES / 2);
        break;
    case FORM_QUARTERS:
        for (unsigned i = 0; i < LANES; i += WORDS8)
            words_copy(d + i, lane_word(p, first, i), WORDS8);
        break;
    case FORM_QUARTERS_SAME:
        for (unsigned i = 0; i < LANES; i += WORDS8)
            words_fill(d + i, lane_word(p, first, i), WORDS8);
        break;
    case FORM_NONE:
    case FORM_SCATTERED:
        UNROLLED
        for (unsigned i = 0; i < LANES; i++)
            d[i] = *(const any_word *)lane_word(p, first, i);
        break;
    }
    if (sampled)
        words_note(warp, op, p, first);
    return true;
}

// Of lanes at one address the last one stays. `checked`: as above; then no two lanes are at one address.
INLINE bool words_store(struct warp *warp, const struct op *op, bool checked, bool sampled)
{
    struct lane_pattern *p;
    const uint64_t first = words_find(warp, op, sizeof(any_word), true, checked, sampled, &p);
    const uint32_t *s = ROW32(warp, op->d);
    if (!first)
        return false;
    const enum lane_form form = (enum lane_form)(sampled ? p->sampled_form : p->form);
    if (form == FORM_ROW)
        words_copy(lane_word(p, first, 0), s, LANES);
    else if (form == FORM_SAME)
        *(any_word *)lane_word(p, first, 0) = s[LANES - 1];
    else if (form == FORM_HALVES) {
        words_copy(lane_word(p, first, 0), s, LANES / 2);
        words_copy(lane_word(p, first, LANES / 2), s + LANES / 2, LANES / 2);
    } else {
        UNROLLED
        for (unsigned i = 0; i < LANES; i++)
            *(any_word *)lane_word(p, first, i) = s[i];
    }
    if (sampled)
        words_note(warp, op, p, first);
    return true;
}

#endif
