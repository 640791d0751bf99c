// Findings: what was reported from inside a launch, one for each cause however often it happened.
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sim/steer.h"

enum { MOST_GROUPS = 1000, SLOTS_BITS = 11 };

struct group {
    struct sim_finding finding;
    const struct op *op, *other;
    uint64_t position; // of the block that the finding tells of
    bool joined;       // at the end: another finding tells of it
    uint64_t more;     // at the end: the counts of those that it tells of
    bool near;         // of a race: both sides always stood in the function that ran
};
struct findings {
    pthread_mutex_t lock;
    struct group *groups;
    size_t count, room;
    uint16_t slots[1 << SLOTS_BITS]; // number of the group plus 1, by hash
};

struct findings *findings_new(void)
{
    struct findings *findings = calloc(1, sizeof *findings);
    if (findings && pthread_mutex_init(&findings->lock, NULL) != 0) {
        free(findings);
        return NULL;
    }
    return findings;
}

void findings_free(struct findings *findings)
{
    if (!findings)
        return;
    pthread_mutex_destroy(&findings->lock);
    free(findings->groups);
    free(findings);
}

// ---- who and where ----

void thread_of_lane(const struct warp *warp, int lane, uint32_t out[3])
{
    const uint32_t *size = warp->block->machine->launch->block;
    uint32_t linear = warp->index * LANES + (uint32_t)lane;
    out[0] = linear % size[0];
    out[1] = linear / size[0] % size[1];
    out[2] = linear / size[0] / size[1];
}

static void locate(struct sim_place *place, const struct op *op)
{
    place->known = true;
    if (!op || !op->from)
        return;
    place->ptx_line = op->from->ptx_line;
    place->line = op->from->line;
    place->column = op->from->column;
}

static void fill(struct sim_finding *out, const struct warp *warp, const struct report *report)
{
    *out = (struct sim_finding){ .kind = report->kind,
                                 .severity = report->severity,
                                 .address = report->address,
                                 .element = report->element };
    locate(&out->here, report->op);
    memcpy(out->here.block, warp->block->id, sizeof out->here.block);
    thread_of_lane(warp, report->lane, out->here.thread);
    if (report->other || report->other_known)
        locate(&out->there, report->other);
    memcpy(out->there.block, report->other_block, sizeof out->there.block);
    memcpy(out->there.thread, report->other_thread, sizeof out->there.thread);
    snprintf(out->space, sizeof out->space, "%s", report->space ? report->space : "");
    snprintf(out->buffer, sizeof out->buffer, "%s", report->buffer ? report->buffer : "");
}

// ---- groups ----

// What makes two reports one: their kind, the buffer, and their lines, in either order for the two sides of a race.
// The optimiser copies a line into many instructions; to a reader it is still one.
static uint64_t place_of(const struct op *op)
{
    if (!op || !op->from)
        return 0;
    return op->from->line ? (uint64_t)op->from->line << 32 : (uint64_t)op->from->ptx_line;
}

static size_t slot_of(const struct report *report)
{
    uint64_t hash = (uint64_t)report->kind * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (place_of(report->op) + place_of(report->other))) * 0x9e3779b97f4a7c15ull;
    for (const char *at = report->buffer ? report->buffer : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
    return hash >> (64 - SLOTS_BITS);
}

static bool is_of_group(const struct group *group, const struct report *report)
{
    uint64_t here = place_of(group->op), there = place_of(group->other);
    uint64_t one = place_of(report->op), two = place_of(report->other);
    return ((here == one && there == two) || (here == two && there == one)) &&
           group->finding.kind == report->kind &&
           strncmp(group->finding.buffer, report->buffer ? report->buffer : "",
                   sizeof group->finding.buffer - 1) == 0;
}

static struct group *group_add(struct findings *findings)
{
    if (findings->count == MOST_GROUPS)
        return NULL;
    if (findings->count == findings->room) {
        size_t room = findings->room ? findings->room * 2 : 16;
        struct group *larger = realloc(findings->groups, room * sizeof *larger);
        if (!larger)
            return NULL;
        findings->groups = larger;
        findings->room = room;
    }
    struct group *group = &findings->groups[findings->count++];
    memset(group, 0, sizeof *group);
    return group;
}

static struct group *group_find(struct findings *findings, const struct report *report, bool *fresh)
{
    size_t slot = slot_of(report);
    *fresh = false;
    while (findings->slots[slot]) {
        struct group *group = &findings->groups[findings->slots[slot] - 1];
        if (is_of_group(group, report))
            return group;
        slot = (slot + 1) & ((1u << SLOTS_BITS) - 1);
    }
    struct group *group = group_add(findings);
    if (group)
        findings->slots[slot] = (uint16_t)findings->count;
    *fresh = true;
    return group;
}

static bool is_near(const struct warp *warp, const struct report *report)
{
    const struct ptx_function *in = warp->function ? warp->function->from : NULL;
    return in && report->op && report->other && report->other->from >= in->instructions &&
           report->other->from < in->instructions + in->instruction_count;
}

static void tell(struct group *group, const struct warp *warp, const struct report *report,
                 const char *format, va_list values)
{
    uint64_t count = group->finding.count;
    fill(&group->finding, warp, report);
    group->finding.count = count;
    group->op = report->op;
    group->other = report->other;
    group->position = warp->block->position;
    vsnprintf(group->finding.sentence, sizeof group->finding.sentence, format, values);
}

// The group tells of its worst, and there of the first block that has it in the order of the launch, so that the
// number of host threads does not show.
void finding_add(struct warp *warp, const struct report *report, const char *format, ...)
{
    struct findings *findings = warp->block->machine->findings;
    bool fresh;
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&findings->lock);
    struct group *group = group_find(findings, report, &fresh);
    if (group) {
        bool worse = report->severity > group->finding.severity;
        bool sooner = report->severity == group->finding.severity && warp->block->position < group->position;
        if (fresh || worse || sooner)
            tell(group, warp, report, format, values);
        group->near = (fresh || group->near) && is_near(warp, report);
        group->finding.count += report->count ? report->count : 1;
    }
    pthread_mutex_unlock(&findings->lock);
    va_end(values);
}

// ---- while it runs ----

size_t findings_count(struct findings *findings)
{
    pthread_mutex_lock(&findings->lock);
    size_t count = findings->count;
    pthread_mutex_unlock(&findings->lock);
    return count;
}

bool findings_latest(struct findings *findings, struct sim_finding *out)
{
    pthread_mutex_lock(&findings->lock);
    bool any = findings->count > 0;
    if (any)
        *out = findings->groups[findings->count - 1].finding;
    pthread_mutex_unlock(&findings->lock);
    return any;
}

// ---- the end ----

static int by_place(const void *left, const void *right)
{
    const struct sim_finding *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity < b->severity ? 1 : -1;
    if (a->here.line != b->here.line)
        return a->here.line < b->here.line ? -1 : 1;
    if (a->here.ptx_line != b->here.ptx_line)
        return a->here.ptx_line < b->here.ptx_line ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->there.ptx_line != b->there.ptx_line)
        return a->there.ptx_line < b->there.ptx_line ? -1 : 1;
    return strcmp(a->buffer, b->buffer);
}

static bool is_race(const struct group *group)
{
    return group->finding.kind == SIM_RACE_SHARED || group->finding.kind == SIM_RACE_GLOBAL;
}

// A read that is in a race may also have come before there was anything to read. That is one mistake, not two.
static bool follows_from_race(const struct findings *findings, const struct group *group)
{
    if (group->finding.kind != SIM_UNINITIALISED)
        return false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct group *race = &findings->groups[i];
        bool reads =
            place_of(race->op) == place_of(group->op) || place_of(race->other) == place_of(group->op);
        if (is_race(race) && reads && strcmp(race->finding.buffer, group->finding.buffer) == 0)
            return true;
    }
    return false;
}

// An update that other blocks' updates get lost in is a race, and then two threads also write different values.
static bool follows_from_update(const struct findings *findings, const struct group *group)
{
    if (group->finding.kind != SIM_DOUBLE_WRITE)
        return false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct group *race = &findings->groups[i];
        if (race->finding.kind == SIM_RACE_GLOBAL && race->finding.severity >= group->finding.severity &&
            place_of(race->op) == place_of(group->op) && place_of(race->other) == place_of(group->other) &&
            strcmp(race->finding.buffer, group->finding.buffer) == 0)
            return true;
    }
    return false;
}

// ---- races that one barrier would mend ----

struct span { // from the upper side to the lower one, as they stand in the PTX
    const struct op *first, *last;
};
static struct span span_of(const struct group *race)
{
    bool upward = race->op->from < race->other->from;
    return (struct span){ upward ? race->op : race->other, upward ? race->other : race->op };
}

static bool is_shorter(struct span a, struct span b)
{
    return a.last->from - a.first->from < b.last->from - b.first->from;
}

// A race of the threads of one block, between two instructions of one function.
static bool has_span(const struct group *race)
{
    const struct sim_finding *f = &race->finding;
    return is_race(race) && race->near && memcmp(f->here.block, f->there.block, sizeof f->here.block) == 0;
}

// A barrier that mends `inner` lies between the sides of `outer` too, and they have one side in common: what is not
// put in order for the first to come is not so for those behind it.
static bool mends(const struct group *inner, const struct group *outer)
{
    const struct sim_finding *a = &inner->finding, *b = &outer->finding;
    struct span in = span_of(inner), out = span_of(outer);
    return a->kind == b->kind && a->severity >= b->severity && in.first->from >= out.first->from &&
           in.last->from <= out.last->from && is_shorter(in, out) &&
           (place_of(in.first) == place_of(out.first) || place_of(in.last) == place_of(out.last)) &&
           strcmp(a->buffer, b->buffer) == 0;
}

static struct group *nearest_cause(struct findings *findings, const struct group *race)
{
    struct group *nearest = NULL;
    if (!has_span(race))
        return NULL;
    for (size_t i = 0; i < findings->count; i++) {
        struct group *inner = &findings->groups[i];
        if (has_span(inner) && mends(inner, race) &&
            (!nearest || is_shorter(span_of(inner), span_of(nearest))))
            nearest = inner;
    }
    return nearest;
}

// Those of one cause are told as the nearest two places, and how often with them. The nearest has no nearer one, so
// that every count arrives at a finding that stays.
static bool joins_nearer_race(struct findings *findings, const struct group *race)
{
    struct group *cause = nearest_cause(findings, race), *next = cause;
    while (next && (next = nearest_cause(findings, cause)) != NULL)
        cause = next;
    if (cause)
        cause->more += race->finding.count;
    return cause != NULL;
}

// Takes out those that follow from others.
static void findings_join(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        findings->groups[i].more = 0;
    for (size_t i = 0; i < findings->count; i++) {
        struct group *group = &findings->groups[i];
        group->joined = follows_from_race(findings, group) || follows_from_update(findings, group) ||
                        joins_nearer_race(findings, group);
    }
}

bool findings_take(struct findings *findings, struct sim_finding **out, size_t *count)
{
    *count = 0;
    *out = findings->count ? malloc(findings->count * sizeof **out) : NULL;
    if (findings->count && !*out)
        return false;
    findings_join(findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct group *group = &findings->groups[i];
        if (group->joined)
            continue;
        (*out)[*count] = group->finding;
        (*out)[(*count)++].count += group->more;
    }
    if (*count)
        qsort(*out, *count, sizeof **out, by_place);
    return true;
}

const char *sim_kind_name(enum sim_kind kind)
{
    static const char *const names[] = {
        "out of bounds",         "misaligned",   "uninitialised", "race in shared memory",
        "race in global memory", "barrier",      "sync mask",     "double write",
        "never written",         "endless loop", "deadlock",      "unknown instruction",
        "assertion failed",      "trap",         "error",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "error";
}
