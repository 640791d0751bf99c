// Findings: what was reported from inside a launch, one for each cause however often it happened. At the end, findings that
// follow from others are merged: one mistake is one finding, with the count of all.
#include "engine/sim/sanitize/sanitize.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cause { // reports of one cause
    struct sim_finding finding;
    const struct op *op, *other;
    uint64_t position; // of the block that the finding tells of
    bool near;         // of a race: both sides always stood in the function that ran
    // At the end:
    bool follows;        // from another cause, and is not reported
    bool joined;         // another finding tells of it
    uint64_t more;       // the counts of those that it tells of
    unsigned more_lines; // of those that go on where it ends, and where the last of them is
    const struct op *last;
};
enum { MOST_GROUPS = 1000, SLOTS_BITS = 11 };
struct findings {
    pthread_mutex_t lock;
    struct cause *groups;
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

struct findings *findings_copy(const struct findings *from)
{
    struct findings *copy = findings_new();
    struct cause *groups = malloc((from->room + 1) * sizeof *groups);
    if (!copy || !groups) {
        findings_free(copy);
        free(groups);
        return NULL;
    }
    if (from->count)
        memcpy(groups, from->groups, from->count * sizeof *groups);
    memcpy(copy->slots, from->slots, sizeof copy->slots);
    copy->groups = groups;
    copy->count = from->count;
    copy->room = from->room;
    return copy;
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
static uint64_t place_of(const struct op *op)
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

// ---- several causes, one mistake -------------------------------------------------------------------------

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

static void findings_join(struct findings *findings)
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

static void finding_whole(const struct cause *group, struct sim_finding *out)
{
    *out = group->finding;
    out->count += group->more;
    if (!group->more_lines)
        return;
    char last[40];
    size_t length = strlen(out->sentence);
    snprintf(out->sentence + length, sizeof out->sentence - length, " %u more line%s the same, up to %s.",
             group->more_lines, group->more_lines == 1 ? " does" : "s do",
             finding_say_line(group->last, last));
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
