// Live blocks without their page: what counts as a number, what a full disk leaves open, what an order's Check says and
// how long, how messages are laid out, and where the numbers of an outcome come from.
#include "tui/view/live.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

struct stage {
    char home[60];
    struct app app;
    struct lesson lesson;
};

static const char body[] =
    "---\ntitle: T\nminutes: 1\nafter: x\n---\n\n"
    "```quiz id=number\nask: How many bytes does one thread of (4, 6) read?\nright: 6144\n```\n\n"
    "```quiz id=word\nask: What is it?\nright: a warp\n```\n\n"
    "```predict id=typed\nask: How long?\nright: 4\nunit: sectors per request\n```\n\n"
    "```predict id=pair\nask: Which?\nchoice: one\nchoice: other\nbest: least\nvalue: median_ms\n"
    "run: vecadd/cpu\nrun: vecadd/1\n```\n\n"
    "```order id=lines\nask: Sort.\nline: a;\nline: b;\nline: c;\nextra: d;\n```\n\n"
    "```exercise id=task\nask: Do.\nfile: a.cu\nsolution: b.cu\nhint: one\nhint: two\nhint: three\n"
    "wrong: c.cu result\nwrong: d.cu result\n```\n";

static int begin(void **state)
{
    struct stage *stage = mem_new(sizeof *stage);
    struct error error;
    char path[80];
    strcpy(stage->home, "/tmp/warpbook-live-XXXXXX");
    if (!mkdtemp(stage->home))
        return -1;
    format_into(path, sizeof path, "%s/book", stage->home);
    stage->app.workbook = workbook_open(path, &error);
    setenv("WARPBOOK_HOME", stage->home, 1);
    if (!lesson_parse(&stage->lesson, "01-test/lesson.md", body, &error))
        fail_msg("%s", error.text);
    *state = stage;
    return stage->app.workbook ? 0 : -1;
}

static int end(void **state)
{
    struct stage *stage = *state;
    char path[80];
    format_into(path, sizeof path, "%s/book", stage->home);
    workbook_close(stage->app.workbook);
    lesson_free(&stage->lesson);
    unlink(path);
    rmdir(stage->home);
    free(stage);
    return 0;
}

static const struct live *live_of(const struct stage *stage, const char *id)
{
    for (size_t i = 0; i < stage->lesson.block_count; i++)
        if (stage->lesson.blocks[i].kind == BLOCK_LIVE && strcmp(stage->lesson.blocks[i].live.id, id) == 0)
            return &stage->lesson.blocks[i].live;
    fail_msg("no block %s", id);
    return NULL;
}

static struct question open_it(struct stage *stage, const char *id)
{
    struct question question;
    question_open(&question, &stage->app, &stage->lesson, live_of(stage, id));
    return question;
}

// The block as it is shown on the page, a '|' after each line. The caller frees.
static char *shown(struct stage *stage, struct question *question)
{
    struct text out = { 0 }, line = { 0 };
    struct sheet sheet = sheet_new(76, false);
    struct links links = { 0 };
    struct live_view view = { .sheet = &sheet,
                              .links = &links,
                              .app = &stage->app,
                              .lesson = &stage->lesson,
                              .live = question->live,
                              .question = question };
    live_add(&view);
    for (size_t i = 0; i < sheet.line_count; i++)
        text_addf(&out, "%s|", sheet_line_text(&sheet, i, &line));
    text_free(&line);
    links_free(&links);
    sheet_free(&sheet);
    return text_take(&out);
}

static void shows(struct stage *stage, struct question *question, const char *words, bool wanted)
{
    char *text = shown(stage, question);
    if (!strstr(text, words) == wanted)
        fail_msg("'%s' %s in: %s", words, wanted ? "is not" : "is", text);
    free(text);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static void typed(struct stage *stage, const char *words, bool number, bool right)
{
    json_t *event = quiz_typed(live_of(stage, "number"), words);
    if (!event != !number)
        fail_msg("'%s' is %s a number", words, number ? "not" : "taken as");
    assert_int_equal(json_is_true(json_object_get(event, "right")), right);
    json_decref(event);
}

static void numbers_are_typed_as_people_write_them(void **state)
{
    static const char *const same[] = { "6144",       " 6144 ",       "6,144",     "= 6144",   "=6,144",
                                        "6144 bytes", "6,144 Bytes.", "6144 byte", "6144.0",   "+6144",
                                        "6.144e3",    "6144 threads", "0x1800",    "6144bytes" };
    static const char *const none[] = { "",       "thirty-two",  "bytes", "6 144",  "61,44", "6,1444",
                                        "6144,",  ",614",        "nan",   "inf",    "1e999", "6144 bits",
                                        "4 or 6", "6144 (4, 6)", "=",     "6144 6", "--6",   "6k" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        typed(*state, same[i], true, true);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        typed(*state, none[i], false, false);
    typed(*state, "1,000,003 bytes", true, false);
    typed(*state, "-6144", true, false);
}

static void predictions_read_them_likewise(void **state)
{
    const struct live *live = live_of(*state, "typed");
    json_t *event = predict_typed(live, "1,004.5 sectors");
    assert_true(predict_number(live, event) == 1004.5);
    json_decref(event);
    assert_null(predict_typed(live, "four"));
    assert_null(predict_typed(live, "4 ms"));
}

static void words_are_no_numbers(void **state)
{
    json_t *event = quiz_typed(live_of(*state, "word"), " A Warp ");
    assert_true(json_is_true(json_object_get(event, "right")));
    json_decref(event);
    event = quiz_typed(live_of(*state, "word"), "32");
    assert_true(json_is_false(json_object_get(event, "right")));
    json_decref(event);
}

static void what_is_no_number_is_not_kept(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "number");
    live_quiz.answer(&stage->app, &question, "thirty-two");
    assert_null(question.answered);
    assert_string_equal(stage->app.message, "Type a number.");
    assert_int_equal(workbook_count(stage->app.workbook), 0);
    question_close(&question);
}

// ---- a full disk ---------------------------------------------------------------------------------------------------

// No file may grow any more, or all may.
static void fill_disk(bool full)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = full ? 1 : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void an_answer_that_was_not_written_leaves_the_question_open(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "number");
    fill_disk(true);
    live_quiz.answer(&stage->app, &question, "6144");
    fill_disk(false);
    assert_false(live_solved(&question));
    assert_int_equal(workbook_count(stage->app.workbook), 0);
    shows(stage, &question, "Not kept", true);
    shows(stage, &question, "could not be written", true);
    shows(stage, &question, "right", false);
    live_quiz.answer(&stage->app, &question, "6144");
    assert_true(live_solved(&question));
    assert_int_equal(workbook_count(stage->app.workbook), 1);
    shows(stage, &question, "Not kept", false);
    question_close(&question);
}

static void a_prediction_that_was_not_written_is_not_run(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "typed");
    fill_disk(true);
    live_predict.answer(&stage->app, &question, "4");
    fill_disk(false);
    assert_null(question.predicted);
    shows(stage, &question, "Not kept", true);
    live_predict.answer(&stage->app, &question, "4");
    assert_non_null(question.predicted);
    fill_disk(true);
    shows(stage, &question, "Write it down again", true); // what came out is written when it is shown
    fill_disk(false);
    assert_null(question.answered);
    shows(stage, &question, "Write it down again", true); // not with every drawing
    assert_null(question.answered);
    live_predict.answer(&stage->app, &question, "keep");
    assert_non_null(question.answered);
    assert_int_equal(workbook_count(stage->app.workbook), 2);
    shows(stage, &question, "again", false);
    question_close(&question);
}

static void hints_and_solutions_count_when_they_are_written(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "task");
    fill_disk(true);
    live_task.answer(&stage->app, &question, "hint");
    live_task.answer(&stage->app, &question, "solution");
    live_task.answer(&stage->app, &question, "solution");
    fill_disk(false);
    assert_int_equal(question.hints, 0);
    assert_false(question.told || question.showing);
    shows(stage, &question, "Not kept", true);
    live_task.answer(&stage->app, &question, "solution");
    assert_false(question.told || question.showing);
    live_task.answer(&stage->app, &question, "hint");
    live_task.answer(&stage->app, &question, "solution");
    assert_false(question.told || question.showing); // the hint came between
    live_task.answer(&stage->app, &question, "solution");
    assert_int_equal(question.hints, 1);
    assert_true(question.told && question.showing);
    assert_int_equal(workbook_count(stage->app.workbook), 2);
    question_close(&question);
}

static void equal_answers_count_once(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "lines");
    live_order.answer(&stage->app, &question, "check");
    live_order.answer(&stage->app, &question, "check");
    assert_int_equal(workbook_count(stage->app.workbook), 1);
    shows(stage, &question, "not right yet from line", true);
    live_order.move(&question, 0, 1);
    live_order.answer(&stage->app, &question, "check");
    assert_int_equal(workbook_count(stage->app.workbook), 2);
    live_order.move(&question, 0, 1);
    live_order.answer(&stage->app, &question, "check"); // as at first
    assert_int_equal(workbook_count(stage->app.workbook), 2);
    question_close(&question);
}

static void without_a_workbook_it_lasts_until_one_leaves(void **state)
{
    struct stage *stage = *state;
    struct stage none = { .lesson = stage->lesson };
    struct question question = open_it(&none, "number");
    live_quiz.answer(&none.app, &question, "6144");
    assert_true(live_solved(&question));
    shows(&none, &question, "There is no workbook to write into", true);
    question_close(&question);
}

// ---- orders --------------------------------------------------------------------------------------------------------

static void a_check_speaks_of_the_order_that_was_checked(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "lines");
    live_order.answer(&stage->app, &question, "check");
    assert_int_equal(workbook_count(stage->app.workbook), 1);
    shows(stage, &question, "not right yet from line", true);
    live_order.answer(&stage->app, &question, "out 9");
    shows(stage, &question, "not right yet from line", true);
    live_order.answer(&stage->app, &question, "out 2");
    shows(stage, &question, "not right yet", false);
    live_order.answer(&stage->app, &question, "check");
    shows(stage, &question, "not right yet from line", true);
    live_order.move(&question, 0, -1); // stays where it is
    shows(stage, &question, "not right yet from line", true);
    live_order.move(&question, 0, 1);
    shows(stage, &question, "not right yet", false);
    shows(stage, &question, "Show the answer", true);
    assert_int_equal(workbook_count(stage->app.workbook), 2);
    question_close(&question);
}

static void an_order_that_was_not_written_was_not_checked(void **state)
{
    struct stage *stage = *state;
    struct question question = open_it(stage, "lines");
    fill_disk(true);
    live_order.answer(&stage->app, &question, "check");
    live_order.answer(&stage->app, &question, "show");
    live_order.answer(&stage->app, &question, "show");
    fill_disk(false);
    shows(stage, &question, "not right yet", false);
    shows(stage, &question, "Not kept", true);
    assert_false(live_shown(&question));
    question_close(&question);
}

static void names(const struct own_lines *own, const char *words, const char *wanted)
{
    struct sheet sheet = sheet_new(200, false);
    struct text out = { 0 };
    live_words(&sheet, 1, 1, words, own);
    assert_string_equal(sheet_line_text(&sheet, 0, &out) + 1, wanted);
    text_free(&out);
    sheet_free(&sheet);
}

static void lines_are_called_as_the_block_numbers_them(void **state)
{
    static const struct own_lines own = { "order.cu", 9, 7 }, none = { "order.cu", 0, 0 };
    names(&own, "race, line 9: writes in line 15, reads in line 16, of line 8.",
          "race, line 1 of yours: writes in line 7 of yours, reads in line 16 of order.cu, of line 8 of "
          "order.cu.");
    names(&own, "order.cu:11:16: error: no", "line 3 of yours: error: no");
    names(&own, "order.cu:3:1: error: no", "order.cu:3:1: error: no");
    names(&own, "order.cu: no; baseline 9; line 9 of the PTX; line",
          "order.cu: no; baseline 9; line 9 of the PTX; line");
    names(&none, "race, line 9: order.cu:9:1", "race, line 9: order.cu:9:1");
}

// ---- messages in lines ----------------------------------------------------------------------------------------------

static void laid_out(const char *words, int width, const char *wanted)
{
    struct sheet sheet = sheet_new(width, false);
    struct text out = { 0 }, line = { 0 };
    live_words(&sheet, 2, 4, words, NULL);
    for (size_t i = 0; i < sheet.line_count; i++) {
        text_addf(&out, "%s|", sheet_line_text(&sheet, i, &line));
        assert_true(text_cells(text_string(&line)) <= width);
    }
    assert_string_equal(text_string(&out), wanted);
    text_free(&line);
    text_free(&out);
    sheet_free(&sheet);
}

static void messages_wrap_and_carets_stay_below_their_letters(void **state)
{
    laid_out("a.cu:1: error: one two three", 20, "  a.cu:1: error: one|    two three|");
    laid_out("a: no\n    x = y;\n        ^\nmore", 20, "  a: no|      x = y;|          ^|  more|");
    laid_out("a: no\n  abcdefghijklmnopqrst\n    ^", 12,
             "  a: no|    abcdefgh|      ^|  ~ ijklmnop|  ~ qrst|");
    laid_out("a: no\n  abcdefghijklmnopqrst\n              ^", 12,
             "  a: no|    abcdefgh|  ~ ijklmnop|        ^|  ~ qrst|");
    laid_out("a: no\n  abcd\n      ^", 12, "  a: no|    abcd|        ^|");
    laid_out("a: no\n  abcdefgh\n          ^", 12, "  a: no|    abcdefgh|           ^|");
    laid_out("a: no\n  \tx\n  \t^\n", 20, "  a: no|        x|        ^|");
    laid_out("a: no\n  x ^ y\n  a", 20, "  a: no|    x ^ y|    a|");
}

// ---- where numbers come from ------------------------------------------------------------------------------------------

static void each_number_says_where_it_comes_from(void **state)
{
    struct stage *stage = *state;
    struct outcome mixed = { .state = OUTCOME_CAME, .values = { 0.034, 0.181 }, .count = 2, .right = 1 },
                   back;
    strcpy(mixed.how[0], "measured here, on the CPU A");
    strcpy(mixed.how[1], "recorded on B, 2026-11-01");
    json_t *event = outcome_event(&mixed, true);
    assert_string_equal(json_string_value(json_object_get(event, "how")),
                        "measured here, on the CPU A; recorded on B, 2026-11-01");
    assert_true(outcome_known(live_of(stage, "pair"), event, &back));
    assert_string_equal(back.how[0], mixed.how[0]);
    assert_string_equal(back.how[1], mixed.how[1]);
    assert_true(back.values[1] == 0.181);
    json_decref(event);
    assert_int_equal(outcome_role(back.how[0]), ROLE_CPU);
    assert_int_equal(outcome_role(back.how[1]), ROLE_NOTE);
}

static void what_comes_from_one_place_says_it_once(void **state)
{
    struct stage *stage = *state;
    struct outcome same = { .values = { 2, 1 }, .how = { "simulated", "simulated" }, .count = 2 }, back;
    json_t *event = outcome_event(&same, false);
    assert_string_equal(json_string_value(json_object_get(event, "how")), "simulated");
    assert_null(json_object_get(event, "by_value"));
    assert_true(outcome_known(live_of(stage, "pair"), event, &back)); // as older workbooks have it
    assert_string_equal(back.how[1], "simulated");
    assert_int_equal(back.right, 2);
    json_decref(event);
}

static void a_label_is_broken_off_as_a_whole(void **state)
{
    struct sheet sheet = sheet_new(30, false);
    struct live_view view = { .sheet = &sheet };
    struct text line = { 0 };
    sheet_to(&sheet, 2);
    sheet_hang(&sheet, 6);
    sheet_flow(&sheet, ROLE_TEXT, "one core");
    live_after(&view, ROLE_NOTE, "measured here, on the CPU");
    live_after(&view, ROLE_NOTE, "mine");
    live_after(&view, ROLE_NOTE, "your prediction, which is long");
    sheet_end(&sheet);
    static const char *const lines[] = { "  one core", "      measured here, on the", "      CPU  mine",
                                         "      your prediction, which", "      is long" };
    assert_int_equal(sheet.line_count, sizeof lines / sizeof *lines);
    for (size_t i = 0; i < sheet.line_count; i++)
        assert_string_equal(sheet_line_text(&sheet, i, &line), lines[i]);
    text_free(&line);
    sheet_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_typed_as_people_write_them, begin, end),
        cmocka_unit_test_setup_teardown(predictions_read_them_likewise, begin, end),
        cmocka_unit_test_setup_teardown(words_are_no_numbers, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_number_is_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(an_answer_that_was_not_written_leaves_the_question_open, begin, end),
        cmocka_unit_test_setup_teardown(a_prediction_that_was_not_written_is_not_run, begin, end),
        cmocka_unit_test_setup_teardown(hints_and_solutions_count_when_they_are_written, begin, end),
        cmocka_unit_test_setup_teardown(equal_answers_count_once, begin, end),
        cmocka_unit_test_setup_teardown(without_a_workbook_it_lasts_until_one_leaves, begin, end),
        cmocka_unit_test_setup_teardown(a_check_speaks_of_the_order_that_was_checked, begin, end),
        cmocka_unit_test_setup_teardown(an_order_that_was_not_written_was_not_checked, begin, end),
        cmocka_unit_test(lines_are_called_as_the_block_numbers_them),
        cmocka_unit_test(messages_wrap_and_carets_stay_below_their_letters),
        cmocka_unit_test(a_label_is_broken_off_as_a_whole),
        cmocka_unit_test_setup_teardown(each_number_says_where_it_comes_from, begin, end),
        cmocka_unit_test_setup_teardown(what_comes_from_one_place_says_it_once, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
