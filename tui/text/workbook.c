// The workbook as a sheet: how much there is, then a row for each event, the newest first, under its day. What is not
// known of an event is left out.
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WHAT_AT = 19,
    COLUMNS = 76, // from this width on, runs are put in columns
    ON_AT = 46,
    VERDICT_AT = 68,
    FINDINGS_KEPT = 4, // of one run; more are left out when it is written down
};

// ---- the fields of an event -------------------------------------------------------------------------------

const char *event_text(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

const char *event_kind(const json_t *event)
{
    const char *kind = event_text(event, "kind");
    return strcmp(kind, "answer") == 0 && json_object_get(event, "came") ? "outcome" : kind;
}

bool event_is(const json_t *event, const char *kind)
{
    return strcmp(event_kind(event), kind) == 0;
}

void event_name(const json_t *run, struct text *out)
{
    const char *lab = event_text(run, "lab");
    text_addf(out, "%s%s%s", lab, *lab ? "/" : "", event_text(run, "variant"));
}

bool event_time(const json_t *event, struct tm *out)
{
    struct tm utc = { 0 };
    const char *end = strptime(event_text(event, "date"), "%Y-%m-%dT%H:%M:%SZ", &utc);
    time_t at = end ? timegm(&utc) : 0;
    return end && !*end && localtime_r(&at, out);
}

static void opens_page(struct text *out, const char *page, const char *what)
{
    if (*what)
        text_addf(out, "%s \"%s\"", page, what);
}

// Words for app_do; nothing: "". `about`: the row is one of a variant's runs.
static void event_opens(const json_t *event, bool about, struct text *out)
{
    const char *kind = event_text(event, "kind"), *page = event_text(event, "page");
    struct text name = { 0 };
    struct lab_entry lab;
    event_name(event, &name);
    bool plain = !strpbrk(text_string(&name), "\"\\") && !strpbrk(event_text(event, "lesson"), "\"\\") &&
                 !strpbrk(event_text(event, "id"), "\"\\");
    text_add(out, "");
    if (!plain)
        ;
    else if (strcmp(kind, "run") == 0 && !about)
        opens_page(out, "workbook runs", text_string(&name));
    else if (strcmp(kind, "run") == 0 && *event_text(event, "lab"))
        opens_page(out, "bench", text_string(&name));
    else if (strcmp(kind, "edit") == 0 && lab_entry_find(event_text(event, "lab"), &lab))
        opens_page(out, lab.kind == LAB_PROGRAMS ? "bench" : "source", text_string(&name));
    else if (*event_text(event, "lesson")) {
        opens_page(out, "lesson", event_text(event, "lesson"));
        if (strcmp(kind, "unfold") != 0)
            opens_page(out, "", event_text(event, "id"));
    } else if (*page && !string_starts(page, "output") && !string_starts(page, "exec"))
        text_add(out, page); // but not what would run a command or a program again
    text_free(&name);
}

// ---- runs -------------------------------------------------------------------------------------------------

static enum role backend_role(const char *backend)
{
    return strcmp(backend, "cpu") == 0 ? ROLE_CPU : strcmp(backend, "gpu") == 0 ? ROLE_GPU : ROLE_SIM;
}

// The simulator's times are this machine's and no kernel's.
static double run_ms(const json_t *run)
{
    const json_t *ms = json_object_get(run, "median_ms");
    return json_is_number(ms) && strcmp(event_text(run, "backend"), "sim") != 0 ? json_number_value(ms) : NAN;
}

// `brief`: what matters most alone.
static enum role verdict(const json_t *run, bool brief, char *out, size_t size)
{
    const char *status = event_text(run, "status");
    size_t findings = json_array_size(json_object_get(run, "findings"));
    bool right = strcmp(status, "right") == 0, unchecked = strcmp(status, "unchecked") == 0;
    format_into(out, size, "%s", status);
    if (findings && (right || unchecked)) {
        bool cut = findings >= FINDINGS_KEPT;
        format_into(out, size, "%s%s%zu%s finding%s", brief ? "" : status, brief ? "" : ", ", findings,
                    cut ? " or more" : "", findings == 1 ? "" : "s");
    }
    return !right && !unchecked ? ROLE_BAD : right && !findings ? ROLE_GOOD : ROLE_NOTE;
}

static void add_place(struct sheet *sheet, const json_t *run)
{
    const char *backend = event_text(run, "backend"), *size = event_text(run, "preset");
    sheet_add(sheet, backend_role(backend), "%s%s%s", backend, *size ? " " : "", size);
}

static void add_run(struct sheet *sheet, const json_t *run)
{
    char ms[40], words[80];
    struct text name = { 0 };
    bool columns = sheet->width >= COLUMNS;
    event_name(run, &name);
    unit_ms(run_ms(run), ms, sizeof ms);
    enum role role = verdict(run, true, words, sizeof words);
    if (columns) {
        sheet_add(sheet, ROLE_TEXT, "%s", text_string(&name));
        sheet_to(sheet, ON_AT);
        add_place(sheet, run);
        sheet_to(sheet, VERDICT_AT - 2 - text_cells(ms));
        sheet_add(sheet, ROLE_TEXT, "%s", ms);
        sheet_to(sheet, VERDICT_AT);
        sheet_add(sheet, role, "%s", words);
    } else {
        sheet_flow(sheet, ROLE_TEXT, "%s ", text_string(&name));
        add_place(sheet, run);
        sheet_flow(sheet, ROLE_TEXT, *ms ? ", %s, " : "%s, ", ms);
        sheet_flow(sheet, role, "%s", words);
    }
    text_free(&name);
}

static void add_bar(struct sheet *sheet, const json_t *run, double longest, int cells)
{
    double ms = run_ms(run);
    struct text bar = { 0 };
    if (!isnan(ms) && longest > 0)
        bar_text(&bar, sheet->utf8, ms / longest, cells);
    sheet_add(sheet, backend_role(event_text(run, "backend")), "%s", text_string(&bar));
    text_free(&bar);
}

// A row of one variant's runs: `longest` ms is a whole bar; `before`: the run before (NULL: none).
static void run_row(struct sheet *sheet, const json_t *run, double longest, const json_t *before)
{
    enum { ON = 19, MS_END = 40, BAR_AT = 42, BAR_CELLS = 10, SAYS_AT = 54, NARROW = 74, DEVICE = 104 };
    char ms[40], words[80], date[40] = "";
    struct tm at;
    bool narrow = sheet->width < NARROW;
    int says = narrow ? BAR_AT : SAYS_AT;
    if (event_time(run, &at))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &at);
    unit_ms(run_ms(run), ms, sizeof ms);
    sheet_add(sheet, ROLE_TEXT, " %s", date);
    sheet_to(sheet, ON);
    add_place(sheet, run);
    sheet_to(sheet, MS_END - text_cells(ms));
    sheet_add(sheet, ROLE_TEXT, "%s", ms);
    if (!narrow) {
        sheet_to(sheet, BAR_AT);
        add_bar(sheet, run, longest, BAR_CELLS);
    }
    sheet_to(sheet, says);
    sheet_hang(sheet, says);
    enum role role = verdict(run, false, words, sizeof words);
    sheet_flow(sheet, role, "%s", words);
    const char *code = event_text(run, "code"), *old = before ? event_text(before, "code") : "";
    if (*code && *old && strcmp(code, old) != 0)
        sheet_flow(sheet, ROLE_NOTE, ", code changed");
    if (sheet->width >= DEVICE && *event_text(run, "device"))
        sheet_flow(sheet, ROLE_DIM, " on %s", event_text(run, "device"));
    sheet_end(sheet);
}

// ---- what was said ----------------------------------------------------------------------------------------

// A text, a number, or several: "8", "2 1 3".
static void add_value(struct text *out, const json_t *value)
{
    const json_t *one;
    size_t i;
    if (json_is_string(value))
        text_add(out, json_string_value(value));
    else if (json_is_number(value))
        text_addf(out, "%.6g", json_number_value(value));
    json_array_foreach(value, i, one)
    {
        text_add(out, i ? " " : "");
        add_value(out, one);
    }
}

// Adds what was predicted, typed, chosen or put in order; where they are known, the words of a choice.
static void add_given(struct text *out, const json_t *event)
{
    static const char *const keys[] = { "text", "number", "typed", "chosen", "order" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !out->length; i++)
        add_value(out, json_object_get(event, keys[i]));
    if (json_is_true(json_object_get(event, "shown")) ||
        json_integer_value(json_object_get(event, "shown")) == 1)
        text_add(out, "the answer was shown");
}

// The numbers that a review drew: " with stride = 5".
static void add_drawn(struct text *out, const json_t *event)
{
    json_t *drawn = json_object_get(event, "drawn"), *number;
    const char *name, *before = " with ";
    json_object_foreach(drawn, name, number)
    {
        text_addf(out, "%s%s = %lld", before, name, (long long)json_integer_value(number));
        before = ", ";
    }
}

static bool far_off(const json_t *event)
{
    return number_of(event, "ratio") >= 1.05;
}

static void add_outcome(struct sheet *sheet, const json_t *event)
{
    struct text came = { 0 };
    const char *how = event_text(event, "how");
    add_value(&came, json_object_get(event, "came"));
    sheet_flow(sheet, ROLE_TEXT, "%s", text_string(&came));
    if (*how)
        sheet_flow(sheet, ROLE_DIM, ", %s", how);
    if (far_off(event))
        sheet_flow(sheet, ROLE_TEXT, "; the prediction was off by a factor of %.1f",
                   number_of(event, "ratio"));
    text_free(&came);
}

static void add_beside(struct sheet *sheet, const json_t *event, int column)
{
    struct beside_row rows[BESIDE_MOST];
    size_t count = beside_read(event, rows, BESIDE_MOST);
    if (!count)
        return;
    sheet_end(sheet);
    beside_add(sheet, rows, count, column);
}

// What an attempt changed, each limit on a line of its own.
static void add_limits(struct sheet *sheet, const json_t *event, int column)
{
    struct limit limits[LIMITS_MOST];
    struct text time = { 0 };
    size_t count = limits_read(event, limits);
    limit_time_words(event_text(event, "timed"), number_of(event, "had_ms"), number_of(event, "ms"), &time);
    if (time.length) {
        sheet_end(sheet);
        sheet_to(sheet, column);
        sheet_hang(sheet, column + 2);
        sheet_flow(sheet, ROLE_GPU, "%s %s", glyph(sheet->utf8, GLYPH_BULLET), time.data);
    }
    text_free(&time);
    for (size_t i = 0; i < count; i++) {
        struct text words = { 0 };
        if (!(fabs(limits[i].got - limits[i].had) > 0.02 * limits[i].had))
            continue;
        limit_words(&limits[i], &words);
        sheet_end(sheet);
        sheet_to(sheet, column);
        sheet_hang(sheet, column + 2);
        sheet_flow(sheet, ROLE_TEXT, "%s %s", glyph(sheet->utf8, GLYPH_BULLET), words.data);
        text_free(&words);
    }
    add_beside(sheet, event, column);
}

static void add_answer(struct sheet *sheet, const json_t *event)
{
    struct text given = { 0 };
    const json_t *right = json_object_get(event, "right");
    const char *id = event_text(event, "id");
    sheet_flow(sheet, ROLE_TEXT, "%s%s%s: ", event_text(event, "lesson"), *id ? " " : "", id);
    add_given(&given, event);
    add_drawn(&given, event);
    if (json_object_get(event, "came"))
        add_outcome(sheet, event);
    else // a sentence goes on with what it came to
        sheet_flow(sheet, ROLE_TEXT, "%.*s", (int)(given.length - string_ends(text_string(&given), ".")),
                   text_string(&given));
    bool told = json_object_get(event, "shown") || (far_off(event) && !json_is_true(right));
    if (json_is_boolean(right) && !told) {
        sheet_flow(sheet, ROLE_TEXT, "; ");
        sheet_flow(sheet, json_is_true(right) ? ROLE_GOOD : ROLE_BAD, "%s",
                   json_is_true(right) ? "right" : "not right");
    }
    text_free(&given);
}

static void add_event(struct sheet *sheet, const json_t *event, const char *kind)
{
    struct text name = { 0 };
    if (strcmp(kind, "run") == 0) {
        add_run(sheet, event);
    } else if (strcmp(kind, "note") == 0) {
        sheet_flow(sheet, ROLE_TEXT, "%s", event_text(event, "text"));
    } else if (strcmp(kind, "edit") == 0) {
        event_name(event, &name);
        sheet_flow(sheet, ROLE_TEXT, "%s", text_string(&name));
    } else if (strcmp(kind, "lesson") == 0) {
        sheet_flow(sheet, ROLE_TEXT, "%s opened", event_text(event, "lesson"));
    } else {
        add_answer(sheet, event);
    }
    text_free(&name);
}

// The event after its time in the form of `when`, on as many lines as it needs.
static void event_row(struct sheet *sheet, const json_t *event, const char *when)
{
    const char *kind = event_kind(event);
    char time[20] = "";
    struct tm at;
    int what = sheet->width >= 40 ? WHAT_AT : 8;
    if (event_time(event, &at))
        strftime(time, sizeof time, when, &at);
    sheet_add(sheet, ROLE_DIM, " %5s  ", time);
    if (what > 8) {
        bool review = json_is_true(json_object_get(event, "review"));
        sheet_add(sheet, ROLE_TITLE, "%s",
                  review                         ? "review"
                  : strcmp(kind, "predict") == 0 ? "prediction"
                                                 : kind);
        sheet_to(sheet, what);
    }
    sheet_hang(sheet, what);
    add_event(sheet, event, kind);
    add_limits(sheet, event, what);
    sheet_end(sheet);
}

// ---- which events -----------------------------------------------------------------------------------------

const struct book_kind book_kinds[] = { { "all", NULL },         { "predictions", "predict" },
                                        { "answers", "answer" }, { "runs", "run" },
                                        { "edits", "edit" },     { "notes", "note" },
                                        { "board", "board" },    { NULL, NULL } };

static const struct book_kind *kind_of(const char *word, struct error *error)
{
    for (const struct book_kind *kind = book_kinds; kind->name; kind++)
        if (strcmp(word, kind->name) == 0 || (kind->kind && strcmp(word, kind->kind) == 0))
            return kind;
    error_set(error, EXIT_USAGE,
              "The workbook has no '%s'; it has all, predictions, answers, runs, edits, notes and board.",
              word);
    return NULL;
}

bool book_view_of(const char *kind, const char *about, struct book_view *out, struct error *error)
{
    *out = (struct book_view){ .kind = book_kinds, .about = about };
    if (kind && !(out->kind = kind_of(kind, error)))
        return false;
    bool runs = strcmp(out->kind->name, "runs") == 0, answers = strcmp(out->kind->name, "answers") == 0;
    if (about && !runs && !answers)
        return error_set(error, EXIT_USAGE,
                         "Only runs and answers are shown for one thing: workbook runs LAB[/STEP], workbook "
                         "answers LESSON/ID");
    if (about && answers && !strchr(about, '/'))
        return error_set(error, EXIT_USAGE,
                         "Answers are those to LESSON/QUESTION, as in 06-coalescing/columns; "
                         "'%s' is not a question.",
                         about);
    return true;
}

// "06-coalescing/columns"; the name of a lesson of one's own has a '/' itself.
static bool is_answer_to(const json_t *event, const char *about)
{
    const char *slash = strrchr(about, '/'), *lesson = event_text(event, "lesson");
    size_t length = slash ? (size_t)(slash - about) : 0;
    return slash && strlen(lesson) == length && memcmp(lesson, about, length) == 0 &&
           strcmp(event_text(event, "id"), slash + 1) == 0;
}

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

// A prediction is shown together with what it came to, and an answer with the attempts after it.
static bool fits(const json_t *event, const struct book_view *view)
{
    const char *kind = view->kind->kind;
    bool runs = kind && strcmp(kind, "run") == 0;
    if (event_is(event, "left")) // where a lesson was left: for the page alone
        return false;
    bool wanted = !kind || event_is(event, kind) ||
                  (strcmp(kind, "predict") == 0 && event_is(event, "outcome")) ||
                  (strcmp(kind, "answer") == 0 && event_is(event, "attempt"));
    return wanted &&
           (!view->about || (runs ? is_about(event, view->about) : is_answer_to(event, view->about)));
}

// ---- counts -----------------------------------------------------------------------------------------------

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
    if (view->about && view->kind->kind && strcmp(view->kind->kind, "run") == 0)
        text_addf(&words, words.length ? " of %s" : "There is no run of %s", view->about);
    else if (view->about)
        text_addf(&words, words.length ? " to %s" : "There is no answer to %s", view->about);
    if (words.length) {
        text_add(&words, ".");
        sheet_paragraph(sheet, ROLE_DIM, 1, words.data);
    }
    text_free(&words);
}

// ---- what was saved ---------------------------------------------------------------------------------------

bool book_first_saving(const struct workbook *workbook, struct text *out)
{
    const double saved = 0.95;
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        if (!(workbook_marks(workbook, i) & EVENT_RIGHT))
            continue;
        const json_t *event = workbook_event(workbook, i);
        struct limit limits[LIMITS_MOST];
        size_t count = limits_read(event, limits), best = count;
        for (size_t j = 0; j < count; j++)
            if (limits[j].share < saved && (best == count || limits[j].share < limits[best].share))
                best = j;
        double had = number_of(event, "had_ms"), ms = number_of(event, "ms");
        bool timed = had > 0 && ms < saved * had;
        if (!timed && (best == count || had > 0)) // a clock that saw no gain outweighs the counters
            continue;
        text_addf(out, "%s %s, ", event_text(event, "lesson"), event_text(event, "id"));
        if (timed) {
            limit_time_words(event_text(event, "timed"), had, ms, out);
        } else {
            text_add(out, "in the simulator; ");
            limit_words(&limits[best], out);
        }
        return true;
    }
    return false;
}

static void add_saving(struct sheet *sheet, const struct workbook *workbook)
{
    struct text words = { 0 };
    text_add(&words, "Your first speed-up: ");
    if (book_first_saving(workbook, &words)) {
        text_add(&words, ".");
        sheet_paragraph(sheet, ROLE_GOOD, 1, words.data);
    }
    text_free(&words);
}

// One attempt at a task in the chart of a limit.
static void chart_row(struct sheet *sheet, const char *when, double number, double longest, enum role role,
                      bool met)
{
    enum { WHEN_AT = 3, NUMBER_END = 30, BAR_AT = 32, BAR_MOST = 30 };
    char digits[40];
    struct text bar = { 0 };
    int room = sheet->width - BAR_AT - 3;
    format_into(digits, sizeof digits, "%.4g", number);
    if (longest > 0 && room > 0)
        bar_text(&bar, sheet->utf8, number / longest, room < BAR_MOST ? room : BAR_MOST);
    sheet_to(sheet, WHEN_AT);
    sheet_add(sheet, ROLE_DIM, "%s", when);
    sheet_to(sheet, NUMBER_END - text_cells(digits));
    sheet_add(sheet, ROLE_TEXT, "%s", digits);
    sheet_to(sheet, BAR_AT);
    sheet_add(sheet, role, "%s", text_string(&bar));
    if (met)
        sheet_add(sheet, ROLE_GOOD, " %s", glyph(sheet->utf8, GLYPH_DONE));
    sheet_end(sheet);
    text_free(&bar);
}

// The limit of that name in an event; false: it has none, or no number of its own.
static bool limit_in(const json_t *event, const char *what, struct limit *out)
{
    struct limit limits[LIMITS_MOST];
    size_t count = limits_read(event, limits);
    for (size_t i = 0; i < count; i++)
        if (strcmp(limits[i].what, what) == 0) {
            *out = limits[i];
            return isfinite(out->got);
        }
    return false;
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

// ---- rows -------------------------------------------------------------------------------------------------

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

// What the newest attempts had of one limit, the oldest first, below what the task began with.
static void add_chart(struct sheet *sheet, const struct shown *shown, const struct limit *limit)
{
    enum { BARS = 8 };
    struct limit one;
    struct text head = { 0 };
    size_t count = 0;
    double longest = isfinite(limit->had) ? limit->had : 0;
    text_addf(&head, "%s, at %s %.6g", limit->what, limit->most ? "most" : "least", limit->bound);
    sheet_gap(sheet);
    sheet_paragraph(sheet, ROLE_TITLE, 1, head.data);
    text_free(&head);
    while (count < shown->count && count < BARS) {
        if (limit_in(shown->events[count], limit->what, &one) && one.got > longest)
            longest = one.got;
        count++;
    }
    if (isfinite(limit->had))
        chart_row(sheet, "as it shipped", limit->had, longest, ROLE_DIM, false);
    while (count-- > 0) {
        char when[40] = "";
        struct tm at;
        if (!limit_in(shown->events[count], limit->what, &one))
            continue;
        if (event_time(shown->events[count], &at))
            strftime(when, sizeof when, "%Y-%m-%d %H:%M", &at);
        chart_row(sheet, when, one.got, longest, ROLE_SIM, one.met);
    }
}

static void add_charts(struct sheet *sheet, const struct shown *shown)
{
    struct limit limits[LIMITS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < shown->count && !count; i++)
        count = limits_read(shown->events[i], limits);
    for (size_t i = 0; i < count; i++)
        add_chart(sheet, shown, &limits[i]);
}

// All runs are of one variant, so its name need not be in every row.
static bool over_time(const struct book_view *view, const struct shown *shown)
{
    bool one = view->about && shown->count && event_is(shown->events[0], "run");
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
            event_row(sheet, shown->events[i], "%H:%M");
        sheet->item = -1;
        text_free(&opens);
    }
}

// The newest attempts, each after its day.
static void add_last(struct sheet *sheet, const struct workbook *workbook, size_t most, struct links *links)
{
    static const char *const attempts[] = { "run", "answer", "attempt", "predict" };
    const json_t *before = NULL;
    for (size_t i = workbook_count(workbook), rows = 0; i-- > 0 && rows < most;) {
        struct text opens = { 0 };
        bool wanted = false;
        for (size_t kind = 0; kind < sizeof attempts / sizeof *attempts; kind++)
            wanted |= workbook_is(workbook, i, attempts[kind]);
        if (!wanted)
            continue;
        const json_t *event = workbook_event(workbook, i);
        if (before && event_is(event, "run") && comparable(event, before) &&
            event_same(event, before, "lab") && event_same(event, before, "status"))
            continue; // the same once more
        before = event;
        event_opens(event, false, &opens);
        sheet->item = links_add(links, "%s", text_string(&opens));
        event_row(sheet, event, "%m-%d");
        sheet->item = -1;
        text_free(&opens);
        rows++;
    }
}

struct sheet book_sheet(const struct workbook *workbook, const struct book_view *view, int width, bool utf8,
                        struct links *links)
{
    struct sheet sheet = sheet_new(width, utf8);
    if (view->last) {
        add_last(&sheet, workbook, view->most, links);
        return sheet;
    }
    if (view->kind->kind && strcmp(view->kind->kind, "board") == 0) {
        if (!boards_add(&sheet, workbook, links))
            sheet_paragraph(&sheet, ROLE_TEXT, 1,
                            "No attempt at a challenge has come out right yet. Challenges stand in the "
                            "lessons, after their exercises.");
        return sheet;
    }
    struct shown shown = shown_of(workbook, view);
    add_counts(&sheet, workbook, view);
    if (!view->kind->kind)
        add_saving(&sheet, workbook);
    if (view->about)
        add_charts(&sheet, &shown);
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
