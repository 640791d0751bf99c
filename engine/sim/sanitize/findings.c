// Findings: what was reported from inside a launch, one for each cause however often it happened.
#include "engine/sim/sanitize/findings.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 1000 };

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

static void fill(struct sim_finding *out, const struct warp *warp, const struct finding_report *report)
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
uint64_t place_of(const struct op *op)
{
    if (!op || !op->from)
        return 0;
    return op->from->line ? (uint64_t)op->from->line << 32 : (uint64_t)op->from->ptx_line;
}

static size_t slot_of(const struct finding_report *report)
{
    uint64_t hash = (uint64_t)report->kind * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (place_of(report->op) + place_of(report->other))) * 0x9e3779b97f4a7c15ull;
    for (const char *at = report->buffer ? report->buffer : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
    return hash >> (64 - SLOTS_BITS);
}

static bool is_of_group(const struct cause *group, const struct finding_report *report)
{
    uint64_t here = place_of(group->op), there = place_of(group->other);
    uint64_t one = place_of(report->op), two = place_of(report->other);
    return ((here == one && there == two) || (here == two && there == one)) &&
           group->finding.kind == report->kind &&
           strncmp(group->finding.buffer, report->buffer ? report->buffer : "",
                   sizeof group->finding.buffer - 1) == 0;
}

static struct cause *group_add(struct findings *findings)
{
    if (findings->count == MOST_GROUPS)
        return NULL;
    if (!findings->groups || findings->count == findings->room) {
        size_t room = findings->room ? findings->room * 2 : 16;
        struct cause *larger = realloc(findings->groups, room * sizeof *larger);
        if (!larger)
            return NULL;
        findings->groups = larger;
        findings->room = room;
    }
    struct cause *group = &findings->groups[findings->count++];
    memset(group, 0, sizeof *group);
    return group;
}

// Its slot; an empty one: there is no such group.
static size_t group_slot(const struct findings *findings, const struct finding_report *report)
{
    size_t slot = slot_of(report);
    while (findings->slots[slot] && !is_of_group(&findings->groups[findings->slots[slot] - 1], report))
        slot = (slot + 1) & ((1u << SLOTS_BITS) - 1);
    return slot;
}

static struct cause *group_known(struct findings *findings, const struct finding_report *report)
{
    uint16_t known = findings->slots[group_slot(findings, report)];
    return known ? &findings->groups[known - 1] : NULL;
}

static struct cause *group_find(struct findings *findings, const struct finding_report *report, bool *fresh)
{
    struct cause *group = group_known(findings, report);
    *fresh = !group;
    if (!group && (group = group_add(findings)))
        findings->slots[group_slot(findings, report)] = (uint16_t)findings->count;
    return group;
}

static bool is_near(const struct warp *warp, const struct finding_report *report)
{
    const struct ptx_function *in = warp->function ? warp->function->from : NULL;
    return in && report->op && report->other && report->other->from >= in->instructions &&
           report->other->from < in->instructions + in->instruction_count;
}

static void describe(struct cause *group, const struct warp *warp, const struct finding_report *report,
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
static bool describes_better(const struct cause *group, const struct warp *warp,
                             const struct finding_report *report)
{
    if (report->severity != group->finding.severity)
        return report->severity > group->finding.severity;
    return warp->block->position < group->position;
}

static void count(struct cause *group, const struct warp *warp, const struct finding_report *report,
                  bool fresh)
{
    group->near = (fresh || group->near) && is_near(warp, report);
    group->finding.count += report->count ? report->count : 1;
}

bool finding_repeats(struct warp *warp, const struct finding_report *report)
{
    struct findings *findings = warp->block->machine->findings;
    pthread_mutex_lock(&findings->lock);
    struct cause *group = group_known(findings, report);
    bool repeats = group && !describes_better(group, warp, report);
    if (repeats)
        count(group, warp, report, false);
    pthread_mutex_unlock(&findings->lock);
    return repeats;
}

void finding_add(struct warp *warp, const struct finding_report *report, const char *format, ...)
{
    struct findings *findings = warp->block->machine->findings;
    bool fresh;
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&findings->lock);
    struct cause *group = group_find(findings, report, &fresh);
    if (group) {
        if (fresh || describes_better(group, warp, report))
            describe(group, warp, report, format, values);
        count(group, warp, report, fresh);
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

bool findings_take(struct findings *findings, struct sim_finding **out, size_t *count)
{
    *count = 0;
    *out = findings->count ? malloc(findings->count * sizeof **out) : NULL;
    if (findings->count && !*out)
        return false;
    findings_join(findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *group = &findings->groups[i];
        if (group->joined)
            continue;
        finding_whole(group, &(*out)[(*count)++]);
    }
    if (*out && *count)
        qsort(*out, *count, sizeof **out, by_place);
    return true;
}

// ---- several launches ----

static bool is_at(const struct sim_place *a, const struct sim_place *b)
{
    return a->line || b->line ? a->line == b->line : a->ptx_line == b->ptx_line;
}

// As is_of_group has it for the reports of one launch.
static bool is_same_cause(const struct sim_finding *a, const struct sim_finding *b)
{
    bool along = is_at(&a->here, &b->here) && is_at(&a->there, &b->there);
    bool across = is_at(&a->here, &b->there) && is_at(&a->there, &b->here);
    return (along || across) && a->kind == b->kind && strcmp(a->buffer, b->buffer) == 0;
}

static bool merge_if_same_cause(struct sim_finding *known, const struct sim_finding *again)
{
    if (!is_same_cause(known, again))
        return false;
    uint64_t count = known->count + again->count;
    if (again->severity > known->severity)
        *known = *again;
    known->count = count;
    return true;
}

size_t sim_findings_again(struct sim_finding *known, size_t known_count, struct sim_finding *later,
                          size_t later_count)
{
    size_t fresh = 0;
    for (size_t i = 0; i < later_count; i++) {
        size_t k = 0;
        while (k < known_count && !merge_if_same_cause(&known[k], &later[i]))
            k++;
        if (k == known_count)
            later[fresh++] = later[i];
    }
    return fresh;
}

// ---- names ----

const char *sim_kind_name(enum sim_kind kind)
{
    static const char *const names[] = {
        "out of bounds",         "misaligned",   "uninitialised", "race in shared memory",
        "race in global memory", "barrier",      "sync mask",     "double write",
        "never written",         "endless loop", "deadlock",      "unknown instruction",
        "assertion failed",      "trap",         "stopped",
    };
    _Static_assert(sizeof names / sizeof *names == SIM_OTHER + 1, "every kind has a name");
    return names[kind];
}
