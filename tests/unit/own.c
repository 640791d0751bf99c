// Copies of one's own: made once, put aside without losing an older one, and opened where the editor can begin.
#include "tui/app/app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// ---- a terminal that is lent to nobody -----------------------------------------------------------------------

struct lent {
    char line[20]; // the word before the file; "": none
    char file[80]; // the last word
    bool changes;
};

static void face_size(void *context, int *rows, int *cols)
{
    *rows = 24;
    *cols = 80;
}

static bool face_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    struct lent *lent = context;
    size_t count = 0;
    while (argv[count])
        count++;
    format_into(lent->line, sizeof lent->line, "%s", count == 6 ? argv[4] : "");
    format_into(lent->file, sizeof lent->file, "%s", argv[count - 1]);
    *status = 0;
    return !lent->changes || file_replace(argv[count - 1], "changed", 7, error);
}

static struct app app_of(struct lent *lent)
{
    return (struct app){ .face = { .context = lent, .size = face_size, .lend = face_lend } };
}

// ---- editors -------------------------------------------------------------------------------------------------

static void opens(const char *editor, int line, const char *wanted)
{
    struct lent lent = { 0 };
    struct app app = app_of(&lent);
    setenv("VISUAL", editor, 1);
    assert_int_equal(own_edit(&app, "/nonexistent/kernel.cu", line), DONE_NOT);
    if (strcmp(lent.line, wanted) != 0)
        fail_msg("%s: '%s', not '%s'", editor, lent.line, wanted);
    canvas_free(&app.canvas);
}

static void editors_that_know_lines_begin_at_one(void **state)
{
    static const char *const jump[] = { "vi",          "vim", "/usr/bin/vim.tiny -R", "nvim", "nano -w",
                                        "emacsclient", "kak" };
    static const char *const plain[] = { "/home/vivian/bin/ed", "ed --nano", "code --wait", "/opt/vi/edit",
                                         "devise" };
    for (size_t i = 0; i < sizeof jump / sizeof *jump; i++)
        opens(jump[i], 7, "+7");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        opens(plain[i], 7, "");
    opens("vim", 1, "");
    setenv("EDITOR", "/home/vivian/ed", 1);
    opens("", 7, ""); // an empty VISUAL is none
    unsetenv("EDITOR");
    opens("", 7, "+7"); // vi
}

// A name that an editor takes for an option or a command when it stands alone.
static void editors_get_files_and_nothing_else(void **state)
{
    static const struct {
        const char *path, *given;
    } cases[] = { { "+!touch x||y.cu", "./+!touch x||y.cu" },
                  { "-c:q.cu", "./-c:q.cu" },
                  { "--cmd=x", "./--cmd=x" },
                  { "a\nb.cu", "./a\nb.cu" },
                  { "k.cu", "./k.cu" },
                  { "./k.cu", "./k.cu" },
                  { "../k.cu", "../k.cu" },
                  { "+sub/k.cu", "./+sub/k.cu" },
                  { ".../k.cu", "./.../k.cu" },
                  { "/abs/-k.cu", "/abs/-k.cu" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lent lent = { 0 };
        struct app app = app_of(&lent);
        own_edit(&app, cases[i].path, 7);
        assert_string_equal(lent.file, cases[i].given);
        canvas_free(&app.canvas);
    }
}

// ---- files ---------------------------------------------------------------------------------------------------

static void holds(const char *path, const char *wanted)
{
    struct text text = { 0 };
    struct error error;
    assert_true(file_read(path, &text, &error));
    assert_string_equal(text_string(&text), wanted);
    text_free(&text);
}

static void a_copy_is_made_once_and_put_aside(void **state)
{
    struct error error;
    char *path = path_own("kernels/a-lab/1-step.cu");
    assert_true(own_make(path, "one", &error));
    assert_true(own_make(path, "two", &error));
    holds(path, "one");
    for (int n = 1; n <= 2; n++) {
        char wanted[40];
        char *name = own_put_aside(path, &error);
        format_into(wanted, sizeof wanted, "1-step.cu.old-%d", n);
        assert_non_null(name);
        assert_string_equal(name, wanted);
        assert_false(file_exists(path));
        free(name);
        assert_true(own_make(path, "two", &error));
    }
    char *first = path_own("kernels/a-lab/1-step.cu.old-1"),
         *second = path_own("kernels/a-lab/1-step.cu.old-2");
    holds(first, "one");
    holds(second, "two");
    free(first);
    free(second);
    free(path);
    assert_false(own_make(NULL, "three", &error));
    assert_non_null(strstr(error.text, "WARPBOOK_HOME"));
    assert_null(own_put_aside("/nonexistent/kernel.cu", &error));
    assert_non_null(strstr(error.text, "/nonexistent/kernel.cu"));
}

static void a_save_is_told_from_a_look(void **state)
{
    struct lent lent = { 0 };
    struct app app = app_of(&lent);
    struct error error;
    char *path = path_own("a-file.cu");
    assert_true(own_make(path, "one", &error));
    assert_int_equal(own_edit(&app, path, 1), DONE_NOT);
    lent.changes = true;
    assert_int_equal(own_edit(&app, path, 1), DONE);
    canvas_free(&app.canvas);
    free(path);
}

// A step that ships, and the path of the copy of it.
static struct variant step_of(const char *text, char **copy)
{
    static char lab[] = "a-lab", name[] = "2-step";
    *copy = path_own("kernels/a-lab/2-step.cu");
    return (struct variant){ .lab = lab, .name = name, .path = *copy, .text = (char *)text };
}

static void an_editor_that_changes_nothing_leaves_no_copy(void **state)
{
    struct lent lent = { 0 };
    struct app app = app_of(&lent);
    char *copy;
    struct variant step = step_of("what ships", &copy);
    assert_int_equal(own_change(&app, &step, 1), DONE_NOT);
    assert_false(file_exists(copy));
    lent.changes = true;
    assert_int_equal(own_change(&app, &step, 1), DONE);
    holds(copy, "changed");
    lent.changes = false;
    assert_int_equal(own_change(&app, &step, 1), DONE_NOT);
    holds(copy, "changed");
    remove(copy);
    canvas_free(&app.canvas);
    free(copy);
}

// An editor may take a file away for a moment; one that stays away is told, and no longer watched.
static void a_watched_file_that_goes_is_told(void **state)
{
    struct lent lent = { 0 };
    struct app app = app_of(&lent);
    struct watch watch = { 0 };
    struct error error;
    char *copy;
    struct variant step = step_of("what ships", &copy);
    assert_true(watch_variant(&watch, &app, &step));
    remove(copy);
    assert_false(watch_saw(&watch));
    assert_false(watch_lost(&watch, &app));
    assert_true(own_make(copy, "saved anew", &error));
    assert_true(watch_saw(&watch));
    remove(copy);
    bool lost = false;
    for (int i = 0; i < 10 && !lost; i++) {
        assert_false(watch_saw(&watch));
        lost = watch_lost(&watch, &app);
    }
    assert_true(lost);
    assert_null(watch.path);
    assert_non_null(strstr(app.message, "is gone, so nothing is watched"));
    canvas_free(&app.canvas);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(editors_that_know_lines_begin_at_one),
        cmocka_unit_test(editors_get_files_and_nothing_else),
        cmocka_unit_test(a_copy_is_made_once_and_put_aside),
        cmocka_unit_test(a_save_is_told_from_a_look),
        cmocka_unit_test(an_editor_that_changes_nothing_leaves_no_copy),
        cmocka_unit_test(a_watched_file_that_goes_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
