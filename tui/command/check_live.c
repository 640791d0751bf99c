// The check of live blocks: labs and explorers that they name exist, one choice is right, skeletons fail, solutions pass.
#include "lessons/answer.h"
#include "lessons/lessons.h"
#include "tui/command/again.h"
#include "tui/command/check.h"
#include "tui/view/live.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- runs that texts speak of: recorded on a GPU, or simulated once ---------------------------------------

void check_runs_free(struct checking *check)
{
    for (size_t i = 0; i < check->run_count; i++) {
        free(check->runs[i].key);
        json_decref(check->runs[i].record);
    }
    free(check->runs);
}

static char *key_of(const struct request *request)
{
    const struct lab *lab = lab_find(request->lab);
    const char *data = request->data ? request->data : lab ? lab->data[0] : NULL;
    struct text key = { 0 };
    text_addf(&key, "%s %s/%s %s %s", record_backend_name(request->on), request->lab, request->variant,
              request_preset(request), data ? data : "");
    for (size_t i = 0; i < request->params.count; i++)
        text_addf(&key, " %s=%.17g", request->params.bindings[i].name,
                  value_as_real(request->params.bindings[i].value));
    return text_take(&key);
}

static enum check_ran run_it(struct checking *check, const struct lesson_run *trial, struct record *out,
                             struct error *error)
{
    if (trial->request.on == ON_GPU) {
        if (recorded_find(&trial->request, &trial->variant, out))
            return RUN_KNOWN;
        error_set(error, EXIT_WRONG, "no result of a GPU was recorded for this step, size and data");
        return RUN_REFUSED;
    }
    if (check->fast || trial->request.on == ON_CPU ||
        waiting_stopped()) // what a CPU takes is every machine's own
        return RUN_SKIPPED;
    if (client_run(check->client, &trial->request, waiting_quietly, NULL, out, error))
        return RUN_KNOWN;
    return waiting_stopped() ? RUN_SKIPPED : error->code == EXIT_MISSING ? RUN_MISSING : RUN_REFUSED;
}

// The record is kept: another text may ask for the same run.
static enum check_ran keep(struct checking *check, char *key, struct record *record, const json_t **out,
                           struct error *error)
{
    bool ran = record->status != STATUS_FAILED && record->status != STATUS_SKIPPED;
    if (ran) {
        check->runs = array_room(check->runs, check->run_count, sizeof *check->runs);
        check->runs[check->run_count] = (struct check_run){ mem_copy(key), record_to_json(record) };
        *out = check->runs[check->run_count++].record;
    } else {
        error_set(error, EXIT_WRONG, "%s", record->message ? record->message : "it did not run");
    }
    record_free(record);
    return ran ? RUN_KNOWN : RUN_REFUSED;
}

enum check_ran check_run(struct checking *check, const struct lesson_run *trial, const json_t **out,
                         struct error *error)
{
    struct record record;
    char *key = key_of(&trial->request);
    enum check_ran ran = RUN_SKIPPED;
    *out = NULL;
    for (size_t i = 0; i < check->run_count && !*out; i++)
        if (strcmp(check->runs[i].key, key) == 0)
            *out = check->runs[i].record;
    if (*out)
        ran = RUN_KNOWN;
    else if ((ran = run_it(check, trial, &record, error)) == RUN_KNOWN)
        ran = keep(check, key, &record, out, error);
    free(key);
    return ran;
}

static void check_detail(struct checking *check, const char *text)
{
    if (text && *text)
        paper_lines(&check->paper, ROLE_TEXT, 4, text);
}

// ---- bounds, and errors of fields -------------------------------------------------------------------------

#define NEAR 1.5    // the right choice is off by less
#define APART 1.1   // the next one is farther off by this factor
#define DIFFER 1.03 // of several runs the best is so much better than the next
#define SURE 1.04   // how far from being just the same, or just not

static void field_error(struct checking *check, const struct lesson *lesson, const struct live *live,
                        const char *key, size_t nth, const struct error *error)
{
    check_lesson_error(check, lesson, live_line(live, key, nth), live_nth(live, key, nth), "%.*s",
                       (int)strcspn(error->text, "\n"), error->text);
}

// ---- lab, widget ------------------------------------------------------------------------------------------

static void check_shows(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    const char *place;
    for (size_t i = 0; (place = live_nth(live, "show", i)); i++)
        if (!check_place(place, &error))
            field_error(check, lesson, live, "show", i, &error);
}

static void check_widget(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    if (!check_explorer(live_field(live, "explore"), &error))
        field_error(check, lesson, live, "explore", 0, &error);
}

// ---- choices ----------------------------------------------------------------------------------------------

static void check_choices(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    size_t count = live_count(live, "choice");
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "choice", i), live_nth(live, "choice", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "choice", i), NULL,
                                   "this choice is there twice");
    for (size_t i = 1; i < live_count(live, "right"); i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "right", i), live_nth(live, "right", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "right", i), NULL,
                                   "this choice is right already");
}

static void check_right_number(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *right = live_field(live, "right");
    char *end;
    if (!right || live_count(live, "choice"))
        return;
    strtod(right, &end);
    if (end == right || end[strspn(end, " ")])
        check_lesson_error(check, lesson, live_line(live, "right", 0), right,
                           "a prediction without choices is a number");
}

// ---- predictions against runs -----------------------------------------------------------------------------

struct prediction {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    struct outcome came;
};

// False: an error was printed, or the run cannot be made here.
static bool run_value(struct prediction *p, size_t run, const struct lesson_run *trial)
{
    struct error error;
    const json_t *record;
    const char *value = live_field(p->live, "value");
    check_progress(p->check, "%s: %s", p->lesson->name, trial->place);
    enum check_ran ran = check_run(p->check, trial, &record, &error);
    if (ran == RUN_KNOWN && !live_value(value, record, &p->came.values[run])) {
        error_set(&error, EXIT_WRONG, "the run does not say %s", value);
        ran = RUN_REFUSED;
    }
    if (ran == RUN_MISSING)
        check_not_run(p->check, p->lesson, trial->place, &error);
    else if (ran == RUN_REFUSED)
        field_error(p->check, p->lesson, p->live, "run", run, &error);
    return ran == RUN_KNOWN;
}

// How far a choice is from being right; the least is.
static double distance(const struct prediction *p, size_t choice)
{
    const char *best = live_field(p->live, "best");
    if (p->came.count == 1)
        return outcome_ratio(strtod(live_nth(p->live, "choice", choice), NULL), p->came.values[0]);
    return best && strcmp(best, "most") == 0 ? 1 / p->came.values[choice] : p->came.values[choice];
}

// Where a choice says that all runs are the same, they are clearly so or clearly not.
static bool same_or_not(const struct prediction *p, int line)
{
    double spread = outcome_spread(&p->came);
    if (spread > OUTCOME_SAME / SURE && spread < OUTCOME_SAME * SURE)
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "the runs differ by a factor of %.3g: nearly the same, but not quite", spread);
    return spread < OUTCOME_SAME;
}

static void one_is_right(const struct prediction *p)
{
    size_t choices = live_count(p->live, "choice"), right = 0;
    size_t count = p->came.count > 1 ? p->came.count : choices; // of those that a number decides
    double next = INFINITY;
    for (size_t i = 1; i < count; i++)
        if (distance(p, i) < distance(p, right))
            right = i;
    for (size_t i = 0; i < count; i++)
        if (i != right && distance(p, i) < next)
            next = distance(p, i);
    if (!choices || (count < choices && same_or_not(p, live_line(p->live, "choice", count))))
        return;
    int line = live_line(p->live, "choice", right);
    if (p->came.count == 1 && distance(p, right) > NEAR)
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "%.4g comes out, and no choice is near it; this one is nearest",
                           p->came.values[0]);
    else if (next < distance(p, right) * (p->came.count == 1 ? APART : DIFFER))
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "this choice and another are as near to what comes out (%.4g)",
                           p->came.values[p->came.count == 1 ? 0 : right]);
}

// ---- the answer is not given away ---------------------------------------------------------------------------

// What is counted: the first word of the unit, or that after "How many"; its length, 0: nothing.
static size_t noun_of(const struct live *live, const char **noun)
{
    const char *unit = live_field(live, "unit"), *ask = live_field(live, "ask"),
               *many = strstr(ask, "How many ");
    *noun = unit ? unit : many ? many + strlen("How many ") : "";
    return strcspn(*noun, " ,.?\n");
}

// "8", "1,024", "eight", "Thirty-two": how many bytes of `at` are a number, and which; 0: none.
static size_t number_at(const char *at, double *out)
{
    static const char *const ones[] = { "zero",    "one",     "two",       "three",    "four",
                                        "five",    "six",     "seven",     "eight",    "nine",
                                        "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                        "fifteen", "sixteen", "seventeen", "eighteen", "nineteen" };
    static const char *const tens[] = { "twenty", "thirty",  "forty",  "fifty",
                                        "sixty",  "seventy", "eighty", "ninety" };
    char number[40];
    size_t length = strspn(at, "0123456789.,"), kept = 0, letters = 0;
    for (size_t i = 0; i < length && kept + 1 < sizeof number; i++)
        if (at[i] != ',')
            number[kept++] = at[i];
    number[kept] = 0;
    *out = strtod(number, NULL);
    while (isalpha((unsigned char)at[letters]))
        letters++;
    for (size_t i = 0; letters && i < sizeof ones / sizeof *ones; i++)
        if (strlen(ones[i]) == letters && strncasecmp(at, ones[i], letters) == 0) {
            *out = (double)i;
            length = letters;
        }
    for (size_t i = 0; letters && i < sizeof tens / sizeof *tens; i++)
        if (strlen(tens[i]) == letters && strncasecmp(at, tens[i], letters) == 0) {
            double one = 0;
            size_t rest = at[letters] == '-' ? number_at(at + letters + 1, &one) : 0;
            *out = 20 + 10 * (double)i + (rest && one < 10 ? one : 0);
            length = letters + (rest && one < 10 ? rest + 1 : 0);
        }
    return length;
}

// The words have this number, and what is counted after it, one of them or several.
static bool words_tell(const char *words, double answer, const char *noun, size_t length)
{
    size_t stem = noun[length - 1] == 's' ? length - 1 : length;
    for (const char *at = words; *at;) {
        double number;
        bool within = at > words && (byte_in_word(at[-1]) || strchr("[.-", at[-1]));
        size_t bytes = within ? 0 : number_at(at, &number);
        if (bytes && at[bytes] == ' ' && outcome_ratio(number, answer) < 1.005 &&
            strncmp(at + bytes + 1, noun, stem) == 0)
            return true;
        at += bytes ? bytes : 1;
    }
    return false;
}

// The line, and the first words of the next, where a sentence may go on.
static const char *with_next(const struct sheet *sheet, size_t at, struct text *out)
{
    struct text next = { 0 };
    sheet_line_text(sheet, at, out);
    if (at + 1 < sheet->line_count) {
        const char *more = sheet_line_text(sheet, at + 1, &next);
        more += strspn(more, " ");
        text_addf(out, " %.*s", (int)strcspn(more, " "), more);
    }
    text_free(&next);
    return text_string(out);
}

// A screenful before the question, and what is left below it while it is open, must not hold the answer.
static void check_given_away(struct checking *check, const struct lesson *lesson, const struct live *live,
                             double answer)
{
    enum { SCREENFUL = 22 };
    const char *noun;
    size_t length = noun_of(live, &noun), block = 0, index = 0;
    unsigned char *folds = mem_new(lesson->block_count + 1);
    for (size_t i = 0; i < lesson->block_count && &lesson->blocks[i].live != live; i++) {
        index += lesson->blocks[i].kind == BLOCK_LIVE;
        block = i + 1;
    }
    folds[block] = FOLD_WAITS;
    folds_spread(lesson, folds);
    struct lesson_setting paper = { .width = TEXT_CELLS, .utf8 = true, .folds = folds };
    struct lesson_text text = lesson_text_new(lesson, &paper);
    struct text line = { 0 };
    size_t start = text.starts[index], from = start > SCREENFUL ? start - SCREENFUL : 0;
    for (size_t i = from; length && i < text.sheet.line_count; i++) {
        if (i >= start && i < text.ends[index])
            continue;
        const char *words = with_next(&text.sheet, i, &line);
        if (!words_tell(words, answer, noun, length))
            continue;
        check_lesson_error(check, lesson, live_line(live, "ask", 0), NULL,
                           "the answer is on the same screen: %s", words + strspn(words, " "));
        break;
    }
    text_free(&line);
    lesson_text_free(&text);
    free(folds);
}

// ---- asked again with other numbers -----------------------------------------------------------------------

struct again_check {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    double right; // of the lesson; NAN: not known
};

static bool again_error(const struct again_check *again, const char *key, size_t nth, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool again_error(const struct again_check *again, const char *key, size_t nth, const char *format, ...)
{
    const struct source source = { again->lesson->path, again->lesson->text };
    va_list args;
    va_start(args, format);
    check_error_v(again->check, &source, live_line(again->live, key, nth), live_nth(again->live, key, nth),
                  format, args);
    va_end(args);
    return false;
}

// Whether a placeholder of the text names this number.
static bool is_named(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strchr(at, '{')); at++)
        for (const char *word = at + 1; *word && *word != '}'; word++)
            if (string_starts(word, name) && !byte_in_word(word[-1]) && !byte_in_word(word[length]))
                return true;
    return false;
}

// "stride = 5, bytes = 4"
static void add_drawn(const struct drawn *drawn, struct text *out)
{
    for (size_t i = 0; i < drawn->count; i++)
        text_addf(out, "%s%s = %lld", i ? ", " : "", drawn->names[i], (long long)drawn->numbers[i]);
}

// The answer to one draw, and its texts; false: an error was printed, or it cannot be known here.
static bool check_draw(const struct again_check *again, size_t which, struct drawn *drawn)
{
    static const char *const keys[] = { "again", "so" };
    struct checking *check = again->check;
    struct error error;
    struct text with = { 0 }, text = { 0 };
    bool sound = drawn_read(again->live, which, drawn, &error);
    add_drawn(drawn, &with);
    if (sound && !again_answer(again->live, drawn, &check->client, waiting_quietly, &error)) {
        sound = false;
        if (error.code == EXIT_MISSING && !waiting_stopped())
            check_not_run(check, again->lesson, again->live->id, &error);
        else if (!waiting_stopped())
            again_error(again, "answer", 0, "with %s: %s", text_string(&with), error.text);
    }
    for (size_t i = 0; sound && i < sizeof keys / sizeof *keys; i++) {
        const char *value = live_field(again->live, keys[i]);
        sound = !value || drawn_text(drawn, value, &text, &error) ||
                again_error(again, keys[i], 0, "with %s: %s", text_string(&with), error.text);
    }
    text_free(&text);
    text_free(&with);
    return sound;
}

// With the numbers of the lesson the answer is that of the lesson.
static bool check_own_draw(const struct again_check *again)
{
    struct drawn drawn;
    if (!check_draw(again, 0, &drawn))
        return false;
    double answer = value_as_real(drawn.answer);
    bool rounded = live_count(again->live, "choice") > 0;
    if (isnan(again->right) || outcome_ratio(answer, again->right) < (rounded ? OUTCOME_RIGHT : 1.0005))
        return true;
    return again_error(again, "answer", 0,
                       "with the numbers of the lesson %.6g comes out, and %.6g is right there", answer,
                       again->right);
}

static bool is_whole_block(const struct again_check *again)
{
    static const char *const keys[] = { "again", "draw", "answer" };
    size_t there = 0;
    for (size_t i = 0; i < 3; i++)
        there += live_field(again->live, keys[i]) != NULL;
    if (there != 3 && (there || live_field(again->live, "so")))
        check_lesson_error(again->check, again->lesson, again->live->line, NULL,
                           "a question that is asked again needs 'again', 'draw' and 'answer'");
    return there == 3;
}

static bool names_stand(const struct again_check *again, const struct drawn *drawn)
{
    for (size_t i = 0; i < drawn->count; i++)
        if (!is_named(live_field(again->live, "again"), drawn->names[i]))
            return again_error(again, "draw", i, "'again' does not name it: it needs {%s}", drawn->names[i]);
    return true;
}

static void check_again(const struct again_check *again)
{
    enum { RUNS_MOST = 64 };
    struct drawn drawn;
    struct error error;
    double first = 0;
    bool differ = false;
    if (!is_whole_block(again))
        return;
    bool runs = strstr(live_field(again->live, "answer"), "sim(") != NULL;
    if (!drawn_read(again->live, 0, &drawn, &error)) {
        again_error(again, "draw", 0, "%s", error.text);
        return;
    }
    if (runs && drawn.others > RUNS_MOST) {
        again_error(again, "draw", 0, "these are %zu draws, and at most %d are run", drawn.others, RUNS_MOST);
        return;
    }
    if (!names_stand(again, &drawn) || (runs && again->check->fast) || !check_own_draw(again))
        return;
    for (size_t which = 1; which <= drawn.others; which++) {
        if (!check_draw(again, which, &drawn))
            return;
        double answer = value_as_real(drawn.answer);
        first = which == 1 ? answer : first;
        differ |= answer != first;
    }
    if (!differ)
        again_error(again, "answer", 0, "this is %.6g for every draw", first);
}

// ---- quizzes and predictions ------------------------------------------------------------------------------

static void check_quiz(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *right = live_field(live, "right");
    if (live_count(live, "choice"))
        right = quiz_several(live) ? "" : live_nth(live, "choice", (size_t)strtoul(right, NULL, 10) - 1);
    char *end;
    double answer = strtod(right, &end);
    if (end != right && !*end)
        check_given_away(check, lesson, live, answer);
    check_again(&(struct again_check){ check, lesson, live, end == right ? NAN : answer });
}

static void check_predict(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct prediction p = { .check = check, .lesson = lesson, .live = live };
    struct error error;
    const char *run;
    bool known = true;
    check_right_number(check, lesson, live);
    for (size_t i = 0; (run = live_nth(live, "run", i)); i++) {
        struct lesson_run trial;
        if (!lesson_run_read(&trial, run, false, &error)) {
            field_error(check, lesson, live, "run", i, &error);
            return;
        }
        known &= run_value(&p, i, &trial);
        lesson_run_free(&trial);
        p.came.count++;
    }
    if (known && p.came.count)
        one_is_right(&p);
    if (known && p.came.count == 1)
        check_given_away(check, lesson, live, p.came.values[0]);
    const char *right = live_field(live, "right");
    if (right && live_count(live, "choice"))
        right = live_nth(live, "choice", (size_t)strtoul(right, NULL, 10) - 1);
    check_again(&(struct again_check){ check, lesson, live,
                                       right                        ? strtod(right, NULL)
                                       : known && p.came.count == 1 ? p.came.values[0]
                                                                    : NAN });
}

// ---- exercises, bug hunts and orders ----------------------------------------------------------------------

static const char *const reasons[] = {
    [VERDICT_ACCEPTED] = "accepted", [VERDICT_COMPILE] = "it does not compile",
    [VERDICT_CHANGED] = "changed",   [VERDICT_RESULT] = "result",
    [VERDICT_FINDING] = "finding",   [VERDICT_BUDGET] = "budget"
};

struct task_check {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    const char *key; // the field that names the file
    size_t nth;
    char *file;
};

static void say(const struct task_check *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct task_check *task, const char *format, ...)
{
    const struct source source = { task->lesson->path, task->lesson->text };
    va_list args;
    va_start(args, format);
    check_error_v(task->check, &source, live_line(task->live, task->key, task->nth), task->file, format,
                  args);
    va_end(args);
}

// ---- files ------------------------------------------------------------------------------------------------

static bool read_kernel(const struct task_check *task, struct text *out)
{
    struct error error;
    const char *slash = strrchr(task->lesson->path, '/');
    char *folder = mem_copy_n(task->lesson->path, slash ? (size_t)(slash - task->lesson->path) : 0);
    char *path = path_join(folder, task->file);
    bool read = file_read(path, out, &error);
    if (!read)
        say(task, "%s", error.text);
    free(path);
    free(folder);
    return read;
}

// Judges one file; false: there is no verdict, for a reason that was printed or because ^C was pressed.
static bool judged(const struct task_check *task, const char *text, struct starters *starters,
                   struct judge_verdict *out)
{
    struct error error;
    if (waiting_stopped())
        return false;
    check_progress(task->check, "%s: %s", task->lesson->name, task->file);
    if (judge(task->check->client, task->live, task->file, text, starters, waiting_quietly, NULL, out,
              &error))
        return true;
    if (waiting_stopped())
        return false;
    if (error.code == EXIT_MISSING)
        check_not_run(task->check, task->lesson, task->file, &error);
    else
        say(task, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    return false;
}

// --fast parses a kernel file and runs nothing.
static void parse_only(const struct task_check *task, const char *text)
{
    const char *lab = live_field(task->live, "lab");
    struct variant variant;
    struct error error;
    char called[100];
    format_into(called, sizeof called, "%s%s", lab ? "1-" : "", task->file);
    if (variant_parse(&variant, lab, called, text, &error)) {
        variant_free(&variant);
        return;
    }
    say(task, "the file cannot be read");
    check_detail(task->check, error.text);
}

static void must_have(const struct task_check *task, const struct judge_verdict *verdict)
{
    const char *finding;
    for (size_t i = 0; (finding = live_nth(task->live, "finding", i)); i++) {
        struct text spaced = { 0 };
        for (const char *at = finding; *at; at++)
            text_add_n(&spaced, *at == '-' ? " " : at, 1);
        if (!strstr(verdict->findings ? verdict->findings : "", text_string(&spaced)))
            check_lesson_error(task->check, task->lesson, live_line(task->live, "finding", i), finding,
                               "the simulator does not find this in %s; it finds: %s", task->file,
                               verdict->findings ? verdict->findings : "nothing");
        text_free(&spaced);
    }
}

static void check_start(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    const char *at = text;
    struct code_piece name;
    if (task->live->kind == LIVE_CHALLENGE && kernel_next(&at, &name))
        say(task, "a challenge starts from an empty file, and this one has a kernel");
    if (!judged(task, text, NULL, &verdict))
        return;
    if (verdict.kind == VERDICT_ACCEPTED)
        say(task, "what one starts from is accepted already");
    if (verdict.kind == VERDICT_COMPILE && task->live->kind == LIVE_EXERCISE) {
        say(task, "what one starts from does not compile");
        check_detail(task->check, verdict.words);
    } else {
        must_have(task, &verdict);
    }
    verdict_free(&verdict);
}

// Each kernel that is compared with the solution can be counted, as this can, and each implementation for the CPU is timed.
static void check_besides(const struct task_check *task, const char *text, struct starters *starters,
                          struct judge_verdict *verdict)
{
    judge_beside(task->check->client, task->live, task->file, text, false, starters, waiting_quietly, NULL,
                 verdict);
    for (size_t i = 0; i < verdict->beside_count && !waiting_stopped(); i++) {
        bool own = i + 1 == verdict->beside_count;
        if (*verdict->beside[i].why)
            check_lesson_error(task->check, task->lesson,
                               live_line(task->live, own ? "solution" : "beside", own ? 0 : i), NULL,
                               "this has no number to compare with the others: %s", verdict->beside[i].why);
    }
}

// A verdict tells each number beside what it was before, so what an exercise starts from is right, and only too slow.
static void check_before(const struct task_check *task, const struct judge_verdict *verdict)
{
    const char *why = verdict->starter_why;
    for (size_t i = 0; !why && i < verdict->limit_count; i++)
        if (!isfinite(verdict->limits[i].had) && verdict->limits[i].budget != live_field(task->live, "pace"))
            why = "a number of it is not known";
    if (task->live->kind == LIVE_EXERCISE && live_field(task->live, "budget") && why)
        check_lesson_error(
            task->check, task->lesson, live_line(task->live, "file", 0), live_field(task->live, "file"),
            "an answer within the budget has no number before it to be compared with: %s", why);
}

static void check_solution(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    struct starters starters = { .patient = true };
    if (!judged(task, text, &starters, &verdict))
        return;
    check_before(task, &verdict);
    check_besides(task, text, &starters, &verdict);
    if (verdict.kind != VERDICT_ACCEPTED) {
        say(task, "the solution is rejected (%s)", reasons[verdict.kind]);
        check_detail(task->check, verdict.words);
    }
    verdict_free(&verdict);
}

// "serial.cu budget": the reason is among those for which it is rejected; a budget is the only one.
static void check_wrong(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    const char *meant = live_nth(task->live, "wrong", task->nth);
    enum verdict_kind kind = VERDICT_CHANGED;
    meant += strcspn(meant, " ");
    meant += strspn(meant, " ");
    while (kind < VERDICT_BUDGET && strcmp(reasons[kind], meant) != 0)
        kind++;
    if (!judged(task, text, NULL, &verdict))
        return;
    bool fits = kind == VERDICT_BUDGET ? verdict.kind == kind : (verdict.reasons & 1u << kind) != 0;
    if (verdict.kind == VERDICT_ACCEPTED)
        say(task, "this wrong answer is accepted; '%s' is meant to reject it", meant);
    else if (!fits)
        say(task, "this wrong answer is rejected for another reason than '%s': %s", meant,
            reasons[verdict.kind]);
    if (!fits)
        check_detail(task->check, verdict.words);
    verdict_free(&verdict);
}

static void check_file(struct task_check *task, void (*look)(const struct task_check *task, const char *text))
{
    struct text text = { 0 };
    const char *value = live_nth(task->live, task->key, task->nth);
    task->file = mem_copy_n(value, strcspn(value, " "));
    bool empty = task->live->kind == LIVE_CHALLENGE && strcmp(task->key, "file") == 0;
    if (read_kernel(task, &text) && task->check->fast && !empty && !live_field(task->live, "program"))
        parse_only(task, text_string(&text));
    else if (text.data && !task->check->fast)
        look(task, text.data);
    text_free(&text);
    free(task->file);
}

// ---- tasks ------------------------------------------------------------------------------------------------

static bool flags_sound(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    static const char *const keys[] = { "check", "time" };
    const char *lab = live_field(live, "lab"), *flags;
    struct error error;
    if (lab && !lab_find(lab)) {
        check_lesson_error(check, lesson, live_line(live, "lab", 0), lab, "there is no lab '%s'", lab);
        return false;
    }
    bool sound = true;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; (flags = live_nth(live, keys[k], i)); i++) {
            struct request request;
            if (judge_flags(flags, lab, NULL, &request, &error)) {
                request_free(&request);
                continue;
            }
            check_lesson_error(check, lesson, live_line(live, keys[k], i), flags, "%s", error.text);
            sound = false;
        }
    return sound;
}

// What an answer is compared with is of the same lab, and there.
static bool besides_sound(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *lab = live_field(live, "lab"), *beside;
    bool sound = true;
    for (size_t i = 0; (beside = live_nth(live, "beside", i)); i++) {
        struct lesson_run run;
        struct error error;
        size_t length = lab ? strlen(lab) : 0;
        char *place = mem_copy_n(beside, strcspn(beside, " \n"));
        error_set(&error, EXIT_WRONG, "what an answer is compared with is a step of the task's own lab");
        bool same = lab && strncmp(place, lab, length) == 0 && place[length] == '/';
        bool found = same && lesson_run_read(&run, place, false, &error);
        if (found)
            lesson_run_free(&run);
        else
            field_error(check, lesson, live, "beside", i, &error);
        free(place);
        sound &= found;
    }
    return sound;
}

// A file that stands alone is checked by kernels of its own, which an answer must not change.
static void check_keep(struct task_check *task)
{
    const char *kernel;
    struct text text = { 0 };
    if (!live_field(task->live, "lab") && !live_field(task->live, "keep"))
        check_lesson_error(
            task->check, task->lesson, task->live->line, NULL,
            "without a lab nothing checks an answer but the file's own kernels; name them: 'keep: check'");
    task->file = mem_copy(live_field(task->live, "file"));
    if (live_field(task->live, "keep") && read_kernel(task, &text))
        for (size_t i = 0; (kernel = live_nth(task->live, "keep", i)); i++)
            if (!judge_has_kernel(text_string(&text), kernel))
                check_lesson_error(task->check, task->lesson, live_line(task->live, "keep", i), kernel,
                                   "%s has no kernel %s", task->file, kernel);
    text_free(&text);
    free(task->file);
}

// The step's records show that the goal can be reached.
static void check_goal(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *goal = live_field(live, "goal");
    struct text run = { 0 };
    struct lesson_run trial;
    struct error error;
    const json_t *record;
    double reached;
    if (!goal)
        return;
    text_addf(&run, "%s --on gpu %s", live_field(live, "reached"), live_field(live, "time"));
    bool read = lesson_run_read(&trial, run.data, false, &error);
    text_free(&run);
    if (!read || check_run(check, &trial, &record, &error) != RUN_KNOWN)
        field_error(check, lesson, live, "reached", 0, &error);
    else if (!live_value("ceiling_pct", record, &reached) || reached < strtod(strstr(goal, ">=") + 2, NULL))
        check_lesson_error(check, lesson, live_line(live, "reached", 0), live_field(live, "reached"),
                           "this step does not reach the goal on the GPU whose results ship");
    if (read)
        lesson_run_free(&trial);
}

static void check_task(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    enum { WRONG_LEAST = 2 };
    struct task_check task = { .check = check, .lesson = lesson, .live = live };
    if (live->kind != LIVE_BUGHUNT && live_count(live, "wrong") < WRONG_LEAST)
        check_lesson_error(check, lesson, live->line, NULL,
                           "this needs at least %d 'wrong' files that are rejected, not %zu", WRONG_LEAST,
                           live_count(live, "wrong"));
    if (!flags_sound(check, lesson, live) || !besides_sound(check, lesson, live))
        return;
    check_goal(check, lesson, live);
    task.key = "file";
    check_keep(&task);
    check_file(&task, check_start);
    task.key = "solution";
    check_file(&task, check_solution);
    task.key = "wrong";
    for (task.nth = 0; task.nth < live_count(live, "wrong"); task.nth++)
        check_file(&task, check_wrong);
}

// ---- order ------------------------------------------------------------------------------------------------

static void check_extras(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    for (size_t i = 0; i < live_count(live, "extra"); i++)
        for (size_t j = 0; j < live_count(live, "line"); j++)
            if (strcmp(live_nth(live, "extra", i), live_nth(live, "line", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "extra", i), NULL,
                                   "this is one of the lines, so that leaving it out is not right");
}

static void judge_order(const struct task_check *task, const char *text, const int *order, size_t also)
{
    struct text whole = { 0 };
    struct judge_verdict verdict;
    if (!judge_order_text(task->live, text, order, (int)live_count(task->live, "line"), &whole)) {
        say(task, "the file has no line //@order");
    } else if (task->check->fast) {
        parse_only(task, whole.data);
    } else if (judged(task, whole.data, NULL, &verdict)) {
        if (verdict.kind != VERDICT_ACCEPTED) {
            check_lesson_error(task->check, task->lesson,
                               also ? live_line(task->live, "also", also - 1) : task->live->line, NULL,
                               "this order is rejected (%s)", reasons[verdict.kind]);
            check_detail(task->check, verdict.words);
        }
        verdict_free(&verdict);
    }
    text_free(&whole);
}

static void check_order(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct task_check task = { .check = check, .lesson = lesson, .live = live, .key = "file" };
    struct text text = { 0 };
    size_t lines = live_count(live, "line");
    int order[64];
    check_extras(check, lesson, live);
    if (!live_field(live, "file") || !flags_sound(check, lesson, live))
        return;
    task.file = mem_copy(live_field(live, "file"));
    if (read_kernel(&task, &text)) {
        for (size_t i = 0; i < lines; i++)
            order[i] = (int)i;
        judge_order(&task, text_string(&text), order, 0);
        for (size_t a = 0; a < live_count(live, "also"); a++) {
            const char *at = live_nth(live, "also", a);
            for (size_t i = 0; i < lines; i++)
                order[i] = (int)strtol(at, (char **)&at, 10) - 1;
            judge_order(&task, text_string(&text), order, a + 1);
        }
    }
    text_free(&text);
    free(task.file);
}

// ---- a live block -----------------------------------------------------------------------------------------

void check_live(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    check_choices(check, lesson, live);
    switch (live->kind) {
    case LIVE_LAB:
        check_shows(check, lesson, live);
        break;
    case LIVE_WIDGET:
        check_widget(check, lesson, live);
        break;
    case LIVE_QUIZ:
        check_quiz(check, lesson, live);
        break;
    case LIVE_PREDICT:
        check_predict(check, lesson, live);
        break;
    case LIVE_ORDER:
        check_order(check, lesson, live);
        break;
    case LIVE_EXERCISE:
    case LIVE_BUGHUNT:
    case LIVE_CHALLENGE:
        check_task(check, lesson, live);
        break;
    default:
        break;
    }
}
