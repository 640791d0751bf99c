// What an open prediction asks for is on no page of the lab that is opened from the lesson, however wide it is and
// whatever was run there, and is there once it is read past; nor is it in a row of a lab within the lesson. Every
// prediction of every lesson that ships. The worker is this program again: what it measures and counts are numbers that
// no other step has.
#include "engine/run/run.h"
#include "tests/child.h"
#include "tui/tui.h"
#include "tui/view/lesson.h"

#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

// ---- the worker ---------------------------------------------------------------------------------------------

// From 0 to 8999: which numbers a step has.
static unsigned numbers_of(const char *lab, const char *step)
{
    unsigned hash = 2166136261u;
    for (const char *c = lab; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (const char *c = step; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash % 9000;
}

static const char *word_of(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : "";
}

static json_t *answer_run(const json_t *request)
{
    static const char *const counted[] = {
        "gld_req",   "gld_sec",    "gst_req",    "gst_sec",    "red_req",  "red_sec",    "sld_inst",
        "sld_wave",  "satom_inst", "satom_wave", "l2_sectors", "inst",     "branches",   "barriers",
        "divergent", "atom_req",   "atom_sec",   "sst_inst",   "sst_wave", "thread_inst"
    };
    const char *lab = word_of(request, "lab"), *step = word_of(request, "variant"),
               *on = word_of(request, "on");
    double number = numbers_of(lab, step);
    json_t *record =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f}", "lab", lab, "variant", step, "backend", on, "status",
                  "right", "device", "Test machine", "bytes", 4e6, "operations", 1e6);
    if (strcmp(on, "sim") == 0) {
        json_t *counters = json_pack("{s:f}", "lanes_per_inst", 32.0);
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
            json_object_set_new(counters, counted[i], json_real(1001000 + number));
        json_object_set_new(record, "counters", counters);
        json_object_set_new(record, "warp_inst", json_real(1001000 + number));
        json_t *lines = json_array();
        for (int line = 1; line < 400; line++) // more than any step has
            json_array_append_new(lines, json_pack("{s:i, s:f, s:f}", "line", line, "inst", 10000 + number,
                                                   "lanes_per_inst", 32.0));
        json_object_set_new(record, "lines", lines);
    } else {
        json_object_set_new(record, "median_ms", json_real(1000 + number));
        json_object_set_new(record, "ceiling_pct", json_real((1000 + number) / 100));
        json_object_set_new(record, "ceiling_gbps", json_real(3000));
        json_object_set_new(record, "reps", json_integer(5));
    }
    return record;
}

static int serve(void)
{
    char *line = NULL;
    size_t size = 0;
    puts(GREETING);
    fflush(stdout);
    while (getline(&line, &size, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL);
        if (strcmp(word_of(request, "do"), "hello") == 0) {
            json_decref(request);
            continue;
        }
        bool run = strcmp(word_of(request, "do"), "run") == 0;
        json_t *machine = json_pack("{s:{s:s, s:i}}", "gpu", "name", "Test machine", "target", 90);
        json_t *answer = json_pack("{s:O, s:o}", "id", json_object_get(request, "id"), "result",
                                   run ? answer_run(request) : json_incref(machine));
        char *text = json_dumps(answer, JSON_COMPACT);
        printf("%s\n", text);
        fflush(stdout);
        free(text);
        json_decref(machine);
        json_decref(answer);
        json_decref(request);
    }
    free(line);
    return 0;
}

// ---- the program --------------------------------------------------------------------------------------------

static void face_size(void *context, int *rows, int *cols)
{
    *rows = 24;
    *cols = 80;
}

static void face_show(void *context, const struct canvas *canvas)
{
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    poll(&fd, 1, 1000);
    out->kind = EVENT_WOKEN;
}

static void settle(struct app *app)
{
    struct event event;
    while (tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP))
        app_wait(app, &event);
}

static void start(struct app *app)
{
    struct face face = { .size = face_size, .show = face_show, .next = face_next };
    *app = (struct app){ .timeless = true };
    app_init(app, &known, face, true);
    assert_true(app_open(app, "home"));
    settle(app);
}

static void go(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void go(struct app *app, const char *format, ...)
{
    char words[200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    app_do(app, words);
    app_draw(app);
}

static void add_screen(struct app *app, int rows, int cols, struct text *out)
{
    canvas_resize(&app->canvas, rows, cols);
    app_draw(app);
    canvas_dump(&app->canvas, out, NULL);
}

// ---- what gives an answer away ------------------------------------------------------------------------------

enum { TELLS = 6, TELL_MOST = 60 };
struct tells {
    char words[TELLS][TELL_MOST];
    size_t count;
};

static void tell(struct tells *tells, const char *words)
{
    assert_true(tells->count < TELLS);
    format_into(tells->words[tells->count++], TELL_MOST, "%.40s", words); // what has room in a row
}

static struct tells tells_of(const struct lesson_run *run, unsigned asked)
{
    struct tells tells = { 0 };
    char words[60];
    const char *step = run->cpu ? run->cpu->name : run->variant.name;
    double number = numbers_of(run->request.lab, step);
    if (asked & ASKED_TIME) {
        unit_ms(1000 + number, words, sizeof words);
        tell(&tells, words);
    }
    if (asked & ASKED_RESULT) {
        format_into(words, sizeof words, "%.1f %%", (1000 + number) / 100);
        tell(&tells, words);
    }
    if (asked & ASKED_COUNTERS) {
        unit_count(1001000 + number, words, sizeof words);
        tell(&tells, words);
        format_into(words, sizeof words, " %.0f ", 10000 + number); // in the margin of the source
        tell(&tells, words);
    }
    return tells;
}

// The title as its row has it, as far as there is always room for it.
static void row_of(const struct lesson_run *run, char out[TELL_MOST])
{
    if (run->cpu)
        format_into(out, TELL_MOST, "%.15s", run->cpu->title);
    else
        format_into(out, TELL_MOST, "%d %.13s", run->variant.step, run->variant.title);
}

// The reason, as far as no line breaks it.
static void why_of(const struct lesson_run *run, char out[TELL_MOST])
{
    const char *why = run->cpu ? run->cpu->why : run->variant.why;
    format_into(out, TELL_MOST, "%.30s", why ? why : "without a reason");
}

// All that the pages of a step show, in a narrow window and in wide ones.
static void add_pages(struct app *app, const struct lesson_run *run, struct text *out)
{
    static const int sizes[][2] = { { 24, 80 }, { 45, 160 }, { 60, 200 } };
    text_add(out, "");
    go(app, "bench %s", run->place);
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (int pane = 0; pane < 5; pane++) {
            add_screen(app, sizes[size][0], sizes[size][1], out);
            go(app, "pane");
        }
    app_back(app);
    if (run->cpu)
        return;
    go(app, "source %s", run->place);
    add_screen(app, 24, 80, out);
    add_screen(app, 60, 200, out);
    app_back(app);
    go(app, "compare %s/1 %s", run->request.lab, run->place);
    go(app, "pane numbers");
    add_screen(app, 45, 160, out);
    go(app, "pane source");
    add_screen(app, 60, 200, out);
    app_back(app);
}

static void run_it(struct app *app, const struct lesson_run *run)
{
    go(app, "bench %s", run->place);
    go(app, "run");
    if (!run->cpu)
        go(app, "sim");
    settle(app);
    app_back(app);
}

// ---- the pages of a lab ----------------------------------------------------------------------------------------------

static void expect(bool shown, const struct text *pages, const char *words, const struct lesson *lesson,
                   const char *id, const struct lesson_run *run)
{
    bool found = strstr(text_string(pages), words) != NULL;
    if (found != shown)
        fail_msg("%s, %s, pages of %s: '%s' %s", lesson->name, id, run->place, words,
                 found ? "is there while it is asked" : "does not come when it was read past");
}

static void one_run(struct app *app, const struct lesson *lesson, const struct live *live,
                    const struct lesson_run *run)
{
    struct text pages = { 0 };
    go(app, "lesson %s", lesson->name);
    go(app, "bench %s", run->place);
    unsigned asked = asked_about(app->page, run->place);
    app_back(app);
    if (asked) { // not since it was read past for another question
        struct tells tells = tells_of(run, asked);
        run_it(app, run);
        add_pages(app, run, &pages);
        for (size_t i = 0; i < tells.count; i++)
            expect(false, &pages, tells.words[i], lesson, live->id, run);
        char row[TELL_MOST], why[TELL_MOST];
        row_of(run, row);
        why_of(run, why);
        expect(false, &pages, row, lesson, live->id, run);
        expect(false, &pages, why, lesson, live->id, run);
        go(app, "bench %s", run->place);
        go(app, "unfold");
        app_back(app);
        text_free(&pages);
        add_pages(app, run, &pages);
        for (size_t i = 0; i < tells.count; i++)
            expect(true, &pages, tells.words[i], lesson, live->id, run);
        expect(true, &pages, row, lesson, live->id, run);
        text_free(&pages);
    }
    app_back(app);
}

static void no_page_of_a_lab_tells(void **state)
{
    struct app app;
    size_t runs = 0;
    start(&app);
    const struct lessons *lessons = app_lessons(&app);
    for (size_t i = 0; i < lessons->count; i++)
        for (size_t j = 0; j < lessons->list[i].block_count; j++) {
            const struct live *live = &lessons->list[i].blocks[j].live;
            const char *run;
            for (size_t k = 0; live->kind == LIVE_PREDICT && (run = live_nth(live, "run", k)); k++) {
                struct lesson_run read;
                struct error error;
                assert_true(lesson_run_read(&read, run, true, &error));
                one_run(&app, &lessons->list[i], live, &read);
                lesson_run_free(&read);
                runs++;
            }
        }
    assert_true(runs > 50);
    app_end(&app);
}

// ---- the rows of a lab within a lesson ------------------------------------------------------------------------

// As if the learner had answered it.
static void answer(struct app *app, const struct lesson *lesson, const struct live *live)
{
    bool predict = live->kind == LIVE_PREDICT;
    if (live->id)
        app_keep(app, predict ? "predict" : "answer",
                 json_pack("{s:s, s:s, s:b, s:i}", "lesson", lesson->name, "id", live->id, "right", 1,
                           "chosen", 1));
}

static void text_of_lesson(struct app *app, const struct lesson *lesson, struct text *out)
{
    struct text line = { 0 };
    go(app, "lesson %s", lesson->name);
    app_draw(app);
    const struct sheet *sheet = &((const struct lesson_page *)app->page->state)->text.sheet;
    for (size_t i = 0; i < sheet->line_count; i++)
        text_addf(out, "%s\n", sheet_line_text(sheet, i, &line));
    text_free(&line);
}

static bool asks_for_barriers(const struct live *live)
{
    const char *value = live_field(live, "value"), *budget;
    bool asks = value && strstr(value, "barriers");
    for (size_t i = 0; (budget = live_nth(live, "budget", i)); i++)
        asks |= strstr(budget, "barriers") != NULL;
    return asks;
}

// The rows of a lab where all before it is answered and nothing after it; `topic`: something before it asks for
// barriers, which are counted in the rows from there on. Returns how many are folded.
static size_t one_lab(struct app *app, const struct lesson *lesson, const struct live *lab, bool topic)
{
    struct text text = { 0 };
    struct question question = { .lesson = lesson, .live = lab };
    size_t folded = 0;
    question_seek(&question);
    for (size_t i = 0; i < question.trial_count; i++)
        run_it(app, &question.trials[i]);
    text_of_lesson(app, lesson, &text);
    for (size_t i = 0; i < question.trial_count; i++) {
        const struct lesson_run *run = &question.trials[i];
        go(app, "bench %s", run->place);
        unsigned asked = asked_about(app->page, run->place);
        app_back(app);
        char time[60], count[60];
        unit_ms(1000 + numbers_of(run->request.lab, run->variant.name), time, sizeof time);
        unit_count(1001000 + numbers_of(run->request.lab, run->variant.name), count, sizeof count);
        expect(!(asked & ASKED_TIME), &text, time, lesson, "a lab in it", run);
        expect(topic && !(asked & ASKED_COUNTERS), &text, count, lesson, "a lab in it", run);
        folded += asked != 0;
    }
    app_back(app);
    text_free(&text);
    question_close(&question);
    return folded;
}

static void no_lab_within_a_lesson_tells(void **state)
{
    struct app app;
    size_t labs = 0, folded = 0, topics = 0;
    start(&app);
    const struct lessons *lessons = app_lessons(&app);
    for (size_t i = 0; i < lessons->count; i++)
        for (size_t j = 0; j < lessons->list[i].block_count; j++) {
            const struct lesson_block *block = &lessons->list[i].blocks[j];
            if (block->kind != BLOCK_LIVE)
                continue;
            bool lab = block->live.kind == LIVE_LAB;
            labs += lab;
            topics += asks_for_barriers(&block->live);
            if (lab)
                folded += one_lab(&app, &lessons->list[i], &block->live, topics > 0);
            else
                answer(&app, &lessons->list[i], &block->live);
        }
    assert_true(labs > 10);
    assert_true(folded > 2);
    app_end(&app);
}

// Each test has a folder, and a workbook in it, of its own.
static int own_folder(void **state)
{
    char *folder = text_format("%s/asked-XXXXXX", getenv("TMPDIR"));
    int made = mkdtemp(folder) ? setenv("WARPBOOK_HOME", folder, 1) : -1;
    free(folder);
    return made;
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1 && strcmp(words[1], "--serve") == 0)
        return serve();
    if (count > 1) { // the program looks for itself to run a command or a compile
        const char *program = getenv("WARPBOOK");
        if (program)
            execv(program, words);
        return 127;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup(no_page_of_a_lab_tells, own_folder),
                                        cmocka_unit_test_setup(no_lab_within_a_lesson_tells, own_folder) };
    char *self = path_self(), *worker = text_format("exec '%s' --serve", self);
    setenv("WARPBOOK_WORKER", worker, 1);
    free(worker);
    free(self);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
