// Ladders on disk, in folders made for the test: their order, the learner's copies, and what is no ladder.
#include "kernels/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL "//@ launch k<<<1, 32>>>()\n__global__ void k() {}\n"

struct catalogue_place {
    char root[512];
    struct text files; // their paths, one a line, to remove them again
};

static void write_file(struct catalogue_place *place, const char *path, const char *content)
{
    struct error error;
    struct text whole = { 0 };
    text_addf(&whole, "%s/%s", place->root, path);
    char *folder = mem_copy(whole.data);
    *strrchr(folder, '/') = 0;
    if (!folder_make(folder, &error) || !file_replace(whole.data, content, strlen(content), &error))
        fail_msg("%s", error.text);
    text_addf(&place->files, "%s\n", whole.data);
    free(folder);
    text_free(&whole);
}

static int set_up(void **state)
{
    struct catalogue_place *place = mem_new(sizeof *place);
    const char *folder = getenv("TMPDIR");
    format_into(place->root, sizeof place->root, "%s/warpbook-catalogue-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(place->root))
        return -1;
    char path[600];
    format_into(path, sizeof path, "%s/shipped", place->root);
    setenv("WARPBOOK_DATA", path, 1);
    format_into(path, sizeof path, "%s/own", place->root);
    setenv("WARPBOOK_HOME", path, 1);
    write_file(place, "shipped/kernels/lab/10-last.cu", "//@ title The last\n" KERNEL);
    write_file(place, "shipped/kernels/lab/2-the-second.cu", KERNEL);
    write_file(place, "shipped/kernels/lab/1-first.cu", "//@ title The first\n" KERNEL);
    write_file(place, "shipped/kernels/lab/notes.txt", "no kernel");
    write_file(place, "shipped/kernels/lab/.1-hidden.cu", "no kernel either");
    *state = place;
    return 0;
}

// Removes the files, then the folders that they were in, upward as far as they are empty.
static int tear_down(void **state)
{
    struct catalogue_place *place = *state;
    char *rest = place->files.data;
    for (char *path; rest && (path = strsep(&rest, "\n")) && *path;) {
        unlink(path);
        for (char *slash; (slash = strrchr(path, '/')) && strlen(path) > strlen(place->root);) {
            *slash = 0;
            if (rmdir(path) != 0)
                break;
        }
    }
    bool left = file_exists(place->root);
    text_free(&place->files);
    free(place);
    return left ? -1 : 0;
}

static struct ladder read_lab(const char *lab)
{
    struct ladder ladder;
    struct error error;
    if (!ladder_read(lab, &ladder, &error))
        fail_msg("%s", error.text);
    return ladder;
}

// The error of reading `lab` has these words, in this order.
static void fails(const char *lab, enum exit_code code, const char *one, const char *other)
{
    struct ladder ladder;
    struct error error = { 0 };
    assert_false(ladder_read(lab, &ladder, &error));
    assert_int_equal(ladder.count, 0);
    assert_null(ladder.variants);
    assert_int_equal(error.code, code);
    const char *found = strstr(error.text, one);
    if (!found || !strstr(found, other))
        fail_msg("'%s' and '%s' are not in: %s", one, other, error.text);
}

static void in_the_order_of_steps(void **state)
{
    struct ladder ladder = read_lab("lab");
    assert_int_equal(ladder.count, 3);
    assert_string_equal(ladder.variants[0].name, "1-first");
    assert_string_equal(ladder.variants[0].title, "The first");
    assert_string_equal(ladder.variants[0].lab, "lab");
    assert_string_equal(ladder.variants[1].name, "2-the-second");
    assert_string_equal(ladder.variants[1].title, "2-the-second");
    assert_string_equal(ladder.variants[2].name, "10-last");
    assert_int_equal(ladder.variants[2].step, 10);
    for (size_t i = 0; i < 3; i++) {
        assert_false(ladder.variants[i].own);
        assert_ptr_equal(ladder.variants[i].source.text, ladder.variants[i].text);
    }
    ladder_free(&ladder);
    assert_int_equal(ladder.count, 0);
}

static void found_by_name_step_or_word(void **state)
{
    struct ladder ladder = read_lab("lab");
    static const struct {
        const char *asked;
        int step; // 0: not there
    } cases[] = { { "10-last", 10 }, { "10", 10 },    { "last", 10 },        { "the-second", 2 },
                  { "1", 1 },        { "first", 1 },  { "2-the-second", 2 }, { "", 0 },
                  { "3", 0 },        { "second", 0 }, { "1-", 0 },           { "01", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct variant *found = ladder_find(&ladder, cases[i].asked);
        assert_int_equal(found ? found->step : 0, cases[i].step);
    }
    ladder_free(&ladder);
}

static void the_learners_copy_comes_first(void **state)
{
    struct catalogue_place *place = *state;
    write_file(place, "own/kernels/lab/2-the-second.cu", "//@ title Mine\n" KERNEL);
    write_file(place, "own/kernels/lab/7-only-mine.cu", KERNEL);
    struct ladder ladder = read_lab("lab");
    assert_int_equal(ladder.count, 3);
    assert_false(ladder.variants[0].own);
    assert_true(ladder.variants[1].own);
    assert_string_equal(ladder.variants[1].title, "Mine");
    assert_non_null(strstr(ladder.variants[1].path, "/own/kernels/lab/2-the-second.cu"));
    ladder_free(&ladder);
}

static void a_mistake_in_a_copy_names_the_copy(void **state)
{
    struct catalogue_place *place = *state;
    write_file(place, "own/kernels/lab/1-first.cu", "//@ launch k<<<1>>>()\n__global__ void k() {}\n");
    fails("lab", EXIT_USAGE, "/own/kernels/lab/1-first.cu:1:17: error: expected ','", "^");
}

static void a_step_belongs_to_one_file(void **state)
{
    write_file(*state, "shipped/kernels/lab/2-another.cu", KERNEL);
    fails("lab", EXIT_USAGE, "2-", "are both step 2 of the lab lab");
}

static void names_start_with_a_step(void **state)
{
    write_file(*state, "shipped/kernels/lab/fast.cu", KERNEL);
    fails("lab", EXIT_USAGE, "/shipped/kernels/lab/fast.cu: ", "STEP-NAME.cu");
}

static void labs_that_are_not_there(void **state)
{
    write_file(*state, "shipped/kernels/empty/readme.txt", "no kernels");
    write_file(*state, "shipped/kernels/file", "no folder");
    fails("nothing", EXIT_USAGE, "There is no lab nothing", "/shipped/kernels/nothing");
    fails("empty", EXIT_MISSING, "The lab empty has no kernels", "/shipped/kernels/empty");
    fails("file", EXIT_MISSING, "Cannot read the folder", "/shipped/kernels/file");
    fails("", EXIT_USAGE, "There is no lab ''", "a lab's name");
    fails("../lab", EXIT_USAGE, "There is no lab '../lab'", "a lab's name");
    fails("a\x1b[31mb", EXIT_USAGE, "There is no lab 'a<U+001B>[31mb'", "a lab's name");
}

static void without_a_folder_of_ones_own(void **state)
{
    unsetenv("WARPBOOK_HOME");
    unsetenv("XDG_DATA_HOME");
    char *home = getenv("HOME") ? mem_copy(getenv("HOME")) : NULL;
    unsetenv("HOME");
    struct ladder ladder = read_lab("lab");
    assert_int_equal(ladder.count, 3);
    ladder_free(&ladder);
    if (home)
        setenv("HOME", home, 1);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_the_order_of_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(found_by_name_step_or_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_learners_copy_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mistake_in_a_copy_names_the_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_step_belongs_to_one_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_start_with_a_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labs_that_are_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_folder_of_ones_own, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
