// warpbook report: the workbook as a document to hand in, as Markdown or as one HTML page: its first page, what fits nowhere
// else, and where it is written to.
#include "tui/command/report.h"
#include "tui/text/text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the events of each lesson -----------------------------------------------------------------------------------

// The lesson that was open when the note was written, by the words that opened its page: `lesson 6` or
// `lesson "06-coalescing"`. NULL: none of these, or it is no note.
static const struct lesson *note_lesson(const json_t *note, const struct lessons *lessons)
{
    const char *page = event_text(note, "page");
    if (!event_is(note, "note") || !string_starts(page, "lesson "))
        return NULL;
    page += strlen("lesson ");
    page += strspn(page, " \"");
    char *word = mem_copy_n(page, strcspn(page, " \""));
    const struct lesson *lesson = *word ? lessons_find(lessons, word) : NULL;
    free(word);
    return lesson;
}

static bool belongs(const struct workbook *workbook, size_t index, const struct lesson *lesson)
{
    const struct lessons one = { .list = (struct lesson *)lesson, .count = 1 };
    if (workbook_is(workbook, index, "note"))
        return note_lesson(workbook_event(workbook, index), &one);
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

static struct lesson_history *histories_read(const struct workbook *workbook, const struct lessons *lessons)
{
    struct lesson_history *stories = mem_new((lessons->count + 1) * sizeof *stories);
    for (size_t i = 0; i < lessons->count; i++)
        story_read(&stories[i], workbook, &lessons->list[i]);
    return stories;
}

static void histories_free(struct lesson_history *stories, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(stories[i].events);
        free(stories[i].by_id);
    }
    free(stories);
}

// ==== the first page ========================================================================================

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- dates ---------------------------------------------------------------------------------------------------------

static void add_dates(struct report_page *report, const struct workbook *workbook, time_t now)
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
    report_words(report, ROLE_TEXT, "%s", "");
    if (*first && strcmp(first, last) == 0)
        report_add(report, ROLE_TEXT, "On %s. ", first);
    else if (*first)
        report_add(report, ROLE_TEXT, "From %s to %s, on %zu days. ", first, last, days);
    report_add(report, ROLE_TEXT, "Written with warpbook %s on %s.", WARPBOOK_VERSION, today);
}

// ---- machines --------------------------------------------------------------------------------------------------------

struct report_machine {
    const char *backend, *device, *driver;
    size_t runs;
};
struct report_machines {
    struct report_machine *list;
    size_t count;
};

static void take_run(struct report_machines *machines, const json_t *run)
{
    struct report_machine here = { event_text(run, "backend"), event_text(run, "device"),
                                   event_text(run, "driver"), 1 };
    for (size_t i = 0; i < machines->count; i++) {
        struct report_machine *known = &machines->list[i];
        if (strcmp(known->backend, here.backend) == 0 && strcmp(known->device, here.device) == 0 &&
            strcmp(known->driver, here.driver) == 0) {
            known->runs++;
            return;
        }
    }
    machines->list = array_room(machines->list, machines->count, sizeof *machines->list);
    machines->list[machines->count++] = here;
}

static void machine_item(struct report_page *report, const struct report_machine *machine)
{
    static const struct {
        const char *backend, *name, *what;
        enum role role;
    } kinds[] = { { "gpu", "GPU", "measured", ROLE_GPU },
                  { "cpu", "CPU", "measured", ROLE_CPU },
                  { "sim", "Simulator", "counted and checked, not timed", ROLE_SIM },
                  { "", "Elsewhere", "of a kind that this warpbook does not know", ROLE_SIM } };
    size_t k = 0;
    while (*kinds[k].backend && strcmp(kinds[k].backend, machine->backend) != 0)
        k++;
    report_item(report, kinds[k].role, "%s", kinds[k].name);
    report_add(report, ROLE_TEXT, "%s%s%s%s: %zu run%s, %s", *machine->device ? " " : "", machine->device,
               *machine->driver ? ", " : "", machine->driver, machine->runs, machine->runs == 1 ? "" : "s",
               kinds[k].what);
}

// Predictions whose outcome, or a part of it, was not run but shipped with the program.
static size_t recorded_outcomes(const struct workbook *workbook)
{
    size_t count = 0;
    for (size_t i = 0; i < workbook_count(workbook); i++)
        count += strstr(event_text(workbook_event(workbook, i), "how"), "recorded on ") != NULL;
    return count;
}

static void add_machines(struct report_page *report, const struct workbook *workbook)
{
    struct report_machines machines = { 0 };
    size_t recorded = recorded_outcomes(workbook);
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (workbook_is(workbook, i, "run"))
            take_run(&machines, workbook_event(workbook, i));
    for (size_t i = 0; i < machines.count; i++)
        machine_item(report, &machines.list[i]);
    if (recorded) {
        report_item(report, ROLE_NOTE, "Recorded");
        report_add(report, ROLE_TEXT,
                   ": %zu prediction%s compared with what was measured elsewhere and ships with warpbook",
                   recorded, recorded == 1 ? " was" : "s were");
    }
    free(machines.list);
}

// ---- the summary -------------------------------------------------------------------------------------------------------

// A number, or a part of a whole; empty where there is nothing to count out of.
static void tally_row(struct report_page *report, const struct lesson_tally *tally)
{
    report_cell(report, ROLE_TEXT, "%zu of %zu", tally->count[TALLY_DONE], tally->count[TALLY_ASKED]);
    for (int part = TALLY_RIGHT; part < TALLY_HINTS; part += 2) {
        report_cell(report, ROLE_TEXT, "%s", "");
        if (tally->count[part + 1])
            report_add(report, ROLE_TEXT, "%zu of %zu", tally->count[part], tally->count[part + 1]);
    }
    report_cell(report, ROLE_TEXT, "%zu", tally->count[TALLY_HINTS]);
    report_cell(report, ROLE_TEXT, "%zu", tally->count[TALLY_SOLUTIONS]);
}

static void add_summary(struct report_page *report, const struct workbook *workbook,
                        const struct lesson_history *stories, size_t count, const struct lesson *only)
{
    static const char *const head[] = {
        "lesson",     "done",  "predictions right",  "questions right at first", "exercises solved",
        "bugs found", "hints", "solutions looked at"
    };
    struct lesson_tally sum = { 0 };
    report_heading(report, 2, "Summary");
    report_table(report, head, COUNT(head), 0xfe);
    for (size_t l = 0; l < count; l++) {
        if (only && only != stories[l].lesson)
            continue;
        struct lesson_tally tally = lesson_tally_of(workbook, &stories[l]);
        report_cell(report, ROLE_TEXT, "%d %s", stories[l].lesson->number, stories[l].lesson->title);
        tally_row(report, &tally);
        for (int i = 0; i < TALLIES; i++)
            sum.count[i] += tally.count[i];
    }
    if (!only) {
        report_cell(report, ROLE_TITLE, "All");
        tally_row(report, &sum);
    }
    report_words(
        report, ROLE_TEXT,
        "Predictions are counted out of those that were run, questions out of those that were answered; "
        "exercises, bug hunts and what is done out of all there are. A solution counts when it was looked "
        "at before the kernel was solved.");
}

static void report_head(struct report_page *report, const struct workbook *workbook,
                        const struct lesson_history *stories, size_t count, const struct report_options *wish)
{
    size_t torn = workbook_torn(workbook);
    if (wish->name && *wish->name)
        report_heading(report, 1, "Workbook of %s", wish->name);
    else
        report_heading(report, 1, "Workbook");
    add_dates(report, workbook, wish->now);
    if (torn) {
        report_words(report, ROLE_NOTE,
                     "%zu line%s of the workbook's file cannot be read and %s left out here.", torn,
                     torn == 1 ? "" : "s", torn == 1 ? "is" : "are");
    }
    if (!workbook_count(workbook))
        return;
    add_machines(report, workbook);
    if (wish->lesson)
        report_words(report, ROLE_TEXT,
                     "This is lesson %d alone, with the labs that it shows; the workbook may hold more.",
                     wish->lesson->number);
    add_summary(report, workbook, stories, count, wish->lesson);
    struct text saving = { 0 };
    if (!wish->lesson && book_first_saving(workbook, &saving))
        report_words(report, ROLE_GOOD, "The first speed-up: %s.", saving.data);
    text_free(&saving);
}

// ==== the document ==========================================================================================

// ---- notes and events outside of lessons ---------------------------------------------------------------------------

static const struct lesson *lesson_named(const struct lessons *lessons, const char *name)
{
    for (size_t i = 0; i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, name) == 0)
            return &lessons->list[i];
    return NULL;
}

static void add_notes(struct report_page *report, const struct workbook *workbook,
                      const struct lessons *lessons)
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
    static const char *const about[] = { "predict", "outcome", "answer", "attempt", "hint", "edit" };
    const char *kind = event_kind(event), *name = event_text(event, "lesson");
    const struct lesson *lesson = lesson_named(lessons, name);
    if (strcmp(kind, "run") == 0 || event_is(event, "note") || (strcmp(kind, "edit") == 0 && !*name))
        return true;
    if (strcmp(kind, "lesson") == 0 || strcmp(kind, "unfold") == 0 || strcmp(kind, "left") == 0)
        return lesson;
    for (size_t i = 0; i < COUNT(about); i++)
        if (strcmp(kind, about[i]) == 0)
            return lesson && has_block(lesson, event_text(event, "id"));
    return false;
}

static void other_row(struct report_page *report, const json_t *event)
{
    static const char *const keys[] = { "text", "number", "typed", "chosen", "order", "came", "title" };
    const json_t *value = NULL, *right = json_object_get(event, "right");
    char day[20];
    report_day(event, day, sizeof day);
    report_cell(report, ROLE_TEXT, "%s", day);
    report_cell(report, ROLE_TEXT, "%s", event_kind(event));
    report_cell(report, ROLE_TEXT, "%s", event_text(event, "lesson"));
    report_add(report, ROLE_TEXT, "%s%s", *event_text(event, "id") ? " " : "", event_text(event, "id"));
    for (size_t i = 0; !value && i < COUNT(keys); i++)
        value = json_object_get(event, keys[i]);
    char *words = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    report_cell(report, ROLE_TEXT, "%s", words ? words : "");
    report_cell(report, ROLE_TEXT, "%s",
                !json_is_boolean(right) ? ""
                : json_is_true(right)   ? "right"
                                        : "not right");
    free(words);
}

// Events about lessons that are not here, or of kinds that another version of warpbook writes.
static void add_others(struct report_page *report, const struct workbook *workbook,
                       const struct lessons *lessons)
{
    static const char *const head[] = { "day", "what", "of", "said", "it was" };
    const json_t *event;
    size_t count = 0;
    for (size_t i = 0; (event = workbook_event(workbook, i)); i++) {
        if (is_known(event, lessons))
            continue;
        if (!count++) {
            report_heading(report, 2, "Also in the workbook");
            report_words(report, ROLE_TEXT,
                         "These lines are about lessons or questions that this warpbook does not have.");
            report_table(report, head, COUNT(head), 0);
        }
        other_row(report, event);
    }
}

// ---- the document -----------------------------------------------------------------------------------------------------

static void add_lessons(struct report_page *report, const struct workbook *workbook,
                        const struct lesson_history *stories, size_t count, const struct lesson *only)
{
    for (size_t i = 0; i < count; i++)
        if (only ? only == stories[i].lesson : stories[i].count)
            report_lesson(report, workbook, &stories[i]);
}

static void add_start(struct report_page *report)
{
    report_words(report, ROLE_TEXT,
                 "Nothing is written here yet. Predictions, answers and runs are written into the workbook "
                 "as you make them:");
    report_item(report, ROLE_CODE, "warpbook open lesson 1");
    report_add(report, ROLE_TEXT, " opens the first lesson, which asks before it shows;");
    report_item(report, ROLE_CODE, "warpbook run vecadd");
    report_add(report, ROLE_TEXT, " runs the first ladder of kernels;");
    report_item(report, ROLE_CODE, "warpbook note WORDS");
    report_add(report, ROLE_TEXT, " writes a line of your own.");
}

void report_make(struct report_page *report, const struct workbook *workbook, const struct lessons *lessons,
                 const struct report_options *wish)
{
    *report = (struct report_page){ 0 };
    struct lesson_history *stories = histories_read(workbook, lessons);
    report_head(report, workbook, stories, lessons->count, wish);
    if (workbook_count(workbook))
        add_lessons(report, workbook, stories, lessons->count, wish->lesson);
    histories_free(stories, lessons->count);
    if (!workbook_count(workbook)) {
        add_start(report);
        return;
    }
    report_labs(report, workbook, wish->lesson);
    if (!wish->lesson) {
        add_notes(report, workbook, lessons);
        add_others(report, workbook, lessons);
    }
    if (wish->kernels)
        report_kernels(report, lessons, wish->lesson);
}

// ==== output ================================================================================================

static bool find_lesson(struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    size_t part = 0;
    *out = NULL;
    if (word && !lessons_open(lessons, word, out, &part, error))
        return false;
    return !part || error_set(error, EXIT_USAGE, "A report is about a whole lesson: --lesson %.*s.",
                              (int)(strrchr(word, '.') - word), word);
}

// Now, or the time that SOURCE_DATE_EPOCH says, so that the same workbook gives the same bytes.
static bool read_now(time_t *out, struct error *error)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    *out = time(NULL);
    if (!given || !*given)
        return true;
    long long seconds = strtoll(given, &end, 10);
    *out = (time_t)seconds;
    return !*end ||
           error_set(error, EXIT_USAGE, "SOURCE_DATE_EPOCH is a number of seconds, not '%s'.", given);
}

// A document is UTF-8, whatever the terminal shows.
static void compose(const struct workbook *workbook, const struct lessons *lessons,
                    const struct report_options *wish, bool html, struct text *out)
{
    struct report_page report;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8)
        before = uselocale(utf8);
    report_make(&report, workbook, lessons, wish);
    (html ? report_html : report_markdown)(&report, out);
    report_free(&report);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
}

void report_page_of(struct workbook *workbook, struct lessons *lessons, const char *name, struct text *out)
{
    struct report_options wish = { .name = name };
    struct error unused;
    lessons_recall(lessons, workbook);
    if (!read_now(&wish.now, &unused))
        wish.now = time(NULL);
    compose(workbook, lessons, &wish, true, out);
}

static bool make(const struct arguments *arguments, struct lessons *lessons, struct workbook *workbook,
                 struct error *error)
{
    struct report_options wish = { .name = arguments_value(arguments, "--name"),
                                   .kernels = arguments_has(arguments, "--kernels") };
    struct text page = { 0 };
    lessons_recall(lessons, workbook);
    if (!read_now(&wish.now, error) ||
        !find_lesson(lessons, arguments_value(arguments, "--lesson"), &wish.lesson, error))
        return false;
    const struct lessons one = { .list = (struct lesson *)wish.lesson, .count = 1 };
    keep_warn(workbook);
    compose(workbook, wish.lesson ? &one : lessons, &wish, arguments_has(arguments, "--html"), &page);
    bool done = document_put(arguments, &page, error);
    text_free(&page);
    return done;
}

int command_report(const struct arguments *arguments)
{
    struct lessons lessons;
    struct error error;
    if (!document_asked(arguments, &error))
        return fail(&error);
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    struct workbook *workbook = workbook_open(NULL, &error);
    bool made = workbook && make(arguments, &lessons, workbook, &error);
    workbook_close(workbook);
    lessons_free(&lessons);
    return made ? EXIT_RIGHT : fail(&error);
}
