// What the workbook says of one live block: the first answer counts, what came later is told beside it.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <stdlib.h>
#include <string.h>

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
    const struct story_event *a = one, *b = other;
    int order = strcmp(a->id, b->id);
    return order ? order : a->at < b->at ? -1 : 1;
}

static void add_event(struct story *story, const json_t *event)
{
    const char *id = event_text(event, "id");
    story->events = array_room(story->events, story->count, sizeof *story->events);
    story->events[story->count++] = event;
    if (!*id)
        return;
    story->by_id = array_room(story->by_id, story->id_count, sizeof *story->by_id);
    story->by_id[story->id_count++] = (struct story_event){ id, event, story->count };
}

static void story_read(struct story *out, const struct workbook *workbook, const struct lesson *lesson)
{
    *out = (struct story){ .lesson = lesson };
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (belongs(workbook, i, lesson))
            add_event(out, workbook_event(workbook, i));
    if (out->id_count)
        qsort(out->by_id, out->id_count, sizeof *out->by_id, by_id);
}

struct story *stories_read(const struct workbook *workbook, const struct lessons *lessons)
{
    struct story *stories = mem_new((lessons->count + 1) * sizeof *stories);
    for (size_t i = 0; i < lessons->count; i++)
        story_read(&stories[i], workbook, &lessons->list[i]);
    return stories;
}

void stories_free(struct story *stories, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(stories[i].events);
        free(stories[i].by_id);
    }
    free(stories);
}

// The first event with this id, or where it would stand.
static size_t first_of(const struct story *story, const char *id)
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

static void take_answer(struct told *told, const json_t *event)
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

static void take_hint(struct told *told, const json_t *event)
{
    int hints = (int)json_integer_value(json_object_get(event, "hint"));
    told->hints = hints > told->hints ? hints : told->hints;
    if (says(event, "asked_solution") && !told->asked && !told->solved)
        told->asked = event;
}

static void take_event(struct told *told, const json_t *event)
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

void told_read(struct told *out, const struct story *story, const struct live *live)
{
    *out = (struct told){ 0 };
    if (!live->id)
        return;
    for (size_t i = first_of(story, live->id);
         i < story->id_count && strcmp(story->by_id[i].id, live->id) == 0; i++)
        take_event(out, story->by_id[i].event);
}

void told_free(struct told *told)
{
    free(told->later);
    *told = (struct told){ 0 };
}

// ---- what the summary counts ----------------------------------------------------------------------------------------

static void count_block(struct tally *tally, const struct live *live, const struct told *told)
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

struct tally tally_of(const struct workbook *workbook, const struct story *story)
{
    struct progress progress = progress_of(workbook, story->lesson);
    struct tally tally = { .done = progress.done, .asked = progress.asked };
    for (size_t i = 0; i < story->lesson->block_count; i++) {
        const struct block *block = &story->lesson->blocks[i];
        struct told told;
        if (block->kind != BLOCK_LIVE)
            continue;
        told_read(&told, story, &block->live);
        count_block(&tally, &block->live, &told);
        told_free(&told);
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
