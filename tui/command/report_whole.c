// The whole document, from the first page to what fits nowhere else. Nothing that was written down is left out unsaid.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- labs ----------------------------------------------------------------------------------------------------------

// "LAB", "LAB/STEP --size small"
static bool names_lab(const char *value, const char *lab)
{
    size_t length = strlen(lab);
    return value && length && strncmp(value, lab, length) == 0 && strchr("/ ", value[length]);
}

bool lesson_shows(const struct lesson *lesson, const char *lab)
{
    static const char *const keys[] = { "show", "run", "lab" };
    for (size_t i = 0; lesson && i < lesson->block_count; i++)
        for (size_t k = 0; lesson->blocks[i].kind == BLOCK_LIVE && k < COUNT(keys); k++)
            for (size_t n = 0; n < live_count(&lesson->blocks[i].live, keys[k]); n++)
                if (names_lab(live_nth(&lesson->blocks[i].live, keys[k], n), lab))
                    return true;
    return !lesson;
}

static void add_labs(struct report *report, const struct workbook *workbook, const struct lesson *lesson)
{
    struct run_groups groups;
    bool begun = false;
    run_groups_read(&groups, workbook);
    for (size_t i = 0; i < groups.count;) {
        if (!lesson_shows(lesson, run_group_lab(&groups.list[i]))) {
            i++;
            continue;
        }
        if (!begun)
            report_heading(report, 2, "Labs");
        begun = true;
        i = report_lab(report, &groups, i);
    }
    report_edits(report, workbook, lesson);
    if (groups.unread)
        report_words(report, "%zu run%s of the workbook cannot be read: a field is missing or wrong.",
                     groups.unread, groups.unread == 1 ? "" : "s");
    run_groups_free(&groups);
}

// ---- what belongs to no lesson that is here ------------------------------------------------------------------------

static const struct lesson *lesson_named(const struct lessons *lessons, const char *name)
{
    for (size_t i = 0; i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, name) == 0)
            return &lessons->list[i];
    return NULL;
}

static bool is_note(const json_t *event)
{
    return event_is(event, "note");
}

static void add_notes(struct report *report, const struct workbook *workbook, const struct lessons *lessons)
{
    const json_t *event;
    size_t count = 0;
    for (size_t i = 0; (event = workbook_event(workbook, i)); i++) {
        if (!workbook_is(workbook, i, "note") || note_lesson(event, lessons))
            continue;
        if (!count++)
            report_heading(report, 2, "Notes");
        report_note(report, event);
    }
}

static bool has_block(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->block_count; i++)
        if (lesson->blocks[i].kind == BLOCK_LIVE && lesson->blocks[i].live.id &&
            strcmp(lesson->blocks[i].live.id, id) == 0)
            return true;
    return false;
}

static bool is_known(const json_t *event, const struct lessons *lessons)
{
    static const char *const about[] = { "predict", "outcome", "answer", "hint", "edit" };
    const char *kind = event_kind(event), *name = event_text(event, "lesson");
    const struct lesson *lesson = lesson_named(lessons, name);
    if (strcmp(kind, "run") == 0 || is_note(event) || (strcmp(kind, "edit") == 0 && !*name))
        return true;
    if (strcmp(kind, "lesson") == 0)
        return lesson;
    for (size_t i = 0; i < COUNT(about); i++)
        if (strcmp(kind, about[i]) == 0)
            return lesson && has_block(lesson, event_text(event, "id"));
    return false;
}

static void other_row(struct report *report, const json_t *event)
{
    static const char *const keys[] = { "text", "number", "typed", "chosen", "order", "came", "title" };
    const json_t *value = NULL, *right = json_object_get(event, "right");
    char day[20];
    report_day(event, day, sizeof day);
    report_cell(report, "%s", day);
    report_cell(report, "%s", event_kind(event));
    report_cell(report, "%s", event_text(event, "lesson"));
    report_add(report, ROLE_TEXT, "%s%s", *event_text(event, "id") ? " " : "", event_text(event, "id"));
    for (size_t i = 0; !value && i < COUNT(keys); i++)
        value = json_object_get(event, keys[i]);
    char *words = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    report_cell(report, "%s", words ? words : "");
    report_cell(report, "%s", !json_is_boolean(right) ? "" : json_is_true(right) ? "right" : "not right");
    free(words);
}

// Of other people's lessons, or of later and older versions of warpbook.
static void add_others(struct report *report, const struct workbook *workbook, const struct lessons *lessons)
{
    static const char *const head[] = { "day", "what", "of", "said", "it was" };
    const json_t *event;
    size_t count = 0;
    for (size_t i = 0; (event = workbook_event(workbook, i)); i++) {
        if (is_known(event, lessons))
            continue;
        if (!count++) {
            report_heading(report, 2, "Also in the workbook");
            report_words(report,
                         "These lines are about lessons or questions that this warpbook does not have.");
            report_table(report, head, COUNT(head), 0);
        }
        other_row(report, event);
    }
}

// ---- the document -----------------------------------------------------------------------------------------------------

static void add_lessons(struct report *report, const struct workbook *workbook, const struct story *stories,
                        size_t count, const struct lesson *only)
{
    for (size_t i = 0; i < count; i++)
        if (only ? only == stories[i].lesson : stories[i].count)
            report_lesson(report, workbook, &stories[i]);
}

static void add_start(struct report *report)
{
    report_words(report,
                 "Nothing is written here yet. Predictions, answers and runs are written into the workbook "
                 "as you make them:");
    report_item(report, "%s", "");
    report_add(report, ROLE_CODE, "warpbook open lesson 1");
    report_add(report, ROLE_TEXT, " opens the first lesson, which asks before it shows;");
    report_item(report, "%s", "");
    report_add(report, ROLE_CODE, "warpbook run vecadd");
    report_add(report, ROLE_TEXT, " runs the first ladder of kernels;");
    report_item(report, "%s", "");
    report_add(report, ROLE_CODE, "warpbook note WORDS");
    report_add(report, ROLE_TEXT, " writes a line of your own.");
}

void report_make(struct report *report, const struct workbook *workbook, const struct lessons *lessons,
                 const struct report_wish *wish)
{
    *report = (struct report){ 0 };
    struct story *stories = stories_read(workbook, lessons);
    report_head(report, workbook, stories, lessons->count, wish);
    if (workbook_count(workbook))
        add_lessons(report, workbook, stories, lessons->count, wish->lesson);
    stories_free(stories, lessons->count);
    if (!workbook_count(workbook)) {
        add_start(report);
        return;
    }
    add_labs(report, workbook, wish->lesson);
    if (!wish->lesson) {
        add_notes(report, workbook, lessons);
        add_others(report, workbook, lessons);
    }
    if (wish->kernels)
        report_kernels(report, lessons, wish->lesson);
}
