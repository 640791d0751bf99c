// Lessons of one's own: where they lie, what they are called, and that none of them gets in the way of another.
#include "lessons/lessons.h"
#include "tests/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT "---\ntitle: %s\nminutes: 5\nafter: know\n---\nWords.\n"

// A folder with shipped/, own/ and other/ in it.
struct lesson_world {
    char *folder;
    struct lessons lessons;
};

static char *place(const struct lesson_world *w, const char *below)
{
    return path_join(w->folder, below);
}

static void write_text(const struct lesson_world *w, const char *name, const char *text)
{
    struct text below = { 0 };
    struct error error;
    text_addf(&below, "%s/lesson.md", name);
    char *path = place(w, below.data), *folder = place(w, name);
    if (!folder_make(folder, &error) || !file_replace(path, text, strlen(text), &error))
        fail_msg("%s", error.text);
    free(folder);
    free(path);
    text_free(&below);
}

static void write_lesson(const struct lesson_world *w, const char *name, const char *title)
{
    struct text text = { 0 };
    text_addf(&text, TEXT, title);
    write_text(w, name, text.data);
    text_free(&text);
}

static void read_all(struct lesson_world *w)
{
    struct error error;
    lessons_free(&w->lessons);
    if (!lessons_read(NULL, &w->lessons, &error))
        fail_msg("%s", error.text);
}

static int make_world(void **state)
{
    struct lesson_world *w = *state = mem_new(sizeof *w);
    w->folder = realpath("/tmp", NULL);
    char *template = path_join(w->folder, "warpbook-own-XXXXXX");
    free(w->folder);
    assert_non_null(mkdtemp(template));
    w->folder = template;
    char *shipped = place(w, "shipped"), *own = place(w, "own");
    setenv("WARPBOOK_DATA", shipped, 1);
    setenv("WARPBOOK_HOME", own, 1);
    free(shipped);
    free(own);
    write_lesson(w, "shipped/lessons/01-one", "One");
    write_lesson(w, "shipped/lessons/03-three", "Three");
    return 0;
}

static int drop_world(void **state)
{
    struct lesson_world *w = *state;
    const char *const argv[] = { "rm", "-rf", w->folder, NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, NULL, 0, 10000, &result, &error));
    child_result_free(&result);
    lessons_free(&w->lessons);
    free(w->folder);
    free(w);
    return 0;
}

// What `word` opens; fails where it opens nothing.
static const struct lesson *opened(struct lesson_world *w, const char *word)
{
    const struct lesson *lesson;
    struct error error;
    size_t part;
    if (!lessons_open(&w->lessons, word, &lesson, &part, &error))
        fail_msg("%s", error.text);
    assert_int_equal(part, 0);
    return lesson;
}

static void refused(struct lesson_world *w, const char *word, const char *why)
{
    const struct lesson *lesson;
    struct error error;
    size_t part;
    assert_false(lessons_open(&w->lessons, word, &lesson, &part, &error));
    if (!strstr(error.text, why))
        fail_msg("'%s' is not in: %s", why, error.text);
}

static void assert_opens_by(struct lesson_world *w, const struct lesson *lesson, const char *words)
{
    struct text text = { 0 };
    lesson_opens_by(&w->lessons, lesson, 0, &text);
    assert_string_equal(text.data, words);
    text_free(&text);
}

// ---- the own folder -------------------------------------------------------------------------------------

static void they_stand_behind_what_ships(void **state)
{
    struct lesson_world *w = *state;
    write_lesson(w, "own/lessons/13-mine", "Mine");
    write_lesson(w, "own/lessons/03-again", "Again");
    read_all(w);
    static const char *const names[] = { "01-one", "03-three", "own/03-again", "own/13-mine" };
    assert_int_equal(w->lessons.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(w->lessons.list[i].name, names[i]);
        assert_int_equal(lesson_is_own(&w->lessons.list[i]), i >= 2);
    }
    assert_string_equal(opened(w, "3")->title, "Three");
    assert_string_equal(opened(w, "03-again")->title, "Again");
    assert_string_equal(opened(w, "again")->title, "Again");
    assert_string_equal(opened(w, "13")->title, "Mine");
    assert_opens_by(w, &w->lessons.list[1], "lesson 3");
    assert_opens_by(w, &w->lessons.list[2], "lesson \"own/03-again\"");
    assert_opens_by(w, &w->lessons.list[3], "lesson 13");
}

static void one_that_is_wrong_is_told_and_keeps_nobody_away(void **state)
{
    struct lesson_world *w = *state;
    write_text(w, "own/lessons/13-torn", "no lesson at all");
    write_text(w, "own/lessons/00-none", "---\ntitle: x\n");
    write_lesson(w, "own/lessons/14-mine", "Mine");
    read_all(w);
    assert_int_equal(w->lessons.count, 3);
    assert_int_equal(w->lessons.broken_count, 2);
    assert_string_equal(w->lessons.broken[1].name, "own/13-torn");
    assert_non_null(strstr(w->lessons.broken[1].words, "13-torn/lesson.md:1:"));
    refused(w, "13", "13-torn/lesson.md:1:");
    refused(w, "torn", "13-torn/lesson.md:1:");
    assert_string_equal(opened(w, "14")->title, "Mine");
}

static void an_own_folder_that_is_a_file_is_told(void **state)
{
    struct lesson_world *w = *state;
    struct error error;
    char *own = place(w, "own"), *path = place(w, "own/lessons");
    assert_true(folder_make(own, &error) && file_replace(path, "x", 1, &error));
    read_all(w);
    assert_int_equal(w->lessons.count, 2);
    assert_int_equal(w->lessons.broken_count, 1);
    free(own);
    free(path);
}

// The own lesson 13 in two parts, beside a folder whose name ends as a part's does.
static void a_part_follows_any_name_of_its_lesson(void **state)
{
    struct lesson_world *w = *state;
    static const char text[] = "---\ntitle: Mine\nafter: know\n---\n# Mine\n\n# One\n\n# Two\n";
    write_text(w, "own/lessons/03-mine", text);
    write_text(w, "other/14-far", text);
    write_text(w, "other/14-far.2", "---\ntitle: Dotted\nafter: know\n---\n");
    read_all(w);
    char *far = place(w, "other/14-far.1"), *dotted = place(w, "other/14-far.2");
    const char *const words[] = { "mine.2", "03-mine.2", "own/03-mine.2", far };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct lesson *lesson;
        struct error error;
        size_t part;
        if (!lessons_open(&w->lessons, words[i], &lesson, &part, &error))
            fail_msg("%s", error.text);
        assert_string_equal(lesson->title, "Mine");
        assert_int_equal(part, words[i] == far ? 1 : 2);
    }
    assert_string_equal(opened(w, dotted)->title, "Dotted");
    refused(w, "mine.3", "There is no 'mine.3'. The parts of lesson 3: 1 One; 2 Two.");
    refused(w, "3.1", "lesson 3 has no parts"); // which is the one that ships
    struct text opens = { 0 };
    lesson_opens_by(&w->lessons, opened(w, "mine"), 2, &opens);
    assert_string_equal(opens.data, "lesson \"own/03-mine.2\"");
    text_free(&opens);
    free(far);
    free(dotted);
}

// ---- any folder -------------------------------------------------------------------------------------------

static void a_folder_anywhere_is_called_by_its_path(void **state)
{
    struct lesson_world *w = *state;
    write_lesson(w, "other/13-mine", "Mine");
    read_all(w);
    char *path = place(w, "other/13-mine"), *file = place(w, "other/13-mine/lesson.md"),
         *around = place(w, "other/../other/./13-mine/"), *words = mem_new(300);
    const struct lesson *lesson = opened(w, path);
    assert_string_equal(lesson->title, "Mine");
    assert_string_equal(lesson->name, path);
    assert_ptr_equal(opened(w, file), lesson);
    assert_ptr_equal(opened(w, around), lesson);
    format_into(words, 300, "lesson \"%s\"", path);
    assert_opens_by(w, lesson, words);
    assert_int_equal(w->lessons.count, 2);
    refused(w, "13", "There is no lesson '13'");
    refused(w, w->folder, "There is no lesson in");
    refused(w, "03-thre", "Did you mean 03-three?");
    free(path);
    free(file);
    free(around);
    free(words);
}

static void one_that_changed_is_read_again_and_the_old_one_stays(void **state)
{
    struct lesson_world *w = *state;
    write_lesson(w, "other/13-mine", "Mine");
    write_lesson(w, "own/lessons/14-listed", "Listed");
    read_all(w);
    char *path = place(w, "other/13-mine");
    const struct lesson *old = opened(w, path), *listed = opened(w, "14");
    write_lesson(w, "other/13-mine", "Changed");
    write_lesson(w, "own/lessons/14-listed", "Changed as well");
    assert_string_equal(opened(w, path)->title, "Changed");
    assert_string_equal(opened(w, "14")->title, "Changed as well");
    assert_string_equal(opened(w, "14")->name, "own/14-listed");
    assert_string_equal(old->title, "Mine");
    assert_string_equal(listed->title, "Listed");
    write_text(w, "other/13-mine", "torn");
    refused(w, path, "13-mine/lesson.md:1:");
    free(path);
}

static void what_ships_is_what_ships_by_any_path(void **state)
{
    struct lesson_world *w = *state;
    read_all(w);
    char *path = place(w, "shipped/lessons/01-one");
    assert_ptr_equal(opened(w, path), &w->lessons.list[0]);
    free(path);
}

static void the_workbook_remembers_them_while_they_are_there(void **state)
{
    struct lesson_world *w = *state;
    struct error error;
    char *path = place(w, "other/13-mine"), *book = place(w, "book.jsonl"), *gone = place(w, "other/14-gone");
    write_lesson(w, "other/13-mine", "Mine");
    struct workbook *workbook = workbook_open(book, &error);
    assert_non_null(workbook);
    assert_true(workbook_add(workbook, "lesson", json_pack("{s:s}", "lesson", path), &error));
    assert_true(workbook_add(workbook, "lesson", json_pack("{s:s}", "lesson", path), &error));
    assert_true(workbook_add(workbook, "lesson", json_pack("{s:s}", "lesson", gone), &error));
    assert_true(workbook_add(workbook, "lesson", json_pack("{s:s}", "lesson", "01-one"), &error));
    read_all(w);
    lessons_recall(&w->lessons, workbook);
    assert_int_equal(w->lessons.count, 3);
    assert_string_equal(w->lessons.list[2].name, path);
    assert_ptr_equal(opened(w, "13"), &w->lessons.list[2]);
    assert_opens_by(w, &w->lessons.list[2], "lesson 13");
    workbook_close(workbook);
    free(path);
    free(book);
    free(gone);
}

// ---- copies -----------------------------------------------------------------------------------------------

static void assert_copy(const struct lesson_world *w, const struct lesson *lesson, const char *below)
{
    char *copy = lesson_copy(lesson, "a.cu"), *there = place(w, below);
    assert_string_equal(copy, there);
    free(copy);
    free(there);
}

static void copies_never_lie_on_a_lessons_own_files(void **state)
{
    struct lesson_world *w = *state;
    write_lesson(w, "own/lessons/03-three", "My own three");
    write_lesson(w, "other/13-mine", "Mine");
    read_all(w);
    char *path = place(w, "other/13-mine"), *below = mem_new(300);
    assert_copy(w, &w->lessons.list[0], "own/lessons/01-one/a.cu");
    assert_copy(w, &w->lessons.list[1], "own/copies/03-three/a.cu");
    assert_copy(w, &w->lessons.list[2], "own/copies/own/03-three/a.cu");
    format_into(below, 300, "own/copies/elsewhere%s/a.cu", path);
    assert_copy(w, opened(w, path), below);
    free(path);
    free(below);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(they_stand_behind_what_ships),
        TEST(one_that_is_wrong_is_told_and_keeps_nobody_away),
        TEST(an_own_folder_that_is_a_file_is_told),
        TEST(a_part_follows_any_name_of_its_lesson),
        TEST(a_folder_anywhere_is_called_by_its_path),
        TEST(one_that_changed_is_read_again_and_the_old_one_stays),
        TEST(what_ships_is_what_ships_by_any_path),
        TEST(the_workbook_remembers_them_while_they_are_there),
        TEST(copies_never_lie_on_a_lessons_own_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
