// Findings: what was reported from inside a launch, one for each cause however often it happened. At the end, findings that
// follow from others are merged: one mistake is one finding, with the count of all.
#include "engine/sim/sanitize/findings.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cause { // all reports with one cause
    struct sim_finding finding;
    const struct op *op, *other;
    uint64_t position; // of the block that the finding describes
    bool near;         // of a race: both sides were always in the function that ran
    bool wide;   // of a race: the report that describes it knew that more than one block touches the place
    bool update; // of a race: struct finding_report
    // Set by findings_join:
    bool follows;  // it follows from another cause and is not reported
    bool joined;   // its count is part of another finding
    uint64_t more; // the counts of the causes that joined this one
    unsigned
        more_lines; // how many lines continue a chain of races that starts here; `last` is the end of the chain
    const struct op *last;
};
enum { MOST_CAUSES = 1000, SLOTS_BITS = 11, REMEMBERED = 256 };
struct findings {
    pthread_mutex_t lock;
    struct cause *causes;
    size_t count, room;
    uint16_t slots[1 << SLOTS_BITS]; // index of a cause plus 1; an open hash table
    struct remembered {              // by a hash of the place; a later one takes the slot
        struct finding_place at;
        size_t cause; // its index
    } remembered[REMEMBERED];
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
    free(findings->causes);
    free(findings);
}

struct findings *findings_copy(const struct findings *from)
{
    struct findings *copy = findings_new();
    struct cause *causes = malloc((from->room + 1) * sizeof *causes);
    if (!copy || !causes) {
        findings_free(copy);
        free(causes);
        return NULL;
    }
    if (from->count)
        memcpy(causes, from->causes, from->count * sizeof *causes);
    memcpy(copy->slots, from->slots, sizeof copy->slots);
    copy->causes = causes;
    copy->count = from->count;
    copy->room = from->room;
    return copy;
}

// ---- threads and places ----

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
    warp_thread_of_lane(warp, report->lane, out->here.thread);
    if (report->other || report->other_known)
        locate(&out->there, report->other);
    memcpy(out->there.block, report->other_block, sizeof out->there.block);
    memcpy(out->there.thread, report->other_thread, sizeof out->there.thread);
    snprintf(out->space, sizeof out->space, "%s", report->space ? report->space : "");
    snprintf(out->buffer, sizeof out->buffer, "%s", report->buffer ? report->buffer : "");
}

// ---- causes ----

// The line of an instruction, which identifies it in a cause: the optimiser copies a line into many instructions, and to a
// reader it is still one. Reports have one cause when they agree in kind, buffer and lines, where the two sides of a race may
// be exchanged.
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

static bool is_of_cause(const struct cause *cause, const struct finding_report *report)
{
    uint64_t here = place_of(cause->op), there = place_of(cause->other);
    uint64_t one = place_of(report->op), two = place_of(report->other);
    return ((here == one && there == two) || (here == two && there == one)) &&
           cause->finding.kind == report->kind &&
           strncmp(cause->finding.buffer, report->buffer ? report->buffer : "",
                   sizeof cause->finding.buffer - 1) == 0;
}

static struct cause *cause_add(struct findings *findings)
{
    if (findings->count == MOST_CAUSES)
        return NULL;
    if (!findings->causes || findings->count == findings->room) {
        size_t room = findings->room ? findings->room * 2 : 16;
        struct cause *larger = realloc(findings->causes, room * sizeof *larger);
        if (!larger)
            return NULL;
        findings->causes = larger;
        findings->room = room;
    }
    struct cause *cause = &findings->causes[findings->count++];
    memset(cause, 0, sizeof *cause);
    return cause;
}

// The slot of the report's cause, or the empty slot where it belongs.
static size_t cause_slot(const struct findings *findings, const struct finding_report *report)
{
    size_t slot = slot_of(report);
    while (findings->slots[slot] && !is_of_cause(&findings->causes[findings->slots[slot] - 1], report))
        slot = (slot + 1) & ((1u << SLOTS_BITS) - 1);
    return slot;
}

static struct cause *cause_known(struct findings *findings, const struct finding_report *report)
{
    uint16_t known = findings->slots[cause_slot(findings, report)];
    return known ? &findings->causes[known - 1] : NULL;
}

static struct cause *cause_find(struct findings *findings, const struct finding_report *report, bool *fresh)
{
    struct cause *cause = cause_known(findings, report);
    *fresh = !cause;
    if (!cause && (cause = cause_add(findings)))
        findings->slots[cause_slot(findings, report)] = (uint16_t)findings->count;
    return cause;
}

static bool is_near(const struct warp *warp, const struct finding_report *report)
{
    const struct ptx_function *in = warp->function ? warp->function->from : NULL;
    return in && report->op && report->other && report->other->from >= in->instructions &&
           report->other->from < in->instructions + in->instruction_count;
}

static void describe(struct cause *cause, const struct warp *warp, const struct finding_report *report,
                     const char *format, va_list values)
{
    uint64_t count = cause->finding.count;
    fill(&cause->finding, warp, report);
    cause->finding.count = count;
    cause->op = report->op;
    cause->other = report->other;
    cause->position = warp->block->position;
    cause->wide = report->wide;
    cause->update = report->update;
    vsnprintf(cause->finding.sentence, sizeof cause->finding.sentence, format, values);
}

// A cause is described by its most severe report, then by one that knows of other blocks, since what helps depends on them,
// and among those by the one of the first block in the order of the launch, so that the number of host threads does not show.
static bool describes_better(const struct cause *cause, const struct warp *warp,
                             const struct finding_report *report)
{
    if (report->severity != cause->finding.severity)
        return report->severity > cause->finding.severity;
    if (report->wide != cause->wide)
        return report->wide;
    return warp->block->position < cause->position;
}

static void count(struct cause *cause, const struct warp *warp, const struct finding_report *report,
                  bool fresh)
{
    cause->near = (fresh || cause->near) && is_near(warp, report);
    cause->finding.count += report->count ? report->count : 1;
}

bool finding_repeats(struct warp *warp, const struct finding_report *report)
{
    struct findings *findings = warp->block->machine->findings;
    pthread_mutex_lock(&findings->lock);
    struct cause *cause = cause_known(findings, report);
    bool repeats = cause && !describes_better(cause, warp, report);
    if (repeats)
        count(cause, warp, report, false);
    pthread_mutex_unlock(&findings->lock);
    return repeats;
}

void finding_add(struct warp *warp, const struct finding_report *report, const char *format, ...)
{
    struct machine *machine = warp->block->machine;
    struct findings *findings = machine->findings;
    bool fresh;
    va_list values;
    if (machine->guesses & GUESS_ORDER)
        guess_wrong(machine, GUESS_ORDER);
    va_start(values, format);
    pthread_mutex_lock(&findings->lock);
    struct cause *cause = cause_find(findings, report, &fresh);
    if (cause) {
        if (fresh || describes_better(cause, warp, report))
            describe(cause, warp, report, format, values);
        count(cause, warp, report, fresh);
    }
    pthread_mutex_unlock(&findings->lock);
    va_end(values);
}

static struct remembered *slot_of_place(struct findings *findings, const struct finding_place *at)
{
    const uint64_t hash = ((uint64_t)(uintptr_t)at->op ^ at->place) * 0x9e3779b97f4a7c15ull;
    return &findings->remembered[hash % (1ull << 40) >> 32];
}

bool finding_count(struct warp *warp, const struct finding_place *at, unsigned count)
{
    struct findings *findings = warp->block->machine->findings;
    pthread_mutex_lock(&findings->lock);
    const struct remembered *known = slot_of_place(findings, at);
    bool counts = known->at.op == at->op && known->at.place == at->place && known->at.kind == at->kind;
    if (counts) {
        struct cause *cause = &findings->causes[known->cause];
        const struct finding_report report = { .severity = SIM_ERROR, .op = at->op, .count = count };
        counts = !describes_better(cause, warp, &report);
        if (counts)
            cause->finding.count += count;
    }
    pthread_mutex_unlock(&findings->lock);
    return counts;
}

void finding_remember(struct warp *warp, const struct finding_place *at, const struct finding_report *report)
{
    struct findings *findings = warp->block->machine->findings;
    pthread_mutex_lock(&findings->lock);
    const struct cause *cause = cause_known(findings, report);
    if (cause)
        *slot_of_place(findings, at) = (struct remembered){ *at, (size_t)(cause - findings->causes) };
    pthread_mutex_unlock(&findings->lock);
}

// ---- several causes, one mistake -------------------------------------------------------------------------

static bool is_race(const struct cause *cause)
{
    return cause->finding.kind == SIM_RACE_SHARED || cause->finding.kind == SIM_RACE_GLOBAL;
}

static bool is_same_buffer(const struct cause *a, const struct cause *b)
{
    return strcmp(a->finding.buffer, b->finding.buffer) == 0;
}

// A read that races with a write may also come before that write: the value is then uninitialised, by the same mistake. The
// lanes of a warp, whose races are warnings, run in step here: where they read too early, no lane has written before.
static bool follows_from_race(const struct cause *cause, const struct cause *race)
{
    bool reads = place_of(race->op) == place_of(cause->op) || place_of(race->other) == place_of(cause->op);
    return cause->finding.kind == SIM_UNINITIALISED && is_race(race) && reads &&
           race->finding.severity >= cause->finding.severity && is_same_buffer(race, cause);
}

// An update that loses the updates of other threads is a race, and two threads then also write different values.
static bool follows_from_update(const struct cause *cause, const struct cause *race)
{
    uint64_t place = place_of(cause->op);
    return cause->finding.kind == SIM_DOUBLE_WRITE && race->finding.kind == SIM_RACE_GLOBAL && race->update &&
           race->finding.severity >= cause->finding.severity && place == place_of(cause->other) &&
           (place == place_of(race->op) || place == place_of(race->other)) && is_same_buffer(race, cause);
}

// A shuffle after some lanes have returned is a warning, and an error once a value is used that one of them should have
// brought; the error replaces the warning.
static bool follows_from_shuffle(const struct cause *cause, const struct cause *use)
{
    return cause->finding.kind == SIM_SYNC_MASK && cause->finding.severity != SIM_ERROR &&
           use->finding.kind == SIM_SYNC_MASK && use->finding.severity == SIM_ERROR &&
           place_of(use->op) == place_of(cause->op);
}

static bool is_wait(const struct op *op)
{
    return op && op->from && strcmp(op->from->base, "cp") == 0 && op->from->operand_count < 2;
}

static bool is_copy(const struct op *op)
{
    return op && op->from && strcmp(op->from->base, "cp") == 0 && op->from->operand_count > 1;
}

// An access that comes too early for an asynchronous copy comes too early for the wait for that copy as well.
static bool follows_from_copy(const struct cause *cause, const struct cause *race)
{
    if (!is_race(cause) || is_wait(cause->op) == is_wait(cause->other))
        return false;
    const struct op *early = is_wait(cause->op) ? cause->other : cause->op;
    return is_race(race) && is_copy(race->op) != is_copy(race->other) &&
           place_of(is_copy(race->op) ? race->other : race->op) == place_of(early) &&
           race->finding.severity >= cause->finding.severity && is_same_buffer(race, cause);
}

static bool follows_from_another(const struct findings *findings, const struct cause *cause)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct cause *other = &findings->causes[i];
        if (follows_from_race(cause, other) || follows_from_update(cause, other) ||
            follows_from_copy(cause, other) || follows_from_shuffle(cause, other))
            return true;
    }
    return false;
}

// ---- races that one barrier would fix ----

struct race_span { // the instructions of a race, in the order of the PTX
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

// Whether the race is between threads of one block, in two instructions of one function.
static bool has_span(const struct cause *race)
{
    const struct sim_finding *f = &race->finding;
    return is_race(race) && !race->follows && race->near &&
           memcmp(f->here.block, f->there.block, sizeof f->here.block) == 0;
}

// Whether a barrier that fixes `inner` fixes `outer` too: the instructions of `inner` lie between those of `outer`, and the
// races have one instruction in common.
static bool fixes(const struct cause *inner, const struct cause *outer)
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
        struct cause *inner = &findings->causes[i];
        if (has_span(inner) && fixes(inner, race) &&
            (!nearest || is_shorter(span_of(inner), span_of(nearest))))
            nearest = inner;
    }
    return nearest;
}

// Races that one barrier fixes are reported as one, with the two instructions that are nearest to each other and the counts
// of all. The nearest race joins no other, so that every count arrives at a finding that is reported.
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

static uint64_t place_of_use(const struct cause *cause)
{
    return place_of(cause->other ? cause->other : cause->op);
}

static bool is_of_use(const struct cause *cause, const struct cause *other)
{
    return other->finding.kind == SIM_UNINITIALISED && !other->follows && other->finding.buffer[0] &&
           place_of_use(other) == place_of_use(cause) &&
           strcmp(other->finding.buffer, cause->finding.buffer) == 0;
}

// Reads of one uninitialised array that are used at the same place are reported as one, at the earliest line that reads.
static bool joins_earlier_read(struct findings *findings, const struct cause *cause)
{
    struct cause *earliest = NULL;
    uint64_t place = place_of(cause->op);
    for (size_t i = 0; i < findings->count && cause->finding.kind == SIM_UNINITIALISED; i++) {
        struct cause *other = &findings->causes[i];
        if (is_of_use(cause, other) && place_of(other->op) < place) {
            earliest = other;
            place = place_of(other->op);
        }
    }
    if (earliest)
        earliest->more += cause->finding.count;
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

// Joins races between the lanes of a warp that form a chain, each with what the line before wrote: the steps of a reduction
// in which every step misses a __syncwarp().
static void join_chains(struct findings *findings)
{
    struct cause **all = malloc((findings->count + 1) * sizeof *all), *head = NULL;
    size_t count = 0;
    for (size_t i = 0; all && i < findings->count; i++) {
        struct cause *cause = &findings->causes[i];
        if (!cause->joined && has_span(cause) && cause->finding.severity == SIM_WARNING)
            all[count++] = cause;
    }
    if (count)
        qsort(all, count, sizeof *all, by_chain);
    for (size_t i = 0; i < count; i++) {
        struct cause *cause = all[i];
        uint64_t end = head ? place_of(head->last) : 0;
        bool goes_on = head && strcmp(head->finding.buffer, cause->finding.buffer) == 0 &&
                       head->finding.kind == cause->finding.kind &&
                       (first_place(cause) == end || first_place(cause) == first_place(all[i - 1]));
        if (!goes_on) {
            head = cause;
            head->last = span_of(head).last;
            continue;
        }
        cause->joined = true;
        head->more += cause->finding.count + cause->more;
        head->more_lines += last_place(cause) > end;
        if (last_place(cause) > end)
            head->last = span_of(cause).last;
    }
    free(all);
}

static void findings_join(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        findings->causes[i].more = findings->causes[i].more_lines = 0;
        findings->causes[i].last = NULL;
    }
    for (size_t i = 0; i < findings->count; i++)
        findings->causes[i].follows = follows_from_another(findings, &findings->causes[i]);
    for (size_t i = 0; i < findings->count; i++)
        findings->causes[i].joined = findings->causes[i].follows ||
                                     joins_nearer_race(findings, &findings->causes[i]) ||
                                     joins_earlier_read(findings, &findings->causes[i]);
    join_chains(findings);
}

static void finding_whole(const struct cause *cause, struct sim_finding *out)
{
    *out = cause->finding;
    out->count += cause->more;
    if (!cause->more_lines)
        return;
    char last[40];
    size_t length = strlen(out->sentence);
    snprintf(out->sentence + length, sizeof out->sentence - length, " %u more line%s the same, up to %s.",
             cause->more_lines, cause->more_lines == 1 ? " does" : "s do",
             finding_say_line(cause->last, last));
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
        *out = findings->causes[findings->count - 1].finding;
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
        const struct cause *cause = &findings->causes[i];
        if (cause->joined)
            continue;
        finding_whole(cause, &(*out)[(*count)++]);
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

// is_of_cause, for findings of different launches.
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
        "out of bounds",         "misaligned",   "uninitialised",      "race in shared memory",
        "race in global memory", "barrier",      "sync mask",          "double write",
        "never written",         "endless loop", "deadlock",           "unknown instruction",
        "assertion failed",      "trap",         "mixed-up fragments", "block not started",
        "block has ended",       "stopped",
    };
    _Static_assert(sizeof names / sizeof *names == SIM_OTHER + 1, "every kind has a name");
    return names[kind];
}
