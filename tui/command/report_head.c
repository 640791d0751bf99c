// The first page of a report: whose it is, when and on which machines it came to be, and how much of each lesson is done.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- when ----------------------------------------------------------------------------------------------------------

static void add_dates(struct report *report, const struct workbook *workbook, time_t now)
{
    char first[20] = "", last[20] = "", today[20] = "";
    size_t days = 0;
    struct tm at;
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        char day[20];
        report_day(workbook_event(workbook, i), day, sizeof day);
        if (*day && (!*first || strcmp(day, first) < 0))
            format_into(first, sizeof first, "%s", day);
        if (strcmp(day, last) <= 0)
            continue;
        days++;
        format_into(last, sizeof last, "%s", day);
    }
    if (localtime_r(&now, &at))
        strftime(today, sizeof today, "%Y-%m-%d", &at);
    report_words(report, "%s", "");
    if (*first && strcmp(first, last) == 0)
        report_add(report, ROLE_TEXT, "On %s. ", first);
    else if (*first)
        report_add(report, ROLE_TEXT, "From %s to %s, on %zu days. ", first, last, days);
    report_add(report, ROLE_TEXT, "Written with warpbook %s on %s.", WARPBOOK_VERSION, today);
}

// ---- where -----------------------------------------------------------------------------------------------------------

struct machine {
    const char *backend, *device, *driver;
    size_t runs;
};
struct machines {
    struct machine *list;
    size_t count;
};

static void take_run(struct machines *machines, const json_t *run)
{
    struct machine here = { event_text(run, "backend"), event_text(run, "device"), event_text(run, "driver"),
                            1 };
    for (size_t i = 0; i < machines->count; i++) {
        struct machine *known = &machines->list[i];
        if (strcmp(known->backend, here.backend) == 0 && strcmp(known->device, here.device) == 0 &&
            strcmp(known->driver, here.driver) == 0) {
            known->runs++;
            return;
        }
    }
    machines->list = array_room(machines->list, machines->count, sizeof *machines->list);
    machines->list[machines->count++] = here;
}

static void machine_item(struct report *report, const struct machine *machine)
{
    bool gpu = strcmp(machine->backend, "gpu") == 0, cpu = strcmp(machine->backend, "cpu") == 0,
         sim = strcmp(machine->backend, "sim") == 0;
    report_item(report, "%s", "");
    report_add(report,
               gpu   ? ROLE_GPU
               : cpu ? ROLE_CPU
                     : ROLE_SIM,
               "%s",
               gpu   ? "GPU"
               : cpu ? "CPU"
               : sim ? "Simulator"
                     : "Elsewhere");
    report_add(report, ROLE_TEXT, "%s%s%s%s: %zu run%s, %s", *machine->device ? " " : "", machine->device,
               *machine->driver ? ", " : "", machine->driver, machine->runs, machine->runs == 1 ? "" : "s",
               sim          ? "counted and checked, not timed"
               : gpu || cpu ? "measured"
                            : "of a kind that this warpbook does not know");
}

// Predictions whose outcome, or a part of it, was not run but shipped with the program.
static size_t recorded_outcomes(const struct workbook *workbook)
{
    size_t count = 0;
    for (size_t i = 0; i < workbook_count(workbook); i++)
        count += strstr(event_text(workbook_event(workbook, i), "how"), "recorded on ") != NULL;
    return count;
}

static void add_machines(struct report *report, const struct workbook *workbook)
{
    struct machines machines = { 0 };
    size_t recorded = recorded_outcomes(workbook);
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (workbook_is(workbook, i, "run"))
            take_run(&machines, workbook_event(workbook, i));
    for (size_t i = 0; i < machines.count; i++)
        machine_item(report, &machines.list[i]);
    if (recorded) {
        report_item(report, "%s", "");
        report_add(report, ROLE_NOTE, "Recorded");
        report_add(report, ROLE_TEXT,
                   ": %zu prediction%s compared with what was measured elsewhere and ships with warpbook",
                   recorded, recorded == 1 ? " was" : "s were");
    }
    free(machines.list);
}

// ---- how much ----------------------------------------------------------------------------------------------------------

static void add_tally(struct tally *sum, const struct tally *tally)
{
    sum->done += tally->done;
    sum->asked += tally->asked;
    sum->outcomes += tally->outcomes;
    sum->predictions_right += tally->predictions_right;
    sum->questions += tally->questions;
    sum->questions_first += tally->questions_first;
    sum->exercises += tally->exercises;
    sum->exercises_solved += tally->exercises_solved;
    sum->hunts += tally->hunts;
    sum->hunts_solved += tally->hunts_solved;
    sum->hints += tally->hints;
    sum->solutions += tally->solutions;
}

// Empty where there is nothing to count out of.
static void cell_share(struct report *report, size_t part, size_t whole)
{
    report_cell(report, "%s", "");
    if (whole)
        report_add(report, ROLE_TEXT, "%zu of %zu", part, whole);
}

static void tally_row(struct report *report, const struct tally *tally)
{
    report_cell(report, "%d of %d", tally->done, tally->asked);
    cell_share(report, tally->predictions_right, tally->outcomes);
    cell_share(report, tally->questions_first, tally->questions);
    cell_share(report, tally->exercises_solved, tally->exercises);
    cell_share(report, tally->hunts_solved, tally->hunts);
    report_cell(report, "%zu", tally->hints);
    report_cell(report, "%zu", tally->solutions);
}

static void add_summary(struct report *report, const struct workbook *workbook, const struct story *stories,
                        size_t count, const struct lesson *only)
{
    static const char *const head[] = {
        "lesson",     "done",  "predictions right",  "questions right at first", "exercises solved",
        "bugs found", "hints", "solutions looked at"
    };
    struct tally sum = { 0 };
    report_heading(report, 2, "Summary");
    report_table(report, head, COUNT(head), 0xfe);
    for (size_t i = 0; i < count; i++) {
        if (only && only != stories[i].lesson)
            continue;
        struct tally tally = tally_of(workbook, &stories[i]);
        report_cell(report, "%d %s", stories[i].lesson->number, stories[i].lesson->title);
        tally_row(report, &tally);
        add_tally(&sum, &tally);
    }
    if (!only) {
        report_cell(report, "%s", "");
        report_add(report, ROLE_TITLE, "All");
        tally_row(report, &sum);
    }
    report_words(
        report,
        "Predictions are counted out of those that were run, questions out of those that were answered; "
        "exercises, bug hunts and what is done out of all there are. A solution counts when it was looked "
        "at before the kernel was solved.");
}

void report_head(struct report *report, const struct workbook *workbook, const struct story *stories,
                 size_t count, const struct report_wish *wish)
{
    size_t torn = workbook_torn(workbook);
    if (wish->name && *wish->name)
        report_heading(report, 1, "Workbook of %s", wish->name);
    else
        report_heading(report, 1, "Workbook");
    add_dates(report, workbook, wish->now);
    if (torn) {
        report_words(report, "%s", "");
        report_add(report, ROLE_NOTE,
                   "%zu line%s of the workbook's file cannot be read and %s left out here.", torn,
                   torn == 1 ? "" : "s", torn == 1 ? "is" : "are");
    }
    if (!workbook_count(workbook))
        return;
    add_machines(report, workbook);
    if (wish->lesson)
        report_words(report,
                     "This is lesson %d alone, with the labs that it shows; the workbook may hold more.",
                     wish->lesson->number);
    add_summary(report, workbook, stories, count, wish->lesson);
}
