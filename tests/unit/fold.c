// What a lesson folds until it is answered: the rest of the section and the sections after it, and what reading on opens.
#include "lessons/lessons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// A paragraph of one letter, which stands for itself.
static void assert_letters_shown(const struct workbook *workbook, const char *of, const char *want)
{
    struct lesson lesson;
    struct error error;
    struct text shown = { 0 };
    assert_true(lesson_parse(&lesson, "x/06-name/lesson.md", of, &error));
    unsigned char *folds = folds_read(workbook, &lesson);
    folds_spread(&lesson, folds);
    for (size_t i = 0; i < lesson.block_count; i++)
        if (lesson.blocks[i].kind == BLOCK_PARAGRAPH && !(folds[i] & FOLD_HIDES))
            text_add(&shown, lesson.blocks[i].pieces[0].text);
    assert_string_equal(text_string(&shown), want);
    text_free(&shown);
    free(folds);
    lesson_free(&lesson);
}

static const char text[] =
    "---\ntitle: T\nminutes: 5\nafter: know\n---\n"
    "# T\n\nStart.\n\n"
    "## One\n\nBefore.\n\n```quiz id=a\nask: A?\nchoice: x\nchoice: y\nright: 2\n```\n\nAfter a.\n\n"
    "### Part\n\nStill of one.\n\n"
    "## Two\n\nWords.\n\n```predict id=b\nask: B?\nright: 4\n```\n\nAfter b.\n\n"
    "## Three\n\n```exercise id=e\nask: E\nfile: e.cu\nsolution: s.cu\nkeep: k\nhint: 1\nhint: 2\n"
    "hint: 3\n```\n\nAfter e.\n\n"
    "```order id=c\nask: C?\nline: 1\nline: 2\n```\n\nAfter c.\n";

// The first letters of what is shown; a section that is folded is its heading in small letters.
static void assert_shown(const struct workbook *workbook, const char *want)
{
    static const struct {
        const char *words;
        char letter;
    } known[] = {
        { "T", 'T' },        { "Start.", 's' },   { "One", 'O' },      { "Before.", 'b' },
        { "a", 'A' },        { "After a.", '1' }, { "Part", 'P' },     { "Still of one.", 'p' },
        { "Two", 'W' },      { "Words.", 'w' },   { "b", 'B' },        { "After b.", '2' },
        { "Three", 'H' },    { "e", 'E' },        { "After e.", '3' }, { "c", 'C' },
        { "After c.", '4' },
    };
    struct lesson lesson;
    struct error error;
    struct text shown = { 0 };
    assert_true(lesson_parse(&lesson, "x/06-name/lesson.md", text, &error));
    unsigned char *folds = folds_read(workbook, &lesson);
    bool any = folds_spread(&lesson, folds);
    assert_int_equal(any, strchr(want, '4') == NULL);
    for (size_t i = 0; i < lesson.block_count; i++) {
        const struct lesson_block *block = &lesson.blocks[i];
        const char *words = block->kind == BLOCK_LIVE ? block->live.id : block->pieces[0].text;
        for (size_t k = 0; k < sizeof known / sizeof *known && !(folds[i] & FOLD_HIDES); k++)
            if (strcmp(known[k].words, words) == 0)
                text_add_n(&shown, &known[k].letter, 1);
    }
    assert_string_equal(text_string(&shown), want);
    text_free(&shown);
    free(folds);
    lesson_free(&lesson);
}

static void add(struct workbook *workbook, const char *kind, const char *id, const char *key, int value)
{
    struct error error;
    json_t *event = json_pack("{s:s, s:s}", "lesson", "06-name", "id", id);
    if (key)
        json_object_set_new(event, key, json_boolean(value));
    if (!workbook_add(workbook, kind, event, &error))
        fail_msg("%s", error.text);
}

static struct workbook *fresh_workbook(void)
{
    struct error error;
    char path[] = "/tmp/fold-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct workbook *workbook = workbook_open(path, &error);
    unlink(path);
    assert_non_null(workbook);
    return workbook;
}

static void an_open_question_folds_what_follows(void **state)
{
    struct workbook *workbook = fresh_workbook();
    assert_shown(NULL, "TsObA");
    assert_shown(workbook, "TsObA");
    add(workbook, "answer", "a", "right", 0);
    assert_shown(workbook, "TsObA");
    add(workbook, "answer", "a", "right", 1);
    assert_shown(workbook, "TsObA1PpWwB");
    add(workbook, "predict", "b", NULL, 0);
    assert_shown(workbook, "TsObA1PpWwB2HE3C"); // an exercise folds nothing
    add(workbook, "answer", "c", "shown", 1);
    assert_shown(workbook, "TsObA1PpWwB2HE3C4");
    workbook_close(workbook);
}

static void one_may_read_past_a_question(void **state)
{
    struct workbook *workbook = fresh_workbook();
    add(workbook, "unfold", "a", NULL, 0);
    assert_shown(workbook, "TsObA1PpWwB");
    workbook_close(workbook);
}

static void one_may_read_a_section_ahead(void **state)
{
    struct workbook *workbook = fresh_workbook();
    add(workbook, "unfold", "## Three", NULL, 0);
    assert_shown(workbook, "TsObAHE3C");
    add(workbook, "unfold", "## Two", NULL, 0);
    assert_shown(workbook, "TsObAWwBHE3C");
    add(workbook, "answer", "b", "right", 1); // which is no prediction
    assert_shown(workbook, "TsObAWwBHE3C");
    workbook_close(workbook);
}

// What was open before a part folds nothing in it; what is open in it does.
static void a_part_that_is_read_ahead_stands_for_itself(void **state)
{
    static const char parts[] = "---\ntitle: T\nafter: know\n---\n# T\n\na\n\n# One\n\nb\n\n## Same\n\n"
                                "```quiz id=q\nask: A?\nright: 2\n```\n\nc\n\n"
                                "# Same\n\nd\n\n## Two\n\ne\n\n## Three\n\n"
                                "```quiz id=r\nask: A?\nright: 2\n```\n\nf\n\n# Last\n\ng\n";
    struct workbook *workbook = fresh_workbook();
    assert_letters_shown(workbook, parts, "ab");
    add(workbook, "unfold", "## Same", NULL, 0); // the section, which is no part
    assert_letters_shown(workbook, parts, "ab");
    add(workbook, "unfold", "# Same", NULL, 0);
    assert_letters_shown(workbook, parts, "abde");
    add(workbook, "answer", "q", "right", 1);
    assert_letters_shown(workbook, parts, "abcde");
    add(workbook, "unfold", "# Last", NULL, 0);
    assert_letters_shown(workbook, parts, "abcdeg");
    workbook_close(workbook);
}

static void one_may_read_all_of_it(void **state)
{
    struct workbook *workbook = fresh_workbook();
    add(workbook, "unfold", FOLD_ALL, NULL, 0);
    assert_shown(workbook, "TsObA1PpWwB2HE3C4");
    workbook_close(workbook);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(an_open_question_folds_what_follows),
                                        cmocka_unit_test(one_may_read_past_a_question),
                                        cmocka_unit_test(one_may_read_a_section_ahead),
                                        cmocka_unit_test(a_part_that_is_read_ahead_stands_for_itself),
                                        cmocka_unit_test(one_may_read_all_of_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
