// Kernels of the ladders that were edited, each with how often and when last.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <stdlib.h>
#include <string.h>

struct edited {
    const json_t *last;
    size_t count;
};
struct edits {
    struct edited *list;
    size_t count;
};

static struct edited *edited_of(struct edits *edits, const json_t *event)
{
    for (size_t i = 0; i < edits->count; i++)
        if (event_same(edits->list[i].last, event, "lab") &&
            event_same(edits->list[i].last, event, "variant"))
            return &edits->list[i];
    edits->list = array_room(edits->list, edits->count, sizeof *edits->list);
    edits->list[edits->count] = (struct edited){ .last = event };
    return &edits->list[edits->count++];
}

static void put(struct report *report, const struct edits *edits)
{
    static const char *const head[] = { "kernel", "times", "last" };
    report_heading(report, 3, "Kernels that were edited");
    report_table(report, head, 3, 0x6);
    for (size_t i = 0; i < edits->count; i++) {
        struct text name = { 0 };
        char day[20];
        event_name(edits->list[i].last, &name);
        report_day(edits->list[i].last, day, sizeof day);
        report_cell(report, "%s", "");
        report_add(report, ROLE_CODE, "%s", text_string(&name));
        report_cell(report, "%zu", edits->list[i].count);
        report_cell(report, "%s", day);
        text_free(&name);
    }
}

void report_edits(struct report *report, const struct workbook *workbook, const struct lesson *lesson)
{
    struct edits edits = { 0 };
    const json_t *event;
    for (size_t i = 0; (event = workbook_event(workbook, i)); i++) {
        bool edit = event_is(event, "edit") && !*event_text(event, "lesson");
        if (!edit || !lesson_shows(lesson, event_text(event, "lab")))
            continue;
        struct edited *edited = edited_of(&edits, event);
        edited->count++;
        edited->last = event;
    }
    if (edits.count)
        put(report, &edits);
    free(edits.list);
}
