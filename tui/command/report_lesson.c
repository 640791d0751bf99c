// A lesson in the report: how far one is, a table for each kind of live block, and the notes that were written there.
#include "tui/command/report.h"
#include "tui/text/text.h"
#include "tui/text/workbook.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- parts --------------------------------------------------------------------------------------------------------------

struct part {
    const char *title;
    const char *head[8];
    size_t cols;
    unsigned flush;
    unsigned kinds; // of live blocks, 1 << kind
    bool (*holds)(const struct told *told);
    void (*row)(struct report *report, const struct live *live, const struct told *told);
    void (*behind)(struct report *report, const struct live *live, const struct told *told);
};

static bool is_predicted(const struct told *told)
{
    return told->predicted;
}

static bool is_answered(const struct told *told)
{
    return told->first || told->shown;
}

static bool is_begun(const struct told *told)
{
    return told->first || told->hints || told->asked || told->edits;
}

static const struct part parts[] = {
    { .title = "Predictions",
      .head = { "question", "predicted", "what came out", "from", "score" },
      .cols = 5,
      .kinds = 1 << LIVE_PREDICT,
      .holds = is_predicted,
      .row = prediction_row },
    { .title = "Questions",
      .head = { "question", "first answer", "it was", "later" },
      .cols = 4,
      .kinds = 1 << LIVE_QUIZ | 1 << LIVE_ORDER,
      .holds = is_answered,
      .row = question_row },
    { .title = "Exercises and bug hunts",
      .head = { "task", "kind", "tries", "solved", "hints", "solution looked at", "edits" },
      .cols = 7,
      .flush = 0x44,
      .kinds = 1 << LIVE_EXERCISE | 1 << LIVE_BUGHUNT,
      .holds = is_begun,
      .row = task_row,
      .behind = rejected_tries },
};

// Calls `put` for each live block of the part; returns how many there are.
static size_t each(struct report *report, const struct story *story, const struct part *part,
                   void (*put)(struct report *report, const struct live *live, const struct told *told))
{
    size_t count = 0;
    for (size_t i = 0; i < story->lesson->block_count; i++) {
        const struct block *block = &story->lesson->blocks[i];
        struct told told;
        if (block->kind != BLOCK_LIVE || !(part->kinds >> block->live.kind & 1))
            continue;
        told_read(&told, story, &block->live);
        bool held = part->holds(&told);
        if (held && put)
            put(report, &block->live, &told);
        count += held;
        told_free(&told);
    }
    return count;
}

static void add_part(struct report *report, const struct story *story, const struct part *part)
{
    if (!each(report, story, part, NULL))
        return;
    report_heading(report, 3, "%s", part->title);
    report_table(report, part->head, part->cols, part->flush);
    each(report, story, part, part->row);
    if (part->behind)
        each(report, story, part, part->behind);
}

// ---- the lesson -----------------------------------------------------------------------------------------------------------

static void add_opened(struct report *report, const struct workbook *workbook, const struct story *story)
{
    struct progress progress = progress_of(workbook, story->lesson);
    char first[20] = "", last[20] = "";
    size_t opened = 0;
    for (size_t i = 0; i < story->count; i++) {
        opened += event_is(story->events[i], "lesson");
        if (!*first)
            report_day(story->events[i], first, sizeof first);
        char day[20];
        report_day(story->events[i], day, sizeof day);
        if (*day)
            format_into(last, sizeof last, "%s", day);
    }
    report_words(report, "%d of %d done.", progress.done, progress.asked);
    if (opened)
        report_add(report, ROLE_TEXT, " Opened %zu time%s.", opened, opened == 1 ? "" : "s");
    if (*first)
        report_add(report, ROLE_TEXT, strcmp(first, last) == 0 ? " On %s." : " From %s to %s.", first, last);
}

void report_note(struct report *report, const json_t *note)
{
    char day[20];
    report_day(note, day, sizeof day);
    report_item(report, "%s", "");
    report_add(report, ROLE_DIM, "%s%s", day, *day ? ": " : "");
    report_add(report, ROLE_TEXT, "%s", event_text(note, "text"));
}

static void add_notes(struct report *report, const struct story *story)
{
    size_t count = 0;
    for (size_t i = 0; i < story->count; i++) {
        if (!event_is(story->events[i], "note"))
            continue;
        if (!count++)
            report_heading(report, 3, "Notes");
        report_note(report, story->events[i]);
    }
}

void report_lesson(struct report *report, const struct workbook *workbook, const struct story *story)
{
    report_heading(report, 2, "Lesson %d: %s", story->lesson->number, story->lesson->title);
    add_opened(report, workbook, story);
    for (size_t i = 0; i < COUNT(parts); i++)
        add_part(report, story, &parts[i]);
    add_notes(report, story);
}
