// How far a learner has got, and what comes next: lines of a workbook go in, a lesson, its part and what is open come out.
#include "lessons/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FRONT "---\ntitle: T\nminutes: 5\nafter: know\n---\n"
#define QUIZ(id) "```quiz id=" id "\nask: " id "?\nright: 1\n```\n\n"
// Blocks: 0 T, 1 words, 2 One, 3 a, 4 Two, 5 b, 6 Three, 7 c, 8 Four, 9 words.
#define PARTS                                                                                                \
    FRONT "# T\n\nWords.\n\n# One\n\n" QUIZ("a") "# Two\n\n" QUIZ("b") "# Three\n\n" QUIZ(                   \
        "c") "# Four\n\nWords.\n"
#define PLAIN FRONT "# T\n\n" QUIZ("a") QUIZ("b")

enum { LESSONS = 3 };
struct learner {
    char *folder, *path;
    struct lesson list[LESSONS];
    struct lessons lessons;
    struct text lines;
    struct workbook *workbook; // NULL: before the first line
};

static int make_world(void **state)
{
    static const char *const texts[LESSONS] = { PLAIN, PARTS, PLAIN };
    static const char *const paths[LESSONS] = { "x/01-one/lesson.md", "x/02-two/lesson.md",
                                                "x/03-three/lesson.md" };
    struct learner *w = *state = mem_new(sizeof *w);
    struct error error;
    w->folder = mem_copy("/tmp/warpbook-progress-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->path = path_join(w->folder, "workbook.jsonl");
    for (int i = 0; i < LESSONS; i++)
        if (!lesson_parse(&w->list[i], paths[i], texts[i], &error))
            fail_msg("%s", error.text);
    w->lessons = (struct lessons){ .list = w->list, .count = LESSONS };
    return 0;
}

static int drop_world(void **state)
{
    struct learner *w = *state;
    workbook_close(w->workbook);
    for (int i = 0; i < LESSONS; i++)
        lesson_free(&w->list[i]);
    text_free(&w->lines);
    unlink(w->path);
    rmdir(w->folder);
    free(w->path);
    free(w->folder);
    free(w);
    return 0;
}

static void line(struct learner *w, const char *text)
{
    struct error error;
    text_addf(&w->lines, "%s\n", text);
    workbook_close(w->workbook);
    assert_true(file_replace(w->path, w->lines.data, w->lines.length, &error));
    w->workbook = workbook_open(w->path, &error);
    if (!w->workbook)
        fail_msg("%s", error.text);
}

static void says(struct learner *w, const char *lesson, const char *id, const char *what)
{
    char *words = text_format("{\"kind\":\"answer\",\"lesson\":\"%s\",\"id\":\"%s\",%s}", lesson, id, what);
    line(w, words);
    free(words);
}

static void right(struct learner *w, const char *lesson, const char *id)
{
    says(w, lesson, id, "\"right\":true");
}

static void leave(struct learner *w, const char *lesson, int block)
{
    char *words = text_format("{\"kind\":\"left\",\"lesson\":\"%s\",\"block\":%d}", lesson, block);
    line(w, words);
    free(words);
}

// Lesson (0: none), part, and what is open in it although a later part was left ("": nothing is).
static void assert_next(struct learner *w, int lesson, size_t part, const char *open)
{
    struct lesson_progress *read = progress_read(w->workbook, &w->lessons);
    struct next next = progress_next(w->workbook, &w->lessons, read);
    assert_int_equal(next.lesson ? next.lesson->number : 0, lesson);
    assert_int_equal(next.part, part);
    assert_string_equal(next.open ? next.open->id : "", open);
    progress_free(read, &w->lessons);
}

static void the_first_open_thing_comes_next(void **state)
{
    struct learner *w = *state;
    w->lessons.list = &w->list[1];
    w->lessons.count = 1;
    assert_next(w, 2, 1, "");
    right(w, "02-two", "a");
    assert_next(w, 2, 2, "");
    leave(w, "02-two", 7); // in the third part, with the second one not read
    assert_next(w, 2, 2, "b");
    right(w, "02-two", "c");
    assert_next(w, 2, 2, "b");
    leave(w, "02-two", 4);
    assert_next(w, 2, 2, "");
    leave(w, "02-two", 600); // the file was changed since
    assert_next(w, 2, 2, "");
    right(w, "02-two", "b");
    assert_next(w, 0, 0, "");
}

static void what_was_shown_is_not_open(void **state)
{
    struct learner *w = *state;
    says(w, "02-two", "a", "\"right\":false,\"shown\":true");
    assert_next(w, 2, 2, "");
    struct progress progress = progress_of(w->workbook, &w->list[1], 0);
    assert_int_equal(progress.asked, 3);
    assert_int_equal(progress.done, 0);
    assert_int_equal(progress.open, 2);
    says(w, "02-two", "b", "\"right\":false"); // wrong is open
    assert_next(w, 2, 2, "");
}

static void a_part_that_asks_nothing_is_read_on(void **state)
{
    struct learner *w = *state;
    right(w, "02-two", "a");
    right(w, "02-two", "b");
    leave(w, "02-two", 9);
    assert_next(w, 2, 3, "c");
    right(w, "02-two", "c");
    assert_next(w, 1, 0, ""); // nothing is open in it
}

static void the_lesson_that_one_is_in_comes_first(void **state)
{
    struct learner *w = *state;
    assert_next(w, 1, 0, "");
    line(w, "{\"kind\":\"lesson\",\"lesson\":\"01-one\"}");
    line(w, "{\"kind\":\"lesson\",\"lesson\":\"03-three\"}"); // was looked at
    assert_next(w, 1, 0, "");
    right(w, "03-three", "a");
    assert_next(w, 3, 0, "");
    says(w, "01-one", "a", "\"right\":true,\"review\":true");
    assert_next(w, 3, 0, ""); // a review leads nowhere else
    right(w, "03-three", "b");
    assert_next(w, 1, 0, "");
}

static void parts_add_up(void **state)
{
    struct learner *w = *state;
    right(w, "02-two", "b");
    struct lesson_progress *read = progress_read(w->workbook, &w->lessons);
    assert_int_equal(read[1].all.asked, 3);
    assert_int_equal(read[1].all.done, 1);
    assert_int_equal(read[1].parts[1].done, 1);
    assert_int_equal(read[1].parts[3].asked, 0);
    assert_int_equal(read[0].all.asked, 2);
    progress_free(read, &w->lessons);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_open_thing_comes_next),
        TEST(what_was_shown_is_not_open),
        TEST(a_part_that_asks_nothing_is_read_on),
        TEST(the_lesson_that_one_is_in_comes_first),
        TEST(parts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
