// What y copies on each page, and what it does where there is no clipboard, or too much for one.
#include "tui/tui.h"
#include "tui/view/view.h"

#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

// ---- a face with a clipboard --------------------------------------------------------------------------------

static struct text clip;
static bool has_clipboard = true;

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

static bool face_copy(void *context, const char *text, size_t length)
{
    if (!has_clipboard)
        return false;
    clip.length = 0;
    text_add_n(&clip, text, length);
    return true;
}

static void settle(struct app *app)
{
    struct event event;
    while (tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP))
        app_wait(app, &event);
    app_draw(app);
}

static int start(void **state)
{
    struct face face = { .size = face_size, .show = face_show, .next = face_next, .copy = face_copy };
    struct app *app = mem_new(sizeof *app);
    *app = (struct app){ .timeless = true };
    app_init(app, &known, face, true);
    has_clipboard = true;
    *state = app;
    return app_open(app, "home") ? settle(app), 0 : -1;
}

static int end(void **state)
{
    app_end(*state);
    free(*state);
    text_free(&clip);
    return 0;
}

static void keys(struct app *app, const char *keys)
{
    for (; *keys; keys++) {
        struct event event = { .kind = EVENT_KEY, .key = *keys == '\t' ? PRESS_TAB : *keys };
        app_event(app, &event);
        app_draw(app);
    }
}

static void open_page(struct app *app, const char *words)
{
    app_do(app, words);
    settle(app);
}

static void expect_copied(struct app *app, const char *pressed, const char *want)
{
    clip.length = 0;
    text_add(&clip, "");
    keys(app, pressed);
    assert_string_equal(clip.data, want);
}

// What is copied begins so; `lines`: it has several.
static void expect_begins(struct app *app, const char *pressed, const char *want, bool lines)
{
    clip.length = 0;
    text_add(&clip, "");
    keys(app, pressed);
    if (!string_starts(clip.data, want))
        fail_msg("%s: '%s' begins not with '%s'", pressed, clip.data, want);
    assert_int_equal(strchr(clip.data, '\n') != NULL, lines);
}

// ---- pages ----------------------------------------------------------------------------------------------------

static void lines_of_a_source(void **state)
{
    struct app *app = *state;
    open_page(app, "source vecadd/3");
    keys(app, "g");
    struct text line = { 0 };
    struct ladder ladder;
    struct error error;
    assert_true(ladder_read_shipped("vecadd", &ladder, &error));
    const char *text = ladder_find(&ladder, "3")->text;
    size_t one = strcspn(text, "\n"), two = one + 1 + strcspn(text + one + 1, "\n");
    text_add_n(&line, text, one);
    app_do(app, "unfold");
    keys(app, "g");
    expect_copied(app, "y", line.data);
    line.length = 0;
    text_add_n(&line, text, two);
    expect_copied(app, "2y", line.data);
    app_do(app, "copy 100000"); // all that there is, and the empty line at its end is left out
    assert_int_equal(clip.length, strlen(text) - 1);
    text_free(&line);
    ladder_free(&ladder);
}

static void a_row_of_the_bench_and_its_table(void **state)
{
    struct app *app = *state;
    open_page(app, "bench vecadd/3");
    expect_begins(app, "y", "vecadd/3-thread-per-element  A thread per element  ", false);
    assert_non_null(strstr(clip.data, " ms  "));
    assert_non_null(strstr(clip.data, " % of max  recorded on NVIDIA "));
    app_do(app, "pane result");
    app_draw(app);
    expect_begins(app, "y", "vecadd/3-thread-per-element  A thread per element  ", true);
    assert_non_null(strstr(clip.data, "\n\n"));
    assert_non_null(strstr(clip.data, "\ntime "));
}

static void what_is_folded_is_not_copied(void **state)
{
    struct app *app = *state;
    open_page(app, "lesson 9");
    open_page(app, "bench histogram/3");
    expect_copied(app, "y", "histogram/3-shared");
    open_page(app, "source histogram/3");
    keys(app, "g");
    expect_begins(app, "9y", "__device__ void count_four", true);
    open_page(app, "list histogram");
    keys(app, "y");
    assert_non_null(strstr(app->message, "There is nothing here to copy."));
    keys(app, "u");
    expect_begins(app, "y", "histogram - Histogram of bytes\n", true);
}

static const char lesson[] = "---\ntitle: T\nminutes: 5\nafter: know\n---\n# T\n\nStart.\n\n"
                             "```cuda\nint i = 1;\n    i++;\n```\n\n"
                             "| a | bc |\n| ---: | ---: |\n| 1 | 2 |\n\n"
                             "```lab\nshow: vecadd/3\nshow: vecadd/4\n```\n\n"
                             "```widget\nexplore: banks stride=2\n```\n";

// The one that is selected, the next one each time, and the first again after the last.
static void blocks_of_a_lesson_in_turn(void **state)
{
    struct app *app = *state;
    open_page(app, "lesson own/90-copy");
    expect_copied(app, "y", "warpbook run vecadd/3\nwarpbook run vecadd/4"); // its first row is selected
    expect_copied(app, "y", "warpbook explore banks stride=2");
    expect_copied(app, "y", "int i = 1;\n    i++;");
    expect_begins(app, "y", "a  bc\n", true);
    assert_non_null(strstr(clip.data, "\n1   2"));
    expect_copied(app, "y", "warpbook run vecadd/3\nwarpbook run vecadd/4");
}

static int write_lesson(void **state)
{
    struct error error;
    char *folder = path_own("lessons/90-copy"), *path = path_own("lessons/90-copy/lesson.md");
    bool written = folder_make(folder, &error) && file_replace(path, lesson, strlen(lesson), &error);
    free(folder);
    free(path);
    return written ? start(state) : -1;
}

static void other_pages(void **state)
{
    struct app *app = *state;
    open_page(app, "explore banks stride=3");
    expect_begins(app, "y", "warpbook explore banks pattern=stride stride=3 ", false);
    open_page(app, "explore divergence");
    app_do(app, "set if='lane < 16'");
    keys(app, "y");
    assert_non_null(strstr(clip.data, " 'if=lane < 16'"));
    open_page(app, "terms warp");
    expect_begins(app, "y", "warp\n", true);
    open_page(app, "find bank conflict");
    keys(app, "y");
    assert_non_null(strstr(clip.data, "bank conflict"));
    open_page(app, "list vecadd");
    expect_begins(app, "y", "vecadd - ", true);
    expect_begins(app, "1y", "vecadd - ", false);
    open_page(app, "home");
    keys(app, "gy");
    assert_non_null(strstr(clip.data, "Lesson "));
}

// ---- limits -----------------------------------------------------------------------------------------------------

static void without_a_clipboard_it_is_in_a_file(void **state)
{
    struct app *app = *state;
    struct error error;
    struct text text = { 0 };
    char *path = path_own("copied.txt");
    has_clipboard = false;
    open_page(app, "bench vecadd/3");
    keys(app, "y");
    assert_non_null(strstr(app->message, "has no Ms"));
    assert_non_null(strstr(app->message, path));
    assert_true(file_read(path, &text, &error));
    assert_true(string_starts(text.data, "vecadd/3-thread-per-element  A thread per element"));
    text_free(&text);
    free(path);
}

// More than a terminal takes, and bytes that would tell it something.
static void own_text(const struct page *page, int lines, struct text *out)
{
    for (int i = 0; i < (lines ? lines : 1); i++)
        text_add(out, "a\033]52;c;eA==\a\033[31mb\r\nc\t\xff\xc2\x9b"
                      "d\n");
}

static void copy_hostile(struct page *page, int lines, struct text *out)
{
    own_text(page, lines, out);
}

static void hostile_text_is_clean_and_not_too_long(void **state)
{
    struct app *app = *state;
    open_page(app, "machine");
    struct page_ops ops = *app->page->ops;
    const struct page_ops *before = app->page->ops;
    ops.copy = copy_hostile;
    app->page->ops = &ops;
    expect_copied(app, "y", "a<U+001B>]52;c;eA==<U+0007><U+001B>[31mb\nc\t?<U+009B>d");
    clip.length = 0;
    app_do(app, "copy 2000");
    assert_int_equal(clip.length, 0);
    assert_non_null(strstr(app->message, "more than terminals take"));
    app_do(app, "copy 0");
    assert_non_null(strstr(app->message, "not '0'"));
    app_do(app, "copy it");
    assert_non_null(strstr(app->message, "not 'it'"));
    app->page->ops = before;
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1) { // the program looks for itself to run a command or a compile
        const char *program = getenv("WARPBOOK");
        if (program)
            execv(program, words);
        return 127;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_of_a_source, start, end),
        cmocka_unit_test_setup_teardown(a_row_of_the_bench_and_its_table, start, end),
        cmocka_unit_test_setup_teardown(what_is_folded_is_not_copied, start, end),
        cmocka_unit_test_setup_teardown(blocks_of_a_lesson_in_turn, write_lesson, end),
        cmocka_unit_test_setup_teardown(other_pages, start, end),
        cmocka_unit_test_setup_teardown(without_a_clipboard_it_is_in_a_file, start, end),
        cmocka_unit_test_setup_teardown(hostile_text_is_clean_and_not_too_long, start, end),
    };
    setenv("WARPBOOK_WORKER", "exec false", 1); // nothing runs: pages show what ships
    return cmocka_run_group_tests(tests, NULL, NULL);
}
