// The numbers that lessons and terms promise. A comment below a text says where they come from, a line for each, in the
// order in which they appear there:
//   <!-- numbers:
//   2.810 = gpu(matvec/2: median_ms)
//   200 ~ gpu(matvec/1: median_ms) / gpu(matvec/2: median_ms)
//   -->
// Each must appear in the text above, up to the heading or the comment before, and be the result rounded to the digits
// that are shown. '~' lets it be off by a tenth.
//
// The values are arithmetic as on `//@` lines, in which gpu(RUN: VALUE) is what was recorded of a run, ncu(RUN: VALUE)
// what a profiler said of it, h200(RUN: VALUE) what was recorded on an H200, sim(RUN: VALUE) what the simulator says,
// timeline(STEP: VALUE) what was recorded of a host program, and explore(KNOBS: VALUE) what an explorer computes.
//
//   build/test/lesson_numbers FOLDER...   checks the .md files there; without one the checker itself is tested
#include "lessons/answer.h"
#include "tui/command/again.h"
#include "tui/command/check.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct number_value {
    struct checking *check;
    struct check_names dates; // of the records that were used
    enum check_ran ran;       // of the last call
};

// ---- other GPUs, and profiles ------------------------------------------------------------------------------------

static bool says(const json_t *json, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(json, key));
    return value && text && strcmp(value, text) == 0;
}

// The line of this very kernel, size and data in a file of one object a line; NULL: there is none.
static json_t *line_of(const char *path, const struct lesson_run *trial)
{
    char code[20];
    struct error unused;
    struct text text = { 0 };
    const struct request *request = &trial->request;
    const char *data = request->data ? request->data : lab_find(request->lab)->data[0];
    json_t *found = NULL;
    format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(&trial->variant));
    bool read = path && file_read(path, &text, &unused);
    char *rest = text.data;
    for (char *line; read && !found && (line = strsep(&rest, "\n"));) {
        json_t *json = json_loads(line, 0, NULL);
        bool fits = says(json, "code", code) && says(json, "preset", request_preset(request)) &&
                    (!data || says(json, "data", data));
        found = fits ? json_incref(json) : NULL;
        json_decref(json);
    }
    text_free(&text);
    return found;
}

// What is kept beside what the runs of lessons left: what Nsight Compute said of a kernel, and records of another GPU.
static const struct source_file {
    const char *name, *path;
    bool shipped;
} source_files[] = { { "ncu", "assets/recorded/ncu.jsonl", true },
                     { "h200", "tests/data/recorded/h200.jsonl", false } };

static const struct source_file *source_file_of(const char *on)
{
    for (size_t i = 0; i < sizeof source_files / sizeof *source_files; i++)
        if (strcmp(on, source_files[i].name) == 0)
            return &source_files[i];
    return NULL;
}

static json_t *kept_line(const struct source_file *file, const struct lesson_run *trial)
{
    char *path = file->shipped ? path_shipped(file->path) : mem_copy(file->path);
    json_t *line = line_of(path, trial);
    free(path);
    return line;
}

// ---- gpu(…), sim(…), explore(…) -----------------------------------------------------------------------------------

// `file`: NULL for what ships and what is simulated.
static enum check_ran record_of(struct checking *check, const struct source_file *file,
                                const struct lesson_run *trial, json_t **out, struct error *error)
{
    const json_t *record = NULL;
    enum check_ran ran = RUN_REFUSED;
    *out = NULL;
    if (trial->cpu)
        error_set(error, EXIT_WRONG, "what a CPU takes is every machine's own");
    else if (!file && (ran = check_run(check, trial, &record, error)) == RUN_KNOWN)
        *out = json_incref((json_t *)record);
    else if (file && !(*out = kept_line(file, trial)))
        error_set(error, EXIT_WRONG, "%s has nothing of this kernel, size and data", file->path);
    return *out ? RUN_KNOWN : ran;
}

// `on`: "gpu", "sim" or one of source_files.
static enum check_ran run_value(struct number_value *value, const char *on, const char *run, const char *what,
                                double *out, struct error *error)
{
    struct lesson_run trial;
    json_t *record;
    bool simulated = strcmp(on, "sim") == 0;
    struct text whole = { 0 };
    text_addf(&whole, "%s --on %s", run, simulated ? "sim" : "gpu");
    bool read = lesson_run_read(&trial, whole.data, false, error);
    text_free(&whole);
    if (!read)
        return RUN_REFUSED;
    enum check_ran ran = record_of(value->check, source_file_of(on), &trial, &record, error);
    const char *date = json_string_value(json_object_get(record, "date"));
    if (date && !simulated)
        check_names_add(&value->dates, date);
    if (ran == RUN_KNOWN && !live_value(what, record, out)) {
        error_set(error, EXIT_WRONG, "the run does not say %s", what);
        ran = RUN_REFUSED;
    }
    json_decref(record);
    lesson_run_free(&trial);
    return ran;
}

// "streams/2": by the number of the step.
static enum check_ran timeline_value(const char *step, const char *what, double *out, struct error *error)
{
    const char *slash = strchr(step, '/'), *number = slash ? slash + 1 : "";
    struct text text = { 0 };
    char *path = path_shipped("assets/timelines/streams.jsonl");
    bool read = path && file_read(path, &text, error), known = false;
    char *rest = text.data;
    for (char *line; read && !known && (line = strsep(&rest, "\n"));) {
        json_t *json = json_loads(line, 0, NULL);
        const char *variant = json_string_value(json_object_get(json, "variant"));
        size_t length = strlen(number);
        bool is = variant && length && strncmp(variant, number, length) == 0 && variant[length] == '-';
        known = is && string_starts(step, "streams/") && live_value(what, json, out);
        json_decref(json);
    }
    text_free(&text);
    free(path);
    if (!known)
        error_set(error, EXIT_WRONG, "no time line of %s says %s", step, what);
    return known ? RUN_KNOWN : RUN_REFUSED;
}

// A computed_call; what came of it, beyond whether it did, is in value->ran.
static bool call_value(void *context, const char *call, const char *subject, const char *what, double *out,
                       struct error *error)
{
    struct number_value *value = context;
    if (strcmp(call, "explore") == 0)
        value->ran = explore_value(subject, what, out, error) ? RUN_KNOWN : RUN_REFUSED;
    else if (strcmp(call, "timeline") == 0)
        value->ran = timeline_value(subject, what, out, error);
    else
        value->ran = run_value(value, call, subject, what, out, error);
    return value->ran == RUN_KNOWN;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static enum check_ran compute(struct number_value *value, const char *expression, double *out,
                              struct error *error)
{
    static const char *const calls[] = { "gpu", "sim", "explore", "ncu", "h200", "timeline", NULL };
    const struct computing by = { calls, call_value, value, false };
    struct expr_value result;
    value->ran = RUN_KNOWN;
    bool came = computed(expression, &by, &result, error);
    *out = came ? value_as_real(result) : 0;
    return came ? RUN_KNOWN : value->ran == RUN_KNOWN ? RUN_REFUSED : value->ran;
}

// ---- the comments ------------------------------------------------------------------------------------------------

#define ABOUT 0.1 // of the number, with '~'
static const char numbers_mark[] = "numbers:";

struct numbers_comment {
    struct number_value value;
    struct source source;
    const char *from, *to; // the text that they stand in
    const char *after;     // the number before
    size_t not_run;
};

static void say(const struct numbers_comment *numbers, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const struct numbers_comment *numbers, const char *at, const char *format, ...)
{
    struct text message = { 0 };
    struct error error;
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    error_at(&error, &numbers->source, at, "%s", text_string(&message));
    check_said(numbers->value.check, &error);
    text_free(&message);
}

// ---- numbers as they are written ------------------------------------------------------------------------------

// "1,048,576", "-0.5" and "1.8e6": returns its length, 0 if it is none. `digits`: after the point, by which it is
// rounded; below 0 in front of it.
static size_t number_read(const char *text, double *out, int *digits)
{
    char plain[64];
    size_t at = *text == '-', length = at;
    memcpy(plain, text, at);
    *digits = 0;
    if (!isdigit((unsigned char)text[at]))
        return 0;
    for (bool point = false; length < sizeof plain - 1; at++) {
        bool digit = isdigit((unsigned char)text[at]),
             next = isdigit((unsigned char)text[at + (text[at] != 0)]);
        if (!digit && !(next && (text[at] == ',' || (text[at] == '.' && !point))))
            break;
        *digits += digit && point;
        point |= text[at] == '.';
        if (text[at] != ',')
            plain[length++] = text[at];
    }
    plain[length] = 0;
    *out = strtod(plain, NULL);
    if (text[at] == 'e' && isdigit((unsigned char)text[at + 1])) {
        char *end;
        int exponent = (int)strtol(text + at + 1, &end, 10);
        *out *= pow(10, exponent);
        *digits -= exponent;
        at = (size_t)(end - text);
    }
    return at;
}

static size_t digits_of(const char *text)
{
    return strspn(text, "0123456789");
}

// Whether a number that is looked for can start after this character, or end in front of it: neither within a word
// nor a date nor a longer number.
static bool may_start(char before, char after)
{
    return !byte_in_word(before) && !(strchr(".,-", before) && isdigit((unsigned char)after));
}

static bool may_end(const char *at)
{
    bool grouped = *at == ',' && digits_of(at + 1) == 3;
    return !byte_in_word(*at) && !grouped && !(strchr(".-", *at) && *at && digits_of(at + 1));
}

static const char *find_number(const char *from, const char *to, const char *number, size_t length)
{
    for (const char *at = from; at && at < to; at++) {
        at = memmem(at, (size_t)(to - at), number, length);
        if (at && (at - from < 2 || may_start(at[-1], at[-2])) && may_end(at + length))
            return at;
        if (!at)
            break;
    }
    return NULL;
}

static bool agrees(double shown, int digits, double value, bool about)
{
    double off = fabs(shown - value);
    return about ? off <= ABOUT * fabs(shown) : off <= 0.5 * pow(10, -digits) + 1e-9 * fabs(value);
}

// ---- one line of the comment ------------------------------------------------------------------------------------

static void not_run(struct numbers_comment *numbers, const struct error *error)
{
    const char *slash = strrchr(numbers->source.file, '/');
    struct lesson place = { .name = (char *)(slash ? slash + 1 : numbers->source.file) };
    if (!numbers->not_run++)
        check_not_run(numbers->value.check, &place, "numbers", error);
}

// "24.3 = gpu(matvec/2: ceiling_pct)"
static void check_entry(struct numbers_comment *numbers, const char *entry, const char *end)
{
    struct error error;
    double shown, value;
    int digits;
    size_t length = number_read(entry, &shown, &digits);
    const char *sign = entry + length + strspn(entry + length, " ");
    if (!length || sign >= end || !strchr("=~", *sign)) {
        say(numbers, entry, "here a number is expected, then '=' or '~' and what it comes from");
        return;
    }
    const char *found = find_number(numbers->after, numbers->to, entry, length);
    char *text = mem_copy_n(sign + 1, (size_t)(end - sign - 1)), *expression = text + strspn(text, " ");
    for (char *at = text; (at = strchr(at, '\n')); at++)
        *at = ' ';
    enum check_ran ran = compute(&numbers->value, expression, &value, &error);
    if (ran == RUN_REFUSED)
        say(numbers, sign + 1 + (expression - text), "%.*s", (int)strcspn(error.text, "\n"), error.text);
    else if (ran == RUN_MISSING)
        not_run(numbers, &error);
    else if (ran == RUN_KNOWN && !agrees(shown, digits, value, *sign == '~'))
        say(numbers, found ? found : entry, "this says %.*s, but %s is %.7g", (int)length, entry, expression,
            value);
    if (found)
        numbers->after = found + length;
    else
        say(numbers, entry, "%.*s does not stand in the text above%s", (int)length, entry,
            find_number(numbers->from, numbers->to, entry, length)
                ? " where it is due: these lines have its order"
                : "");
    free(text);
}

// Lines end an entry unless the next one is indented, and so does a ';'.
static void check_entries(struct numbers_comment *numbers, const char *at, const char *end)
{
    while ((at += strspn(at, " \t\r\n;")) < end) {
        const char *stop = at;
        while (stop < end && *stop != ';' && !(*stop == '\n' && stop[1] != ' '))
            stop++;
        const char *last = stop;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        check_entry(numbers, at, last);
        at = stop;
    }
}

// ---- dates --------------------------------------------------------------------------------------------------------

enum { DATE = 10 };

static bool is_date(const char *at)
{
    static const char form[] = "dddd-dd-dd";
    for (int i = 0; i < DATE; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)at[i]) : at[i] != form[i])
            return false;
    return true;
}

// A text with recorded numbers names no other day than that of the records.
static void check_dates(const struct numbers_comment *numbers)
{
    const struct check_names *dates = &numbers->value.dates;
    for (const char *at = numbers->from; dates->count && at + DATE <= numbers->to; at++) {
        bool known = !is_date(at);
        for (size_t i = 0; i < dates->count && !known; i++)
            known = strncmp(at, dates->list[i], DATE) == 0;
        if (!known)
            say(numbers, at, "the runs of these numbers were recorded on %.*s", DATE, dates->list[0]);
    }
}

// ---- all comments of a text -----------------------------------------------------------------------------------------

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char *check_comment(struct checking *check, const struct source *source, const char *from,
                                 const char *at)
{
    struct numbers_comment numbers = {
        .value.check = check, .source = *source, .from = from, .to = at, .after = from
    };
    const char *end = strstr(at, "-->");
    if (!end)
        return line_next(at);
    check_entries(&numbers, strstr(at, numbers_mark) + strlen(numbers_mark), end);
    check_dates(&numbers);
    check_names_free(&numbers.value.dates);
    return end + strlen("-->");
}

// The backticks or tildes that open a fenced block; 0: none.
static size_t fence_of(const char *line)
{
    size_t length = strspn(line, *line == '~' ? "~" : "`");
    return length >= 3 ? length : 0;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " ");
    return string_starts(line, "<!--") && string_starts(line + 4 + strspn(line + 4, " \n"), numbers_mark);
}

// Within a line it would be no block, and nobody would look at it.
static void check_stray(struct checking *check, const struct source *source, const char *line)
{
    static const char stray[] = "<!-- numbers:";
    const char *at = memmem(line, strcspn(line, "\n"), stray, sizeof stray - 1);
    const struct numbers_comment numbers = { .value.check = check, .source = *source };
    if (at && at > line && at[-1] != '`')
        say(&numbers, at, "a comment with numbers has lines of its own");
}

// After the lines `key: value` at the start of a file.
static const char *body_of(const char *text)
{
    const char *end = string_starts(text, "---") ? strstr(text, "\n---") : NULL;
    return end ? line_next(end + 1) : text;
}

static void check_numbers(struct checking *check, const char *path, const char *text)
{
    const struct source source = { path, text };
    const char *from = body_of(text);
    size_t fence = 0;
    for (const char *at = from; *at && !waiting_stopped(); at = line_next(at)) {
        size_t here = fence_of(at);
        if (fence)
            fence = here >= fence ? 0 : fence;
        else if (here)
            fence = here;
        else if (string_starts(at, "## "))
            from = at;
        else if (is_comment(at))
            at = from = check_comment(check, &source, from, at);
        else
            check_stray(check, &source, at);
    }
}

// ---- the checker itself -----------------------------------------------------------------------------------------

// What is said of a text, and whether anything is; the caller's.
static char *said_of(const char *text, size_t *errors)
{
    char *said = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&said, &length);
    struct checking check = { .paper = paper_open(file), .fast = true };
    check_numbers(&check, "lesson.md", text);
    *errors = check.errors;
    check_names_free(&check.not_run);
    free(check.missing);
    check_runs_free(&check);
    fclose(file);
    return said;
}

static const struct {
    const char *name, *text, *comment, *want[2]; // want: none where the numbers are right
} cases[] = {
    { "arithmetic",
      "It has 6,144 threads, or 1.33 times as many.",
      "6,144 = 4 * 3 * 2 * 256; 1.33 = 4 / 3.0",
      { NULL } },
    { "rounded to the digits that are shown",
      "27 % in 1.8e6 clocks.",
      "27 = 26.51; 1.8e6 = 1849000",
      { NULL } },
    { "about", "It is 200 times as fast.", "200 ~ 204.2", { NULL } },
    { "what was recorded", "v2 takes 2.81 ms (2026-11-21).", "2.81 = gpu(matvec/2: median_ms)", { NULL } },
    { "a ratio of two runs",
      "2.7 times",
      "2.7 = gpu(histogram/5: median_ms) / gpu(histogram/4: median_ms)",
      { NULL } },
    { "a profile",
      "27 %",
      "27 = 100 * ncu(matvec/2: stall_long_scoreboard / warp_cycles_per_inst)",
      { NULL } },
    { "an explorer",
      "16 wavefronts, 8 sectors, 2 waves",
      "16 = explore(banks stride=16: wavefronts)\n8 = explore(coalescing stride=2: sectors)\n2 = "
      "explore(waves gpu=h100 per-sm=1\n  blocks=133: waves)",
      { NULL } },
    { "one number twice", "5 and 5", "5 = 5; 5 = 5", { NULL } },
    { "a wrong number",
      "v2 takes 7.810 ms.",
      "7.810 = gpu(matvec/2: median_ms)",
      { "this says 7.810, but gpu(matvec/2: median_ms) is 2.8104", "v2 takes 7.810 ms." } },
    { "a wrong last digit", "27 %", "27 = 26.4", { "this says 27, but 26.4 is 26.4" } },
    { "about is no more than a tenth", "200", "200 ~ 221", { "this says 200, but 221 is 221" } },
    { "a number that is not there",
      "It has 12 threads in 2.4 blocks.",
      "4 = 4",
      { "4 does not stand in the text above" } },
    { "a number of the screen before", "## Next", "20 = 20", { "20 does not stand in the text above" } },
    { "another order", "1 and 2", "2 = 2; 1 = 1", { "1 does not stand in the text above where it is due" } },
    { "a number once and a comment twice", "5", "5 = 5; 5 = 5", { "5 does not stand" } },
    { "part of a date", "2026-11-21", "11 = 11", { "11 does not stand" } },
    { "another day",
      "v2 takes 2.81 ms (2025-01-02).",
      "2.81 = gpu(matvec/2: median_ms)",
      { "the runs of these numbers were recorded on 2026-11-21", "(2025-01-02)" } },
    { "no number", "one", "one = 1", { "here a number is expected" } },
    { "no source", "7", "7", { "here a number is expected, then '=' or '~'" } },
    { "an unknown name", "7", "7 = seven", { "nothing is called seven here" } },
    { "arithmetic that ends too early", "7", "7 = 3 +", { "expected a value" } },
    { "an unknown step", "7", "7 = gpu(matvec/77: median_ms)", { "has no step '77'" } },
    { "an unknown value", "7", "7 = gpu(matvec/2: median_s)", { "the run does not say median_s" } },
    { "nothing recorded",
      "7",
      "7 = gpu(matvec/2 --set N=3: median_ms)",
      { "no result of a GPU was recorded" } },
    { "no profile", "7", "7 = ncu(matvec/1: stall_barrier)", { "ncu.jsonl has nothing of this kernel" } },
    { "another GPU", "18 %, recorded on 2026-11-23", "18 = h200(reduction/2: ceiling_pct)", { NULL } },
    { "the wrong GPU", "26 %", "26 = h200(reduction/2: ceiling_pct)", { "is 18.0" } },
    { "a CPU's time",
      "7",
      "7 = sim(vecadd/plain: median_ms)",
      { "what a CPU takes is every machine's own" } },
    { "a run without a value",
      "7",
      "7 = sim(banks/2)",
      { "'sim' takes what is looked at, a ':' and a value" } },
    { "an explorer that does not say it",
      "7",
      "7 = explore(banks stride=2: sectors)",
      { "the explorer banks does not say sectors", "wavefronts" } },
    { "a knob that is not there",
      "7",
      "7 = explore(banks stribe=2: wavefronts)",
      { "has no knob 'stribe'" } },
};

static void numbers_are_compared_with_where_they_come_from(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = { 0 };
        size_t errors;
        text_addf(&text, "---\ntitle: x\n---\n\n## One\n\n%s\n\n<!-- numbers:\n%s\n-->\n", cases[i].text,
                  cases[i].comment);
        char *said = said_of(text.data, &errors);
        bool wanted = (errors > 0) == (cases[i].want[0] != NULL);
        for (size_t w = 0; w < 2 && cases[i].want[w]; w++)
            wanted = wanted && strstr(said, cases[i].want[w]);
        if (cases[i].want[0])
            wanted =
                wanted && string_starts(said, "lesson.md:") && strstr(said, ": error: ") && strchr(said, '^');
        if (!wanted)
            fail_msg("%s: %s", cases[i].name, said);
        free(said);
        text_free(&text);
    }
}

static void a_comment_has_lines_of_its_own(void **state)
{
    size_t errors;
    char *said = said_of("About 20 <!-- numbers: 20 = 20 -->\n", &errors);
    assert_int_equal(errors, 1);
    assert_non_null(strstr(said, "a comment with numbers has lines of its own"));
    free(said);
    said = said_of("Code:\n\n```text\n<!-- numbers: 20 = 20 -->\n```\n", &errors);
    assert_int_equal(errors, 0);
    free(said);
}

static void an_error_points_at_the_number(void **state)
{
    size_t errors;
    char *said = said_of(
        "---\nname: word\n---\nA word is one.\n\nIt has 8 letters.\n\n<!-- numbers: 8 = 4 -->\n", &errors);
    assert_true(string_starts(said, "lesson.md:6:8: error: this says 8, but 4 is 4\n"));
    free(said);
}

// ---- lessons and terms ---------------------------------------------------------------------------------------------

static int is_page(const struct dirent *entry)
{
    return string_ends(entry->d_name, ".md");
}

static void check_pages(struct checking *check, const char *folder)
{
    struct dirent **entries = NULL;
    struct error error;
    int count = scandir(folder, &entries, is_page, alphasort);
    for (int i = 0; i < count; i++) {
        struct text text = { 0 };
        char *path = path_join(folder, entries[i]->d_name);
        if (file_read(path, &text, &error))
            check_numbers(check, path, text_string(&text));
        else
            check_said(check, &error);
        text_free(&text);
        free(path);
        free(entries[i]);
    }
    free(entries);
}

static int check_given(size_t count, char **folders)
{
    const char *program = getenv("WARPBOOK");
    struct text worker = { 0 };
    struct checking check = { .paper = paper_open(stdout) };
    text_addf(&worker, "exec '%s' worker", program ? program : "warpbook");
    setenv("WARPBOOK_WORKER", text_string(&worker), 1);
    check.client = client_new();
    for (size_t i = 0; i < count; i++)
        check_pages(&check, folders[i]);
    client_free(check.client);
    size_t missing = check.not_run.count;
    if (check.missing)
        printf("%s\n", check.missing);
    printf("%zu error%s\n", check.errors, check.errors == 1 ? "" : "s");
    check_names_free(&check.not_run);
    free(check.missing);
    check_runs_free(&check);
    text_free(&worker);
    return check.errors ? EXIT_WRONG : missing ? EXIT_MISSING : EXIT_RIGHT;
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_compared_with_where_they_come_from),
        cmocka_unit_test(a_comment_has_lines_of_its_own),
        cmocka_unit_test(an_error_points_at_the_number),
    };
    if (count > 1)
        return check_given((size_t)count - 1, words + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
