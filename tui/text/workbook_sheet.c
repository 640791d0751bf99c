// The workbook as a sheet: how much there is, then a row for each event, the newest first, under its day.
#include "tui/text/workbook.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct book_kind book_kinds[] = { { "all", NULL },         { "predictions", "predict" },
                                        { "answers", "answer" }, { "runs", "run" },
                                        { "edits", "edit" },     { "notes", "note" },
                                        { NULL, NULL } };

const struct book_kind *book_kind_of(const char *word, struct error *error)
{
    for (const struct book_kind *kind = book_kinds; kind->name; kind++)
        if (strcmp(word, kind->name) == 0 || (kind->kind && strcmp(word, kind->kind) == 0))
            return kind;
    error_set(error, EXIT_USAGE,
              "The workbook has no '%s'; it has all, predictions, answers, runs, edits and notes.", word);
    return NULL;
}

// ---- which events ---------------------------------------------------------------------------------------------

// "histogram", "histogram/4-shared", "histogram/shared", "histogram/4"
static bool is_about(const json_t *run, const char *about)
{
    const char *lab = event_text(run, "lab"), *variant = event_text(run, "variant");
    size_t length = strlen(lab);
    if (!*lab)
        return strcmp(about, variant) == 0;
    if (strncmp(about, lab, length) != 0 || (about[length] && about[length] != '/'))
        return false;
    const char *what = about[length] ? about + length + 1 : "";
    size_t digits = strspn(variant, "0123456789");
    bool numbered = digits && variant[digits] == '-';
    return !*what || strcmp(what, variant) == 0 ||
           (numbered && (strcmp(what, variant + digits + 1) == 0 ||
                         (strlen(what) == digits && strncmp(what, variant, digits) == 0)));
}

// A prediction is shown together with what it came to.
static bool fits(const json_t *event, const struct book_view *view)
{
    const char *kind = view->about ? "run" : view->kind->kind;
    bool wanted =
        !kind || event_is(event, kind) || (strcmp(kind, "predict") == 0 && event_is(event, "outcome"));
    return wanted && (!view->about || is_about(event, view->about));
}

// ---- how much there is ------------------------------------------------------------------------------------------

static void add_count(struct text *out, size_t count, const char *one, const char *many)
{
    if (count)
        text_addf(out, "%s%zu %s", out->length ? ", " : "", count, count == 1 ? one : many);
}

static void add_counts(struct sheet *sheet, const struct workbook *workbook, const struct book_view *view)
{
    struct text words = { 0 };
    size_t counts[8] = { 0 }, right = 0;
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        const json_t *event = workbook_event(workbook, i);
        if (!fits(event, view))
            continue;
        for (size_t k = 1; book_kinds[k].name; k++)
            counts[k] += event_is(event, book_kinds[k].kind);
        right += event_is(event, "outcome") && json_is_true(json_object_get(event, "right"));
    }
    add_count(&words, counts[3], "run", "runs");
    add_count(&words, counts[1], "prediction", "predictions");
    if (right)
        text_addf(&words, " (%zu right)", right);
    add_count(&words, counts[2], "answer", "answers");
    add_count(&words, counts[4], "edit", "edits");
    add_count(&words, counts[5], "note", "notes");
    if (view->about)
        text_addf(&words, words.length ? " of %s" : "There is no run of %s", view->about);
    if (words.length) {
        text_add(&words, ".");
        sheet_paragraph(sheet, ROLE_DIM, 1, words.data);
    }
    text_free(&words);
}

static void add_torn(struct sheet *sheet, const struct workbook *workbook)
{
    char words[200];
    size_t torn = workbook_torn(workbook);
    if (torn == 1)
        format_into(words, sizeof words,
                    "One line of the workbook's file cannot be read, and is left as it is.");
    else
        format_into(words, sizeof words,
                    "%zu lines of the workbook's file cannot be read, and are left as they are.", torn);
    if (torn)
        sheet_paragraph(sheet, ROLE_NOTE, 1, words);
}

static void add_unwritable(struct sheet *sheet, const struct workbook *workbook)
{
    struct error why;
    if (workbook_unwritable(workbook, &why))
        sheet_paragraph(sheet, ROLE_NOTE, 1, why.text);
}

static void add_empty(struct sheet *sheet, const struct book_view *view)
{
    char words[200];
    if (view->about)
        return;
    format_into(words, sizeof words, "%s",
                !view->kind->kind ? "Nothing is written here yet."
                                  : "Nothing of this kind is written here yet.");
    sheet_paragraph(sheet, ROLE_TEXT, 1, words);
    sheet_paragraph(sheet, ROLE_DIM, 1,
                    "Predictions and answers come from the lessons, runs and edits from the kernels; 'note "
                    "WORDS' adds a line of your own.");
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void day_of(const json_t *event, char *out, size_t size)
{
    struct tm at;
    format_into(out, size, "Without a date");
    if (event_time(event, &at))
        strftime(out, size, "%A %Y-%m-%d", &at);
}

static bool comparable(const json_t *one, const json_t *other)
{
    return event_same(one, other, "variant") && event_same(one, other, "backend") &&
           event_same(one, other, "preset") && event_same(one, other, "data");
}

// The events that are shown, newest first.
struct shown {
    const json_t **events;
    size_t count, left_out;
};

static struct shown shown_of(const struct workbook *workbook, const struct book_view *view)
{
    struct shown shown = { 0 };
    for (size_t i = workbook_count(workbook); i-- > 0;) {
        const json_t *event = workbook_event(workbook, i);
        if (!fits(event, view))
            continue;
        if (view->most && shown.count == view->most) {
            shown.left_out++;
            continue;
        }
        shown.events = array_room(shown.events, shown.count, sizeof *shown.events);
        shown.events[shown.count++] = event;
    }
    return shown;
}

// Among the runs that can be compared with this one: the longest time, and the run before it.
static void add_run_row(struct sheet *sheet, const struct shown *shown, size_t index)
{
    const json_t *run = shown->events[index], *before = NULL;
    double longest = 0;
    for (size_t i = 0; i < shown->count; i++) {
        if (!comparable(run, shown->events[i]))
            continue;
        double ms = number_of(shown->events[i], "median_ms");
        longest = ms > longest ? ms : longest;
        if (i > index && !before)
            before = shown->events[i];
    }
    run_row(sheet, run, longest, before);
}

static void add_day(struct sheet *sheet, const struct shown *shown, size_t index)
{
    char day[60], last[60] = "";
    day_of(shown->events[index], day, sizeof day);
    if (index)
        day_of(shown->events[index - 1], last, sizeof last);
    if (strcmp(day, last) == 0)
        return;
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, " %s", day);
    sheet_end(sheet);
}

// Of one variant only: then its name need not stand in every row.
static bool over_time(const struct book_view *view, const struct shown *shown)
{
    bool one = view->about && shown->count;
    for (size_t i = 1; one && i < shown->count; i++)
        one = event_same(shown->events[0], shown->events[i], "lab") &&
              event_same(shown->events[0], shown->events[i], "variant");
    return one;
}

static void add_rows(struct sheet *sheet, const struct book_view *view, const struct shown *shown,
                     struct links *links)
{
    bool one = over_time(view, shown);
    if (one)
        sheet_gap(sheet);
    for (size_t i = 0; i < shown->count; i++) {
        struct text opens = { 0 };
        event_opens(shown->events[i], one, &opens);
        if (!one)
            add_day(sheet, shown, i);
        sheet->item = links_add(links, "%s", text_string(&opens));
        if (one)
            add_run_row(sheet, shown, i);
        else
            event_row(sheet, shown->events[i]);
        sheet->item = -1;
        text_free(&opens);
    }
}

struct sheet book_sheet(const struct workbook *workbook, const struct book_view *view, int width, bool utf8,
                        struct links *links)
{
    struct sheet sheet = sheet_new(width, utf8);
    struct shown shown = shown_of(workbook, view);
    add_counts(&sheet, workbook, view);
    add_torn(&sheet, workbook);
    add_unwritable(&sheet, workbook);
    add_rows(&sheet, view, &shown, links);
    if (!shown.count)
        add_empty(&sheet, view);
    if (shown.left_out) {
        sheet_gap(&sheet);
        sheet_add(&sheet, ROLE_DIM, " and %zu older ones; ':output workbook' prints them all",
                  shown.left_out);
        sheet_end(&sheet);
    }
    free(shown.events);
    return sheet;
}
