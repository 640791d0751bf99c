// What is asked again, and when: an event a line goes in, questions with their days come out. No test asks for today.
#include "lessons/answer.h"
#include "lessons/lessons.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FRONT "---\ntitle: T\nminutes: 5\nafter: know\n---\n"
#define ONE                                                                                                  \
    FRONT                                                                                                    \
    "```quiz id=a\nask: a?\nright: 1\n```\n\n"                                                               \
    "```quiz id=b\nask: b?\nright: 1\n```\n\n"                                                               \
    "```predict id=told\nask: p?\nright: 1\n```\n\n"                                                         \
    "```predict id=run\nask: p?\nrun: banks/1 --on sim\nvalue: counters.sld_wave\n```\n\n"                   \
    "```exercise id=e\nask: x\nfile: e.cu\nsolution: f.cu\nhint: 1\nhint: 2\nhint: 3\n```\n\n"               \
    "```order id=o\nask: o?\nline: one\nline: two\n```\n"
#define OTHER FRONT "```quiz id=a\nask: other?\nright: 1\n```\n\n```quiz id=b\nask: b?\nright: 1\n```\n"

enum { LESSONS = 2 };

// A workbook of these lines with two lessons, and what is asked again.
struct world {
    char *folder, *path;
    struct lesson lesson[LESSONS];
    struct lessons lessons;
    struct text lines;
    struct workbook *workbook;
    struct review review;
};

static int make_world(void **state)
{
    static const char *const texts[LESSONS] = { ONE, OTHER };
    static const char *const paths[LESSONS] = { "x/01-one/lesson.md", "x/02-other/lesson.md" };
    struct world *w = *state = mem_new(sizeof *w);
    struct error error;
    w->folder = mem_copy("/tmp/warpbook-review-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->path = path_join(w->folder, "workbook.jsonl");
    for (int i = 0; i < LESSONS; i++)
        if (!lesson_parse(&w->lesson[i], paths[i], texts[i], &error))
            fail_msg("%s", error.text);
    w->lessons = (struct lessons){ .list = w->lesson, .count = LESSONS };
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static void forget(struct world *w)
{
    review_free(&w->review);
    workbook_close(w->workbook);
    w->workbook = NULL;
}

static int drop_world(void **state)
{
    struct world *w = *state;
    forget(w);
    for (int i = 0; i < LESSONS; i++)
        lesson_free(&w->lesson[i]);
    text_free(&w->lines);
    unlink(w->path);
    rmdir(w->folder);
    free(w->path);
    free(w->folder);
    free(w);
    return 0;
}

static void zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

static void line(struct world *w, const char *text)
{
    text_addf(&w->lines, "%s\n", text);
}

// An answer to a question of the first lesson; `date` without a time is at noon.
static void answer(struct world *w, const char *id, const char *date, bool right)
{
    text_addf(&w->lines,
              "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"%s\",\"date\":\"%s%s\",\"right\":%s}\n",
              id, date, strchr(date, 'T') ? "Z" : "T12:00:00Z", right ? "true" : "false");
}

static void read_all(struct world *w)
{
    struct error error;
    forget(w);
    assert_true(file_replace(w->path, text_string(&w->lines), w->lines.length, &error));
    w->workbook = workbook_open(w->path, &error);
    if (!w->workbook)
        fail_msg("%s", error.text);
    review_read(w->workbook, &w->lessons, &w->review);
}

static const struct review_item *only(struct world *w)
{
    read_all(w);
    assert_int_equal(w->review.count, 1);
    return &w->review.list[0];
}

static void assert_due(const struct review_item *item, const char *date, int step)
{
    char due[20];
    review_date(item->due, due, sizeof due);
    assert_string_equal(due, date);
    assert_int_equal(item->step, step);
}

// The only question comes back on this day after so many steps.
static void comes(struct world *w, const char *date, int step)
{
    assert_due(only(w), date, step);
}

static long day_of(const char *date)
{
    struct tm utc = { 0 };
    assert_non_null(strptime(date, "%Y-%m-%d", &utc));
    return (long)(timegm(&utc) / 86400);
}

// ---- the steps ------------------------------------------------------------------------------------------

static void it_comes_back_after_1_3_7_and_21_days(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-30", false);
    comes(w, "2026-01-31", 0);
    answer(w, "a", "2026-01-31", true);
    comes(w, "2026-02-03", 1); // across the end of a month
    answer(w, "a", "2026-02-03", true);
    comes(w, "2026-02-10", 2);
    answer(w, "a", "2026-02-10", true);
    comes(w, "2026-03-03", 3); // 2026 is no leap year
    answer(w, "a", "2026-03-03", true);
    assert_int_equal(only(w)->step, REVIEW_STEPS);
    assert_true(w->review.list[0].due == LONG_MAX);
}

static void days_are_those_of_the_calendar(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2028-02-28", false);
    comes(w, "2028-02-29", 0);
    answer(w, "a", "2028-12-31", false);
    comes(w, "2029-01-01", 0);
}

static void who_comes_late_goes_on_from_there(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-01", false);
    answer(w, "a", "2026-05-10", true);
    comes(w, "2026-05-13", 1);
}

static void an_early_right_answer_does_not_count(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-01T08:00:00", false);
    answer(w, "a", "2026-01-01T08:01:00", true); // the same day: only remembered
    comes(w, "2026-01-02", 0);
    answer(w, "a", "2026-01-02", true);
    answer(w, "a", "2026-01-04", true);
    comes(w, "2026-01-05", 1);
}

static void a_wrong_answer_starts_over_at_any_time(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-01", false);
    answer(w, "a", "2026-01-02", true);
    answer(w, "a", "2026-01-03", false); // early
    comes(w, "2026-01-04", 0);
    assert_int_equal(w->review.list[0].wrong, 2);
    const char *const days[REVIEW_STEPS] = { "2026-01-04", "2026-01-07", "2026-01-14", "2026-02-04" };
    for (int i = 0; i < REVIEW_STEPS; i++)
        answer(w, "a", days[i], true);
    assert_int_equal(only(w)->step, REVIEW_STEPS);
    answer(w, "a", "2026-06-01", true); // learned stays learned
    assert_int_equal(only(w)->step, REVIEW_STEPS);
    answer(w, "a", "2026-06-02", false);
    comes(w, "2026-06-03", 0);
}

static void what_was_right_at_once_comes_after_7_and_21_days(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-01", true);
    comes(w, "2026-01-08", 2);
    assert_int_equal(w->review.list[0].wrong, 0);
    answer(w, "a", "2026-01-05", true); // early
    comes(w, "2026-01-08", 2);
    answer(w, "a", "2026-01-08", true);
    comes(w, "2026-01-29", 3);
    answer(w, "a", "2026-01-29", true);
    assert_int_equal(only(w)->step, REVIEW_STEPS);
}

static void right_at_once_and_wrong_later_starts_over(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-01", true);
    answer(w, "a", "2026-01-08", false);
    comes(w, "2026-01-09", 0);
    answer(w, "a", "2026-01-09", true);
    comes(w, "2026-01-12", 1);
}

// ---- one sitting ----------------------------------------------------------------------------------------

static void other_lesson(struct world *w, const char *id, bool right)
{
    text_addf(&w->lines,
              "{\"kind\":\"answer\",\"lesson\":\"02-other\",\"id\":\"%s\",\"date\":\"2026-01-03T12:00:00Z\","
              "\"right\":%s}\n",
              id, right ? "true" : "false");
}

// The names in the order of the sitting: "b" of the first lesson, "2b" of the second.
static void sits(struct world *w, size_t most, const char *expected)
{
    const struct live *sitting[16];
    struct text names = { 0 };
    size_t count = w->review.count, questions = review_sitting(&w->review, count, most, sitting);
    size_t tasks = review_count(&w->review, 0, count).tasks;
    for (size_t i = 0; i < questions + tasks; i++)
        text_addf(&names, "%s%s%s", i ? " " : "",
                  review_find(&w->review, sitting[i])->lesson == &w->lesson[1] ? "2" : "", sitting[i]->id);
    assert_string_equal(text_string(&names), expected);
    text_free(&names);
}

static void a_sitting_is_mixed_and_begins_with_what_was_wrong(void **state)
{
    struct world *w = *state;
    answer(w, "o", "2026-01-01", true);
    answer(w, "a", "2026-01-02", false);
    answer(w, "b", "2026-01-02", false);
    answer(w, "e", "2026-01-02", false);
    other_lesson(w, "a", false);
    other_lesson(w, "b", true);
    read_all(w);
    sits(w, 99, "a 2a b o 2b e"); // due: a, b and e, then 2a, o, 2b
    sits(w, 2, "a 2a e");         // of each lesson one
    sits(w, 0, "e");
}

// ---- local days -----------------------------------------------------------------------------------------

static void a_day_is_the_learners(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2026-01-31T20:00:00", false);
    comes(w, "2026-02-01", 0);
    zone("EAST-9"); // nine hours ahead: it is the next morning there
    comes(w, "2026-02-02", 0);
    zone("WEST+8");
    comes(w, "2026-02-01", 0);
    answer(w, "a", "2026-02-02T07:59:00", true); // one minute before midnight: the day it is due
    comes(w, "2026-02-04", 1);
    zone("EAST-9");
    comes(w, "2026-02-05", 1);
}

static void a_day_of_23_or_25_hours_is_a_day(void **state)
{
    struct world *w = *state;
    zone("CET-1CEST,M3.5.0,M10.5.0/3");
    answer(w, "a", "2026-03-28T22:30:00", false); // 23:30 there, before the shorter day
    comes(w, "2026-03-29", 0);
    answer(w, "a", "2026-03-29T21:30:00", true);
    comes(w, "2026-04-01", 1);
    answer(w, "b", "2026-10-24T21:30:00", false);
    answer(w, "b", "2026-10-25T22:30:00", true);
    read_all(w);
    assert_due(&w->review.list[1], "2026-10-28", 1);
}

// ---- several questions ------------------------------------------------------------------------------------

static void the_first_due_comes_first(void **state)
{
    struct world *w = *state;
    answer(w, "told", "2026-01-05", false);
    answer(w, "b", "2026-01-01", false);
    answer(w, "a", "2026-01-01", false);
    line(w, "{\"kind\":\"answer\",\"lesson\":\"02-other\",\"id\":\"a\",\"date\":\"2026-01-01T12:00:00Z\","
            "\"right\":false}");
    read_all(w);
    assert_int_equal(w->review.count, 4);
    const char *const ids[] = { "a", "b", "a", "told" }; // by day, then as the lessons have them
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(w->review.list[i].live->id, ids[i]);
    assert_ptr_equal(w->review.list[2].lesson, &w->lesson[1]);
    assert_int_equal(review_due(&w->review, day_of("2026-01-01")), 0);
    assert_int_equal(review_due(&w->review, day_of("2026-01-02")), 3);
    assert_int_equal(review_due(&w->review, day_of("2026-01-06")), 4);
    assert_ptr_equal(review_find(&w->review, w->review.list[3].live), &w->review.list[3]);
    assert_null(review_find(&w->review, NULL));
}

static void what_is_learned_stands_last_and_is_not_left(void **state)
{
    struct world *w = *state;
    const char *const days[REVIEW_STEPS] = { "2026-01-02", "2026-01-05", "2026-01-12", "2026-02-02" };
    answer(w, "a", "2026-01-01", false);
    for (int i = 0; i < REVIEW_STEPS; i++)
        answer(w, "a", days[i], true);
    answer(w, "b", "2026-03-01", false);
    read_all(w);
    assert_int_equal(w->review.count, 2);
    assert_int_equal(review_left(&w->review), 1);
    assert_string_equal(w->review.list[0].live->id, "b");
    assert_int_equal(review_due(&w->review, day_of("2099-01-01")), 1);
}

// What is due today.
static struct review_count due_today(const struct workbook *workbook, const struct lessons *lessons)
{
    struct review review;
    review_read(workbook, lessons, &review);
    struct review_count due = review_count(&review, 0, review_due(&review, review_day(time(NULL))));
    review_free(&review);
    return due;
}

static void what_waits_since_long_is_due_now(void **state)
{
    struct world *w = *state;
    answer(w, "a", "2001-01-01", false);
    answer(w, "b", "2999-01-01", false);
    read_all(w);
    struct review_count due = due_today(w->workbook, &w->lessons);
    assert_int_equal(due.questions, 1);
    assert_int_equal(due.tasks, 0);
}

// ---- orders and tasks -----------------------------------------------------------------------------------

static void hint(struct world *w, const char *date, bool told)
{
    text_addf(&w->lines,
              "{\"kind\":\"hint\",\"lesson\":\"01-one\",\"id\":\"e\",\"date\":\"%sT12:00:00Z\",\"hint\":1,"
              "\"asked_solution\":%s}\n",
              date, told ? "true" : "false");
}

static void orders_come_back_as_questions_do(void **state)
{
    struct world *w = *state;
    answer(w, "o", "2026-01-01", false);
    comes(w, "2026-01-02", 0);
    answer(w, "o", "2026-01-02", true);
    comes(w, "2026-01-05", 1);
    assert_false(review_is_task(w->review.list[0].live));
}

static void a_task_comes_back_when_it_was_rejected(void **state)
{
    struct world *w = *state;
    answer(w, "e", "2026-01-01", true);
    read_all(w);
    assert_int_equal(w->review.count, 0);
    answer(w, "e", "2026-01-03", false);
    answer(w, "e", "2026-01-03", true); // corrected on the same day
    comes(w, "2026-01-04", 0);
    assert_true(review_is_task(w->review.list[0].live));
    assert_true(review_waits(w->workbook, &w->lessons, w->review.list[0].live));
    answer(w, "e", "2026-01-09", true);
    comes(w, "2026-01-12", 1);
}

static void a_task_that_was_given_up_comes_back_once(void **state)
{
    struct world *w = *state;
    hint(w, "2026-01-01", false);
    read_all(w);
    assert_int_equal(w->review.count, 0);
    hint(w, "2026-01-01", true);
    comes(w, "2026-01-02", 0);
    answer(w, "e", "2026-01-02", true);
    hint(w, "2026-01-03", true); // one more hint: the solution was asked for before
    comes(w, "2026-01-05", 1);
    assert_int_equal(w->review.list[0].wrong, 1);
}

static void questions_and_tasks_are_counted_apart(void **state)
{
    struct world *w = *state;
    struct text words = { 0 };
    answer(w, "a", "2026-01-01", false);
    answer(w, "e", "2026-01-01", false);
    answer(w, "o", "2026-01-01", false);
    read_all(w);
    review_count_words(due_today(w->workbook, &w->lessons), &words);
    assert_string_equal(words.data, "2 questions and 1 task");
    text_free(&words);
    review_count_words((struct review_count){ 0, 2 }, &words);
    assert_string_equal(words.data, "2 tasks");
    text_free(&words);
    review_sitting_words((struct review_count){ REVIEW_SITTING, 0 }, &words);
    assert_string_equal(words.data, "20 questions");
    text_free(&words);
    review_sitting_words((struct review_count){ 116, 2 }, &words);
    assert_string_equal(words.data, "20 of 116 questions and 2 tasks");
    text_free(&words);
}

// ---- what is no question ------------------------------------------------------------------------------------

static void questions_that_are_gone_are_left_out(void **state)
{
    struct world *w = *state;
    answer(w, "gone", "2026-01-01", false);
    line(w, "{\"kind\":\"answer\",\"lesson\":\"09-gone\",\"id\":\"a\",\"date\":\"2026-01-01T12:00:00Z\","
            "\"right\":false}");
    read_all(w);
    assert_int_equal(w->review.count, 0);
}

static void a_prediction_needs_what_came(void **state)
{
    struct world *w = *state;
#define RUN "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"run\",\"date\":\"2026-01-0"
    line(w, RUN "1T12:00:00Z\",\"right\":false}");
    line(w, RUN "1T12:00:00Z\",\"right\":false,\"came\":[1,2],\"how\":\"simulated\"}"); // of other runs
    line(w, RUN "1T12:00:00Z\",\"right\":false,\"came\":\"8\",\"how\":\"simulated\"}");
    line(w, RUN "1T12:00:00Z\",\"right\":false,\"came\":[8]}");
    read_all(w);
    assert_int_equal(w->review.count, 0);
    line(w, RUN "2T12:00:00Z\",\"right\":false,\"came\":[8],\"how\":\"simulated\"}");
    line(w, RUN "3T12:00:00Z\",\"right\":true,\"review\":true}"); // says nothing of it and takes nothing away
    comes(w, "2026-01-06", 1);
    json_t *came = json_object_get(w->review.list[0].outcome, "came");
    assert_int_equal(json_integer_value(json_array_get(came, 0)), 8);
}

static void lines_that_say_nothing_cost_only_themselves(void **state)
{
    struct world *w = *state;
    static const char *const lines[] = {
        "torn",
        "{\"kind\":\"answer\"}",
        "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"b\",\"right\":false}",
        "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"b\",\"right\":false,\"date\":\"yesterday\"}",
        "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"b\",\"right\":false,\"date\":\"2026-13-41T99:99:"
        "99Z\"}",
        "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"b\",\"right\":0,\"date\":\"2026-01-01T12:00:"
        "00Z\"}",
        "{\"kind\":\"answer\",\"lesson\":[],\"id\":{},\"right\":false,\"date\":\"2026-01-01T12:00:00Z\"}",
        "{\"kind\":\"predict\",\"lesson\":\"01-one\",\"id\":\"b\",\"right\":false,\"date\":\"2026-01-01T12:"
        "00:00Z\"}",
    };
    answer(w, "a", "2026-01-01", false);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        line(w, lines[i]);
    answer(w, "a", "2026-01-02", true);
    text_add(&w->lines, "{\"kind\":\"answer\",\"lesson\":\"01-one\",\"id\":\"a\",\"da"); // torn by a crash
    comes(w, "2026-01-05", 1);
    assert_int_equal(workbook_torn(w->workbook), 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_comes_back_after_1_3_7_and_21_days),
        TEST(days_are_those_of_the_calendar),
        TEST(who_comes_late_goes_on_from_there),
        TEST(an_early_right_answer_does_not_count),
        TEST(a_wrong_answer_starts_over_at_any_time),
        TEST(what_was_right_at_once_comes_after_7_and_21_days),
        TEST(right_at_once_and_wrong_later_starts_over),
        TEST(a_sitting_is_mixed_and_begins_with_what_was_wrong),
        TEST(a_day_is_the_learners),
        TEST(a_day_of_23_or_25_hours_is_a_day),
        TEST(the_first_due_comes_first),
        TEST(what_is_learned_stands_last_and_is_not_left),
        TEST(what_waits_since_long_is_due_now),
        TEST(questions_that_are_gone_are_left_out),
        TEST(orders_come_back_as_questions_do),
        TEST(a_task_comes_back_when_it_was_rejected),
        TEST(a_task_that_was_given_up_comes_back_once),
        TEST(questions_and_tasks_are_counted_apart),
        TEST(a_prediction_needs_what_came),
        TEST(lines_that_say_nothing_cost_only_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
