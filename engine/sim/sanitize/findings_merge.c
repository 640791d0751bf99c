// Merges findings that follow from others: one mistake is one finding, with the count of all.
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/sanitize/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_race(const struct cause *group)
{
    return group->finding.kind == SIM_RACE_SHARED || group->finding.kind == SIM_RACE_GLOBAL;
}

// A read that is in a race may also have come before there was anything to read. That is one mistake, not two.
static bool follows_from_race(const struct findings *findings, const struct cause *group)
{
    if (group->finding.kind != SIM_UNINITIALISED)
        return false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *race = &findings->groups[i];
        bool reads =
            place_of(race->op) == place_of(group->op) || place_of(race->other) == place_of(group->op);
        if (is_race(race) && reads && strcmp(race->finding.buffer, group->finding.buffer) == 0)
            return true;
    }
    return false;
}

// An update that other blocks' updates get lost in is a race, and then two threads also write different values.
static bool follows_from_update(const struct findings *findings, const struct cause *group)
{
    if (group->finding.kind != SIM_DOUBLE_WRITE)
        return false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *race = &findings->groups[i];
        if (race->finding.kind == SIM_RACE_GLOBAL && race->finding.severity >= group->finding.severity &&
            place_of(race->op) == place_of(group->op) && place_of(race->other) == place_of(group->other) &&
            strcmp(race->finding.buffer, group->finding.buffer) == 0)
            return true;
    }
    return false;
}

// Lanes have returned before a shuffle: a warning, until a value matters that one of them should have brought.
static bool follows_from_shuffle(const struct findings *findings, const struct cause *group)
{
    if (group->finding.kind != SIM_SYNC_MASK || group->finding.severity == SIM_ERROR)
        return false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *use = &findings->groups[i];
        if (use->finding.kind == SIM_SYNC_MASK && use->finding.severity == SIM_ERROR &&
            place_of(use->op) == place_of(group->op))
            return true;
    }
    return false;
}

static bool is_wait(const struct op *op)
{
    return op && op->from && strcmp(op->from->base, "cp") == 0 && op->from->operand_count < 2;
}

static bool is_copy(const struct op *op)
{
    return op && op->from && strcmp(op->from->base, "cp") == 0 && op->from->operand_count > 1;
}

// What comes too early for a copy comes too early for the wait too.
static bool follows_from_copy(const struct findings *findings, const struct cause *group)
{
    if (!is_race(group) || is_wait(group->op) == is_wait(group->other))
        return false;
    const struct op *early = is_wait(group->op) ? group->other : group->op;
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *race = &findings->groups[i];
        if (is_race(race) && is_copy(race->op) != is_copy(race->other) &&
            place_of(is_copy(race->op) ? race->other : race->op) == place_of(early) &&
            race->finding.severity >= group->finding.severity &&
            strcmp(race->finding.buffer, group->finding.buffer) == 0)
            return true;
    }
    return false;
}

// ---- races that one barrier would mend ----

struct race_span { // from the upper side to the lower one, as they stand in the PTX
    const struct op *first, *last;
};
static struct race_span span_of(const struct cause *race)
{
    bool upward = race->op->from < race->other->from;
    return (struct race_span){ upward ? race->op : race->other, upward ? race->other : race->op };
}

static bool is_shorter(struct race_span a, struct race_span b)
{
    return a.last->from - a.first->from < b.last->from - b.first->from;
}

// A race of the threads of one block, between two instructions of one function.
static bool has_span(const struct cause *race)
{
    const struct sim_finding *f = &race->finding;
    return is_race(race) && !race->follows && race->near &&
           memcmp(f->here.block, f->there.block, sizeof f->here.block) == 0;
}

// A barrier that mends `inner` lies between the sides of `outer` too, and they have one side in common: what is not
// put in order for the first to come is not so for those behind it.
static bool mends(const struct cause *inner, const struct cause *outer)
{
    const struct sim_finding *a = &inner->finding, *b = &outer->finding;
    struct race_span in = span_of(inner), out = span_of(outer);
    return a->kind == b->kind && a->severity >= b->severity && in.first->from >= out.first->from &&
           in.last->from <= out.last->from && is_shorter(in, out) &&
           (place_of(in.first) == place_of(out.first) || place_of(in.last) == place_of(out.last)) &&
           strcmp(a->buffer, b->buffer) == 0;
}

static struct cause *nearest_cause(struct findings *findings, const struct cause *race)
{
    struct cause *nearest = NULL;
    if (!has_span(race))
        return NULL;
    for (size_t i = 0; i < findings->count; i++) {
        struct cause *inner = &findings->groups[i];
        if (has_span(inner) && mends(inner, race) &&
            (!nearest || is_shorter(span_of(inner), span_of(nearest))))
            nearest = inner;
    }
    return nearest;
}

// Races of one cause are reported as one, with the two nearest places and all counts. The nearest has no nearer one, so
// that every count arrives at a finding that stays.
static bool joins_nearer_race(struct findings *findings, const struct cause *race)
{
    struct cause *cause = nearest_cause(findings, race), *next = cause;
    while (next && (next = nearest_cause(findings, cause)) != NULL)
        cause = next;
    if (cause)
        cause->more += race->finding.count;
    return cause != NULL;
}

// ---- uninitialised values ----

static uint64_t place_of_use(const struct cause *group)
{
    return place_of(group->other ? group->other : group->op);
}

static bool is_of_use(const struct cause *group, const struct cause *other)
{
    return other->finding.kind == SIM_UNINITIALISED && !other->follows && other->finding.buffer[0] &&
           place_of_use(other) == place_of_use(group) &&
           strcmp(other->finding.buffer, group->finding.buffer) == 0;
}

// An array without a value: one line updates a part of it, and another uses that part and the rest.
static bool joins_earlier_read(struct findings *findings, const struct cause *group)
{
    struct cause *earliest = NULL;
    uint64_t place = place_of(group->op);
    for (size_t i = 0; i < findings->count && group->finding.kind == SIM_UNINITIALISED; i++) {
        struct cause *other = &findings->groups[i];
        if (is_of_use(group, other) && place_of(other->op) < place) {
            earliest = other;
            place = place_of(other->op);
        }
    }
    if (earliest)
        earliest->more += group->finding.count;
    return earliest != NULL;
}

// ---- chains of lines that miss __syncwarp() ----

static uint64_t first_place(const struct cause *race)
{
    return place_of(span_of(race).first);
}

static uint64_t last_place(const struct cause *race)
{
    return place_of(span_of(race).last);
}

static int by_chain(const void *left, const void *right)
{
    const struct cause *a = *(struct cause *const *)left, *b = *(struct cause *const *)right;
    uint64_t a_first = first_place(a), b_first = first_place(b);
    int order = strcmp(a->finding.buffer, b->finding.buffer);
    if (order == 0)
        order = (a_first > b_first) - (a_first < b_first);
    return order ? order : (last_place(a) > last_place(b)) - (last_place(a) < last_place(b));
}

// Lanes of a warp that race with each other in a line, and then in the next line with what that one wrote, and so on:
// the steps of a reduction, of which each misses the same.
static void join_chains(struct findings *findings)
{
    struct cause **all = malloc((findings->count + 1) * sizeof *all), *head = NULL;
    size_t count = 0;
    for (size_t i = 0; all && i < findings->count; i++) {
        struct cause *group = &findings->groups[i];
        if (!group->joined && has_span(group) && group->finding.severity == SIM_WARNING)
            all[count++] = group;
    }
    if (count)
        qsort(all, count, sizeof *all, by_chain);
    for (size_t i = 0; i < count; i++) {
        struct cause *group = all[i];
        uint64_t end = head ? place_of(head->last) : 0;
        bool goes_on = head && strcmp(head->finding.buffer, group->finding.buffer) == 0 &&
                       head->finding.kind == group->finding.kind &&
                       (first_place(group) == end || first_place(group) == first_place(all[i - 1]));
        if (!goes_on) {
            head = group;
            head->last = span_of(head).last;
            continue;
        }
        group->joined = true;
        head->more += group->finding.count + group->more;
        head->more_lines += last_place(group) > end;
        if (last_place(group) > end)
            head->last = span_of(group).last;
    }
    free(all);
}

void findings_join(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        findings->groups[i].more = findings->groups[i].more_lines = 0;
        findings->groups[i].last = NULL;
    }
    for (size_t i = 0; i < findings->count; i++) {
        struct cause *group = &findings->groups[i];
        group->follows = follows_from_race(findings, group) || follows_from_update(findings, group) ||
                         follows_from_copy(findings, group) || follows_from_shuffle(findings, group);
    }
    for (size_t i = 0; i < findings->count; i++)
        findings->groups[i].joined = findings->groups[i].follows ||
                                     joins_nearer_race(findings, &findings->groups[i]) ||
                                     joins_earlier_read(findings, &findings->groups[i]);
    join_chains(findings);
}

void finding_whole(const struct cause *group, struct sim_finding *out)
{
    *out = group->finding;
    out->count += group->more;
    if (!group->more_lines)
        return;
    char last[40];
    size_t length = strlen(out->sentence);
    snprintf(out->sentence + length, sizeof out->sentence - length, " %u more line%s the same, up to %s.",
             group->more_lines, group->more_lines == 1 ? " does" : "s do", say_line(group->last, last));
}
