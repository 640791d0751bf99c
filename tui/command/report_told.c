// What the workbook says of one live block: the first answer counts, what came later is told beside it.
#include "tui/command/report.h"
#include "tui/view/workbook.h"

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

const struct lesson *note_lesson(const json_t *note, const struct lessons *lessons)
{
    bool is_note = strcmp(event_kind(note), "note") == 0;
    char *word = is_note ? opened_by(note) : NULL;
    const struct lesson *lesson = word ? lessons_find(lessons, word) : NULL;
    free(word);
    return lesson;
}

static bool belongs(const json_t *event, const struct lesson *lesson)
{
    const struct lessons one = { (struct lesson *)lesson, 1 };
    return strcmp(event_text(event, "lesson"), lesson->name) == 0 || note_lesson(event, &one);
}

void story_read(struct story *out, const struct workbook *workbook, const struct lesson *lesson)
{
    *out = (struct story){ .lesson = lesson };
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        const json_t *event = workbook_event(workbook, i);
        if (!belongs(event, lesson))
            continue;
        out->events = array_room(out->events, out->count, sizeof *out->events);
        out->events[out->count++] = event;
    }
}

void story_free(struct story *story)
{
    free(story->events);
    *story = (struct story){ 0 };
}

// ---- one live block -----------------------------------------------------------------------------------------------

static bool is(const json_t *event, const char *kind)
{
    return strcmp(event_kind(event), kind) == 0;
}

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
    if (says(event, "review")) {
        told->reviews++;
        told->reviews_right += says(event, "right");
    } else if (is(event, "predict")) {
        told->predicted = told->predicted ? told->predicted : event;
    } else if (is(event, "outcome")) {
        told->outcome = told->outcome ? told->outcome : event;
    } else if (is(event, "answer")) {
        take_answer(told, event);
    } else if (is(event, "hint")) {
        take_hint(told, event);
    } else if (is(event, "edit")) {
        told->edits++;
    }
}

void told_read(struct told *out, const struct story *story, const struct live *live)
{
    *out = (struct told){ 0 };
    for (size_t i = 0; live->id && i < story->count; i++)
        if (strcmp(event_text(story->events[i], "id"), live->id) == 0)
            take_event(out, story->events[i]);
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
