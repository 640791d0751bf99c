// What the workbook says: of one live block, where the first answer counts and what came later is reported beside it; and
// of runs, where the newest of each step in each place is kept, beside those that it can be compared with.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ==== lessons ===============================================================================================

// ---- one lesson -------------------------------------------------------------------------------------------------

// `lesson 6` or `lesson "06-coalescing"`: the words that opened the page where it was written.
static char *opened_by(const json_t *note)
{
    const char *page = event_text(note, "page");
    if (!string_starts(page, "lesson "))
        return NULL;
    page += strlen("lesson ");
    page += strspn(page, " \"");
    size_t length = strcspn(page, " \"");
    return length ? mem_copy_n(page, length) : NULL;
}

static const struct lesson *written_in(const json_t *note, const struct lessons *lessons)
{
    char *word = opened_by(note);
    const struct lesson *lesson = word ? lessons_find(lessons, word) : NULL;
    free(word);
    return lesson;
}

const struct lesson *note_lesson(const json_t *note, const struct lessons *lessons)
{
    return event_is(note, "note") ? written_in(note, lessons) : NULL;
}

static bool belongs(const struct workbook *workbook, size_t index, const struct lesson *lesson)
{
    const struct lessons one = { .list = (struct lesson *)lesson, .count = 1 };
    if (workbook_is(workbook, index, "note"))
        return written_in(workbook_event(workbook, index), &one);
    return workbook_about(workbook, index, lesson->name, NULL);
}

static int by_id(const void *one, const void *other)
{
    const struct lesson_event *a = one, *b = other;
    int order = strcmp(a->id, b->id);
    return order ? order : a->at < b->at ? -1 : 1;
}

static void add_event(struct lesson_history *story, const json_t *event)
{
    const char *id = event_text(event, "id");
    story->events = array_room(story->events, story->count, sizeof *story->events);
    story->events[story->count++] = event;
    if (!*id)
        return;
    story->by_id = array_room(story->by_id, story->id_count, sizeof *story->by_id);
    story->by_id[story->id_count++] = (struct lesson_event){ id, event, story->count };
}

static void story_read(struct lesson_history *out, const struct workbook *workbook,
                       const struct lesson *lesson)
{
    *out = (struct lesson_history){ .lesson = lesson };
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (belongs(workbook, i, lesson))
            add_event(out, workbook_event(workbook, i));
    if (out->id_count)
        qsort(out->by_id, out->id_count, sizeof *out->by_id, by_id);
}

struct lesson_history *lesson_histories_read(const struct workbook *workbook, const struct lessons *lessons)
{
    struct lesson_history *stories = mem_new((lessons->count + 1) * sizeof *stories);
    for (size_t i = 0; i < lessons->count; i++)
        story_read(&stories[i], workbook, &lessons->list[i]);
    return stories;
}

void lesson_histories_free(struct lesson_history *stories, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(stories[i].events);
        free(stories[i].by_id);
    }
    free(stories);
}

// The first event with this id, or where it would stand.
static size_t first_of(const struct lesson_history *story, const char *id)
{
    size_t from = 0, to = story->id_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(story->by_id[middle].id, id) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// ---- one live block -----------------------------------------------------------------------------------------------

static bool says(const json_t *event, const char *key)
{
    return json_is_true(json_object_get(event, key));
}

static void take_answer(struct live_history *told, const json_t *event)
{
    bool right = says(event, "right");
    if (says(event, "shown")) {
        told->shown = told->shown ? told->shown : event;
        return;
    }
    told->tries += !told->solved;
    if (says(event, "asked_solution") && !told->asked && !told->solved)
        told->asked = event;
    if (right && !told->solved)
        told->solved = event;
    if (!told->first) {
        told->first = event;
        return;
    }
    told->later = array_room(told->later, told->later_count, sizeof *told->later);
    told->later[told->later_count++] = event;
}

static void take_hint(struct live_history *told, const json_t *event)
{
    int hints = (int)json_integer_value(json_object_get(event, "hint"));
    told->hints = hints > told->hints ? hints : told->hints;
    if (says(event, "asked_solution") && !told->asked && !told->solved)
        told->asked = event;
}

static void take_event(struct live_history *told, const json_t *event)
{
    const char *kind = event_kind(event);
    if (says(event, "review")) {
        told->reviews++;
        told->reviews_right += says(event, "right");
    } else if (strcmp(kind, "predict") == 0) {
        told->predicted = told->predicted ? told->predicted : event;
    } else if (strcmp(kind, "outcome") == 0) {
        told->outcome = told->outcome ? told->outcome : event;
    } else if (strcmp(kind, "answer") == 0) {
        take_answer(told, event);
    } else if (strcmp(kind, "hint") == 0) {
        take_hint(told, event);
    } else if (strcmp(kind, "edit") == 0) {
        told->edits++;
    }
}

void live_history_read(struct live_history *out, const struct lesson_history *story, const struct live *live)
{
    *out = (struct live_history){ 0 };
    if (!live->id)
        return;
    for (size_t i = first_of(story, live->id);
         i < story->id_count && strcmp(story->by_id[i].id, live->id) == 0; i++)
        take_event(out, story->by_id[i].event);
}

void live_history_free(struct live_history *told)
{
    free(told->later);
    *told = (struct live_history){ 0 };
}

// ---- what the summary counts ----------------------------------------------------------------------------------------

static void count_block(struct lesson_tally *tally, const struct live *live, const struct live_history *told)
{
    bool solved = told->solved != NULL;
    switch (live->kind) {
    case LIVE_PREDICT:
        tally->outcomes += told->predicted && told->outcome;
        tally->predictions_right += told->predicted && told->outcome && says(told->outcome, "right");
        break;
    case LIVE_QUIZ:
    case LIVE_ORDER:
        tally->questions += told->first || told->shown;
        tally->questions_first += told->first && told->first == told->solved;
        break;
    case LIVE_EXERCISE:
        tally->exercises++;
        tally->exercises_solved += solved;
        break;
    case LIVE_BUGHUNT:
        tally->hunts++;
        tally->hunts_solved += solved;
        break;
    default:
        break;
    }
    tally->hints += (size_t)told->hints;
    tally->solutions += told->asked != NULL;
}

struct lesson_tally lesson_tally_of(const struct workbook *workbook, const struct lesson_history *story)
{
    struct progress progress = progress_of(workbook, story->lesson);
    struct lesson_tally tally = { .done = progress.done, .asked = progress.asked };
    for (size_t i = 0; i < story->lesson->block_count; i++) {
        const struct lesson_block *block = &story->lesson->blocks[i];
        struct live_history told;
        if (block->kind != BLOCK_LIVE)
            continue;
        live_history_read(&told, story, &block->live);
        count_block(&tally, &block->live, &told);
        live_history_free(&told);
    }
    return tally;
}

// ---- small things of events --------------------------------------------------------------------------------------------

void report_day(const json_t *event, char *out, size_t size)
{
    struct tm at;
    *out = 0;
    if (event_time(event, &at))
        strftime(out, size, "%Y-%m-%d", &at);
}

// ==== runs ==================================================================================================

enum { RANK_GPU = 100, RANK_NONE = 1000000 };

static bool same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

static bool is_sim(const struct record *record)
{
    return record->backend == ON_SIM;
}

// ---- which runs belong together -----------------------------------------------------------------------------------

static bool is_comparable(const struct run_group *group, const struct record *record)
{
    const struct record *other = &group->runs[0].record;
    bool alike = same(other->lab, record->lab) && same(other->data, record->data) &&
                 same(other->preset, record->preset);
    return alike && group->simulated == is_sim(record) && record_same_params(other, record);
}

static struct run_group *group_of(struct run_groups *groups, const struct record *record)
{
    for (size_t i = 0; i < groups->count; i++)
        if (is_comparable(&groups->list[i], record))
            return &groups->list[i];
    groups->list = array_room(groups->list, groups->count, sizeof *groups->list);
    groups->list[groups->count] = (struct run_group){ .simulated = is_sim(record) };
    return &groups->list[groups->count++];
}

// The CPU's steps in their order, then the GPU's by number; what is on no ladder comes last.
static size_t rank_of(const struct record *record)
{
    const struct lab *lab = record->lab ? lab_find(record->lab) : NULL;
    const char *variant = record->variant ? record->variant : "";
    if (record->backend == ON_CPU) {
        for (size_t i = 0; lab && i < lab->cpu_count; i++)
            if (same(lab->cpu[i].name, variant))
                return i;
        return RANK_GPU - 1;
    }
    size_t digits = strspn(variant, "0123456789");
    return digits && digits < 5 ? RANK_GPU + (size_t)atoi(variant) : RANK_NONE;
}

// The newest takes the place of the one before.
static void take_run(struct run_groups *groups, const json_t *event, struct record *record)
{
    struct run_group *group = group_of(groups, record);
    struct latest_run run = { *record, event, rank_of(record) };
    group->all++;
    for (size_t i = 0; i < group->count; i++) {
        struct record *old = &group->runs[i].record;
        if (!same(old->variant, record->variant) || old->backend != record->backend ||
            !same(old->device, record->device))
            continue;
        record_free(old);
        group->runs[i] = run;
        return;
    }
    group->runs = array_room(group->runs, group->count, sizeof *group->runs);
    group->runs[group->count++] = run;
}

// ---- their order ------------------------------------------------------------------------------------------------------

static size_t lab_rank(const char *name)
{
    size_t i = 0;
    while (i < lab_count && strcmp(lab_list[i]->name, name) != 0)
        i++;
    return *name ? i : lab_count + 1; // files that stand alone come last
}

static int by_step(const void *one, const void *other)
{
    const struct latest_run *a = one, *b = other;
    const char *first = a->record.device, *second = b->record.device;
    if (a->rank != b->rank && (a->rank < RANK_GPU) != (b->rank < RANK_GPU))
        return a->rank < b->rank ? -1 : 1;
    if (!same(first, second))
        return strcmp(first ? first : "", second ? second : "");
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->record.variant ? a->record.variant : "", b->record.variant ? b->record.variant : "");
}

// Of one lab the timed ones first, then as they came.
static int by_lab(const void *one, const void *other)
{
    const struct run_group *a = one, *b = other;
    const char *first = run_group_lab(a), *second = run_group_lab(b);
    size_t rank = lab_rank(first), other_rank = lab_rank(second);
    if (rank != other_rank)
        return rank < other_rank ? -1 : 1;
    if (strcmp(first, second) != 0)
        return strcmp(first, second);
    if (a->simulated != b->simulated)
        return a->simulated ? 1 : -1;
    return strcmp(event_text(a->runs[0].event, "date"), event_text(b->runs[0].event, "date"));
}

void run_groups_read(struct run_groups *out, const struct workbook *workbook)
{
    *out = (struct run_groups){ 0 };
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        struct record record;
        struct error unused;
        if (!workbook_is(workbook, i, "run"))
            continue;
        const json_t *event = workbook_event(workbook, i);
        if (record_from_json(&record, event, &unused))
            take_run(out, event, &record);
        else
            out->unread++;
    }
    for (size_t i = 0; i < out->count; i++)
        qsort(out->list[i].runs, out->list[i].count, sizeof *out->list[i].runs, by_step);
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, by_lab);
}

void run_groups_free(struct run_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (size_t r = 0; r < groups->list[i].count; r++)
            record_free(&groups->list[i].runs[r].record);
        free(groups->list[i].runs);
    }
    free(groups->list);
    *groups = (struct run_groups){ 0 };
}

// ---- asking -----------------------------------------------------------------------------------------------------------

const char *run_group_lab(const struct run_group *group)
{
    return group->runs[0].record.lab ? group->runs[0].record.lab : "";
}

bool run_timed(const struct latest_run *run)
{
    return run->record.status == STATUS_RIGHT && run->record.median_ms > 0 && !is_sim(&run->record);
}

const struct latest_run *run_group_base(const struct run_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (run_timed(&group->runs[i]))
            return &group->runs[i];
    return NULL;
}
