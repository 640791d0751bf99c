// What is chosen by its name: the next one without a name, the one that is named, and a refusal that tells them all.
#include "tui/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct words next = { .word = { (char *)"size" }, .count = 1 };

static struct words asked(const char *name)
{
    return (struct words){ .word = { (char *)"size", (char *)name }, .count = 2 };
}

typedef int choosing(struct app *app, const struct lab *lab, const char **name, const struct words *words);

// What is chosen where `now` was; NULL: it was refused, and what was chosen stays.
static const char *chosen(choosing *choose, struct app *app, const struct lab *lab, const char *now,
                          const struct words *words)
{
    const char *name = now;
    if (choose(app, lab, &name, words) == DONE)
        return name;
    assert_ptr_equal(name, now);
    return NULL;
}

// A lab's own tables say what there is.
static void sizes_are_those_of_the_lab(void **state)
{
    for (size_t i = 0; i < lab_count; i++) {
        const struct lab *lab = lab_list[i];
        struct app app = { 0 };
        size_t count = 0;
        while (count < LAB_PRESETS && lab->presets[count].name)
            count++;
        for (size_t p = 0; p < count; p++) {
            const char *name = lab->presets[p].name, *next_name = lab->presets[(p + 1) % count].name;
            struct words words = asked(name);
            assert_string_equal(chosen(choose_size, &app, lab, "full", &words), name);
            assert_string_equal(chosen(choose_size, &app, lab, name, &next), next_name);
        }
        struct words wrong = asked("huge");
        assert_null(chosen(choose_size, &app, lab, "full", &wrong));
        assert_non_null(strstr(app.message, "has no size 'huge'; it has small, full"));
        assert_non_null(strstr(app.message, lab->presets[count - 1].name));
    }
}

// Where both run, turning comes back to each one's own size; the name of the GPU's is a wish for the simulator too.
static void turning_ends_where_it_began(void **state)
{
    for (size_t i = 0; i < lab_count; i++) {
        const struct lab *lab = lab_list[i];
        struct app app = { 0 };
        const char *preset = NULL;
        size_t count = 0;
        while (count < LAB_PRESETS && lab->presets[count].name)
            count++;
        for (size_t turn = 0; turn < count; turn++) {
            assert_int_equal(choose_preset(&app, lab, &preset, &next), DONE);
            assert_true(!preset || strcmp(preset, "full") != 0);
        }
        assert_null(preset);
        struct words full = asked("full");
        assert_int_equal(choose_preset(&app, lab, &preset, &full), DONE);
        assert_string_equal(preset, "full");
    }
}

static void data_turn_where_there_are_several(void **state)
{
    const struct lab *histogram = lab_find("histogram"), *vecadd = lab_find("vecadd");
    struct words skewed = asked("skewed"), odd = asked("odd");
    struct app app = { 0 };
    assert_string_equal(chosen(choose_data, &app, histogram, NULL, &next), "constant");
    assert_string_equal(chosen(choose_data, &app, histogram, "skewed", &next), "uniform");
    assert_string_equal(chosen(choose_data, &app, histogram, NULL, &skewed), "skewed");
    assert_null(chosen(choose_data, &app, histogram, NULL, &odd));
    assert_string_equal(app.message,
                        "The lab histogram has no data 'odd'; it has uniform, constant, skewed.");
    assert_null(chosen(choose_data, &app, vecadd, NULL, &next));
    assert_string_equal(app.message, "There is only one kind of data.");
}

static void a_file_has_nothing_to_choose(void **state)
{
    struct app app = { 0 };
    assert_null(chosen(choose_size, &app, NULL, "full", &next));
    assert_string_equal(app.message, "The file itself says how large its problem is.");
    assert_null(chosen(choose_data, &app, NULL, NULL, &next));
}

static void a_name_is_found_in_small_and_large_letters(void **state)
{
    static const char *const names[] = { "source", "ptx", "sass" };
    struct app app = { 0 };
    assert_int_equal(choose_name(&app, "view", names, 3, "PTX"), 1);
    assert_int_equal(choose_name(&app, "view", names, 2, "sass"), -1);
    assert_string_equal(app.message, "There is no view 'sass': source, ptx.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_lab),
        cmocka_unit_test(turning_ends_where_it_began),
        cmocka_unit_test(data_turn_where_there_are_several),
        cmocka_unit_test(a_file_has_nothing_to_choose),
        cmocka_unit_test(a_name_is_found_in_small_and_large_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
