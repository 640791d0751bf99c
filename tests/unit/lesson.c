// Reading lessons: what becomes of Markdown and live blocks, errors that point, text that means harm, and what ships.
#include "lessons/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRONT "---\ntitle: T\nminutes: 5\nafter: know\n---\n"

static struct lesson parse(const char *body)
{
    struct text text = { 0 };
    struct error error;
    struct lesson lesson;
    text_addf(&text, "%s%s", FRONT, body);
    if (!lesson_parse(&lesson, "x/06-name/lesson.md", text.data, &error))
        fail_msg("%s", error.text);
    text_free(&text);
    return lesson;
}

// The whole message for a text that is no lesson.
static void assert_error(const char *text, const char *want)
{
    struct error error;
    struct lesson lesson;
    assert_false(lesson_parse(&lesson, "6-x/lesson.md", text, &error));
    assert_string_equal(error.text, want);
}

static void assert_piece(const struct lesson_block *block, size_t nth, enum inline_kind kind,
                         const char *text)
{
    assert_true(nth < block->piece_count);
    assert_int_equal(block->pieces[nth].kind, kind);
    assert_string_equal(block->pieces[nth].text, text);
}

// ---- text ---------------------------------------------------------------------------------------------

static void front_says_title_minutes_and_aims(void **state)
{
    struct error error;
    struct lesson lesson;
    assert_true(lesson_parse(&lesson, "lessons/07-banks/lesson.md",
                             "---\ntitle: Banks: all\nminutes: 20\nafter: one\n  thing\nafter: two\n---\n",
                             &error));
    assert_int_equal(lesson.number, 7);
    assert_string_equal(lesson.name, "07-banks");
    assert_string_equal(lesson.title, "Banks: all");
    assert_int_equal(lesson.minutes, 20);
    assert_int_equal(lesson.after_count, 2);
    assert_string_equal(lesson.after[0], "one\nthing");
    lesson_free(&lesson);
}

static void assert_part(const struct lesson *lesson, size_t number, const char *title, size_t heading,
                        size_t from, size_t end)
{
    const struct lesson_part *part = &lesson->parts[number - 1];
    assert_string_equal(part->title, title);
    assert_int_equal(part->heading, heading);
    assert_int_equal(part->from, from);
    assert_int_equal(part->end, end);
    for (size_t i = from; i < end; i++)
        assert_int_equal(lesson_part_of(lesson, i), number);
}

static void headings_of_level_1_begin_parts_but_for_the_title(void **state)
{
    struct lesson lesson = parse("# T\n\nwords\n\n# One *two*\n\n## a\n\nb\n\n# Next\n\n## c\n");
    assert_int_equal(lesson.part_count, 2);
    assert_part(&lesson, 1, "One two", 2, 0, 5);
    assert_part(&lesson, 2, "Next", 5, 5, 7);
    lesson_free(&lesson);
    lesson = parse("# T\n\n## a\n");
    assert_int_equal(lesson.part_count, 0);
    assert_int_equal(lesson_part_of(&lesson, 1), 0);
    lesson_free(&lesson);
}

// Each task has its own; what is not stated is the sum of the parts.
static void minutes_are_computed_from_words_and_tasks(void **state)
{
    static const char body[] = "# T\n\n# One\n\n```exercise id=e\nask: x\nfile: e.cu\nsolution: f.cu\n"
                               "keep: k\nhint: 1\nhint: 2\nhint: 3\n```\n\n# Two\n\n"
                               "```lab\nshow: banks\n```\n\n```lab\nshow: banks\n```\n";
    struct lesson stated = parse(body), lesson;
    struct text text = { 0 };
    struct error error;
    assert_int_equal(stated.minutes, 5);
    assert_int_equal(stated.parts[0].minutes, 6);
    lesson_free(&stated);
    text_addf(&text, "---\ntitle: T\nafter: know\n---\n%s", body);
    assert_true(lesson_parse(&lesson, "x/06-name/lesson.md", text.data, &error));
    assert_int_equal(lesson.parts[1].minutes, 3);
    assert_int_equal(lesson.minutes, 9);
    text_free(&text);
    for (int i = 0; i < 180; i++)
        text_add(&text, "word ");
    double before = lesson_minutes(&lesson, 0, lesson.block_count);
    lesson_free(&lesson);
    struct text longer = { 0 };
    text_addf(&longer, "---\ntitle: T\nafter: know\n---\n%s\n%s\n", body, text.data);
    assert_true(lesson_parse(&lesson, "x/06-name/lesson.md", longer.data, &error));
    assert_float_equal(lesson_minutes(&lesson, 0, lesson.block_count), before + 1, 1e-9);
    text_free(&longer);
    text_free(&text);
    lesson_free(&lesson);
}

static void text_becomes_pieces(void **state)
{
    struct lesson lesson =
        parse("# Head\n\none *two* **three** `four` [f *i* ve](term:warp)\nsix &amp; &#955;  \nnew\n");
    assert_int_equal(lesson.block_count, 2);
    assert_int_equal(lesson.blocks[0].kind, BLOCK_HEADING);
    assert_int_equal(lesson.blocks[0].level, 1);
    assert_int_equal(lesson.blocks[0].line, 6);
    const struct lesson_block *block = &lesson.blocks[1];
    assert_int_equal(block->line, 8);
    assert_piece(block, 0, INLINE_TEXT, "one ");
    assert_piece(block, 1, INLINE_EMPHASIS, "two");
    assert_piece(block, 3, INLINE_STRONG, "three");
    assert_piece(block, 5, INLINE_CODE, "four");
    assert_piece(block, 7, INLINE_LINK, "f i ve");
    assert_string_equal(block->pieces[7].target, "term:warp");
    assert_piece(block, 8, INLINE_TEXT, " six & \xce\xbb");
    assert_piece(block, 9, INLINE_BREAK, "");
    assert_piece(block, 10, INLINE_TEXT, "new");
    lesson_free(&lesson);
}

static void lists_quotes_and_rules_keep_their_place(void **state)
{
    struct lesson lesson = parse("3. three\n   - below\n\n   more\n4. four\n\n> said\n\n---\n\nend\n");
    static const struct {
        enum block_kind kind;
        int line, level, number;
        const char *text;
    } want[] = { { BLOCK_ITEM, 6, 0, 3, "three" },     { BLOCK_ITEM, 7, 1, 0, "below" },
                 { BLOCK_PARAGRAPH, 9, 1, 0, "more" }, { BLOCK_ITEM, 10, 0, 4, "four" },
                 { BLOCK_QUOTE, 12, 0, 0, "said" },    { BLOCK_RULE, 0, 0, 0, NULL },
                 { BLOCK_PARAGRAPH, 16, 0, 0, "end" } };
    assert_int_equal(lesson.block_count, sizeof want / sizeof *want);
    for (size_t i = 0; i < lesson.block_count; i++) {
        const struct lesson_block *block = &lesson.blocks[i];
        assert_int_equal(block->kind, want[i].kind);
        assert_int_equal(block->level, want[i].level);
        assert_int_equal(block->number, want[i].number);
        if (want[i].text) {
            assert_int_equal(block->line, want[i].line);
            assert_piece(block, 0, INLINE_TEXT, want[i].text);
        }
    }
    lesson_free(&lesson);
}

static void tables_have_rows_of_cells(void **state)
{
    struct lesson lesson = parse("| a | b |\n| --- | --- |\n| `c` | d |\n| e | |\n\nbehind\n");
    const struct lesson_block *table = &lesson.blocks[0];
    assert_int_equal(table->kind, BLOCK_TABLE);
    assert_int_equal(table->rows, 3);
    assert_int_equal(table->cols, 2);
    assert_int_equal(table->cells[2].pieces[0].kind, INLINE_CODE);
    assert_string_equal(table->cells[3].pieces[0].text, "d");
    assert_int_equal(table->cells[5].count, 0);
    assert_piece(&lesson.blocks[1], 0, INLINE_TEXT, "behind");
    lesson_free(&lesson);
}

static void code_and_notes_are_kept_as_they_are(void **state)
{
    struct lesson lesson =
        parse("```cuda\nint i;\n\n    *p = 1; // [x](y)\n```\n\n<!-- instructor: say\n\nthis -->\n\n"
              "<!-- nobody -->\n\ntext <!-- not this -->on\n");
    assert_int_equal(lesson.block_count, 3);
    assert_string_equal(lesson.blocks[0].info, "cuda");
    assert_string_equal(lesson.blocks[0].text, "int i;\n\n    *p = 1; // [x](y)");
    assert_int_equal(lesson.blocks[1].kind, BLOCK_NOTE);
    assert_string_equal(lesson.blocks[1].text, "say\n\nthis");
    struct text words = { 0 };
    blocks_text(&lesson.blocks[2], 1, &words);
    assert_string_equal(words.data, "text on\n");
    text_free(&words);
    lesson_free(&lesson);
}

// ---- live blocks --------------------------------------------------------------------------------------

static void a_live_block_has_fields_with_lines(void **state)
{
    struct lesson lesson =
        parse("- item\n\n  ```quiz id=q-1\n  ask: Which `one`?\n    Of these.\n  choice: a\n"
              "  choice: b\n\n  right: 2\n  ```\n");
    const struct live *live = &lesson.blocks[1].live;
    assert_int_equal(lesson.blocks[1].kind, BLOCK_LIVE);
    assert_int_equal(live->kind, LIVE_QUIZ);
    assert_string_equal(live->id, "q-1");
    assert_int_equal(live->line, 8);
    assert_string_equal(live_field(live, "ask"), "Which `one`?\nOf these.");
    assert_int_equal(live_count(live, "choice"), 2);
    assert_string_equal(live_nth(live, "choice", 1), "b");
    assert_null(live_nth(live, "choice", 2));
    assert_int_equal(live_line(live, "right", 0), 14);
    assert_null(live_field(live, "because"));
    struct error error;
    assert_false(lesson_error(&lesson, 14, "2", &error, "no"));
    assert_string_equal(error.text, "x/06-name/lesson.md:14:10: error: no\n    right: 2\n           ^");
    lesson_free(&lesson);
}

// As plain code it would show its answer.
static void a_kind_that_is_misspelt_is_no_code(void **state)
{
    assert_error(FRONT "```quizz id=x\nask: x\nright: 1\n```\n",
                 "6-x/lesson.md:6:4: error: this is not a kind of live block; did you mean 'quiz'?\n"
                 "  ```quizz id=x\n     ^");
    assert_error(FRONT "```wigdet\nexplore: banks\n```\n",
                 "6-x/lesson.md:6:4: error: this is not a kind of live block; did you mean 'widget'?\n"
                 "  ```wigdet\n     ^");
    assert_error(FRONT "```cuda id=x\n```\n",
                 "6-x/lesson.md:6:4: error: this is not a kind of live block; FORMAT.md lists them\n"
                 "  ```cuda id=x\n     ^");
    struct lesson lesson = parse("```c\n```\n\n```text\n```\n\n```ptx\n```\n\n```sh\n```\n\n```\n```\n");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(lesson.blocks[i].kind, BLOCK_CODE);
    lesson_free(&lesson);
}

static void html_within_a_line_is_an_error(void **state)
{
    assert_error(FRONT "Not <b>this</b>.\n",
                 "6-x/lesson.md:6:5: error: HTML is not shown in a terminal; write `code` or *emphasis*\n"
                 "  Not <b>this</b>.\n      ^");
    assert_error(FRONT "-|\n|--:\n<i>\nx\n\n.", // and no memory is kept of the table that was left
                 "6-x/lesson.md:8:1: error: HTML is not shown in a terminal; write `code` or *emphasis*\n"
                 "  <i>\n  ^");
    assert_error(
        FRONT "```quiz id=q\nask: x\nright: 1\nbecause: a <i>b</i>\n```\n",
        "6-x/lesson.md:9:10: error: 'because' is text with `code`, *emphasis* and links; HTML is not "
        "shown\n  because: a <i>b</i>\n           ^");
    struct lesson lesson = parse("It <!-- goes\non, and\non --> ends.\n");
    assert_int_equal(lesson.block_count, 1);
    assert_piece(&lesson.blocks[0], 0, INLINE_TEXT, "It  ends.");
    lesson_free(&lesson);
    lesson = parse("A comment <!-- like this --> and `<b>`, add<<<blocks, 256>>>(a), 1 < 2.\n");
    assert_int_equal(lesson.block_count, 1);
    lesson_free(&lesson);
}

static void lines_of_code_keep_their_blanks(void **state)
{
    struct lesson lesson =
        parse("```order id=o\nask: x\nline: if (a)\nline:     b();\n```\n\n```unknown\nask: x\n```\n");
    assert_string_equal(live_nth(&lesson.blocks[0].live, "line", 1), "    b();");
    assert_int_equal(lesson.blocks[1].kind, BLOCK_CODE);
    lesson_free(&lesson);
}

static void values_are_text_with_pieces(void **state)
{
    size_t count;
    struct inline_piece *pieces = pieces_read("read `x[i]`\nonce", &count);
    assert_int_equal(count, 3);
    assert_int_equal(pieces[1].kind, INLINE_CODE);
    assert_string_equal(pieces[2].text, " once");
    pieces_free(pieces, count);
    pieces = pieces_read("1.", &count); // an empty item of a list, to Markdown
    assert_int_equal(count, 1);
    assert_string_equal(pieces[0].text, "1.");
    pieces_free(pieces, count);
}

static void numbers_come_from_a_record(void **state)
{
    json_t *record =
        json_loads("{\"median_ms\":2,\"counters\":{\"a\":8,\"b\":2,\"zero\":0,\"s\":\"x\"}}", 0, NULL);
    double value;
    assert_true(live_value("counters.a / counters.b", record, &value));
    assert_true(value == 4);
    assert_true(live_value(" median_ms ", record, &value));
    assert_false(live_value("counters.a / counters.zero", record, &value));
    assert_false(live_value("counters.s", record, &value));
    assert_false(live_value("counters.none", record, &value));
    assert_false(live_value("counters.a b", record, &value));
    json_decref(record);
}

// ---- errors -------------------------------------------------------------------------------------------

static void errors_point(void **state)
{
    assert_error("hello",
                 "6-x/lesson.md:1:1: error: the file starts with a line ---, then 'key: value' lines, then "
                 "a line ---\n  hello\n  ^");
    assert_error("---\ntitle: T\n",
                 "6-x/lesson.md:1:1: error: there is no second line --- that ends what starts "
                 "here\n  ---\n  ^");
    assert_error("---\nminutes: 0\n---\n",
                 "6-x/lesson.md:2:10: error: 'minutes' is a whole number from 1 to 600\n"
                 "  minutes: 0\n           ^");
    assert_error(FRONT "\n```quiz id=a\naks: x\n```\n",
                 "6-x/lesson.md:8:1: error: 'quiz' has no key 'aks'; did you mean 'ask'?\n  aks: x\n  ^");
    assert_error(FRONT "```lab\nshow: a/../b\n```\n",
                 "6-x/lesson.md:7:7: error: 'show' is LAB or LAB/STEP, as in histogram/3-shared\n"
                 "  show: a/../b\n        ^");
    assert_error(FRONT "```quiz id=a\nask: x\nright: 1\n```\n\n```quiz id=a\nask: x\nright: 1\n```\n",
                 "6-x/lesson.md:11:9: error: line 6 has the name 'a' already\n  ```quiz id=a\n          ^");
    assert_error(FRONT "<!-- a\nb --> c\n",
                 "6-x/lesson.md:7:1: error: text after a comment on its line is not shown; "
                 "put it on a line of its own\n  b --> c\n  ^");
    assert_error(FRONT "<div>\n", "6-x/lesson.md:6:1: error: HTML is not shown in a terminal; only comments "
                                  "<!-- ... --> are allowed here\n  <div>\n  ^");
}

static void live_blocks_must_make_sense(void **state)
{
    static const char *const wrong[] = {
        "quiz\nask: x\nright: 1",                                         // no name
        "quiz id=A\nask: x\nright: 1",                                    // no name of that kind
        "quiz id=a b\nask: x\nright: 1",                                  // more than a name
        "quiz id=a\nask: x",                                              // no answer
        "quiz id=a\nask: x\nchoice: 1\nright: 1",                         // one choice
        "quiz id=a\nask: x\nchoice: 1\nchoice: 2\nright: 3",              // no such choice
        "quiz id=a\nask: x\nask: y\nright: 1",                            // twice
        "quiz id=a\nask:\nright: 1",                                      // nothing asked
        "quiz id=a\nno key\nright: 1",                                    // no field
        "predict id=a\nask: x",                                           // no way to an answer
        "predict id=a\nask: x\nright: 1\nrun: a/b\nvalue: c",             // two ways
        "predict id=a\nask: x\nrun: a/b",                                 // no value
        "predict id=a\nask: x\nrun: a\nvalue: c",                         // a lab is no run
        "predict id=a\nask: x\nrun: a/b c\nvalue: c",                     // no flag
        "predict id=a\nask: x\nrun: a/b\nvalue: c +",                     // no value
        "predict id=a\nask: x\nrun: a/b\nrun: a/c\nvalue: d",             // what for?
        "predict id=a\nask: x\nchoice: u\nchoice: v\nrun: a/b\nvalue: d", // choices without numbers
        "order id=a\nask: x\nline: a",                                    // one line has one order
        "order id=a\nask: x\nline: a\nline: b\nalso: 1 1",                // not all lines
        "order id=a\nask: x\nline: a\nline: b\nalso: 2 9",                // not these lines
        "exercise id=a\nask: x\nfile: a.cu\nsolution: b.cu\nhint: 1",     // three hints
        "bughunt id=a\nask: x\nfile: ../a.cu\nsolution: b.cu",            // outside of the folder
        "bughunt id=a\nask: x\nfile: .cu\nsolution: b.cu",                // no name
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\nwrong: c.cu",  // no reason
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\nbudget: a < 1",
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\npace: h100 < 0.3 --set n=4",
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\npace: h100 <= 0 --set n=4",
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\npace: ../h100 <= 0.3",
        "bughunt id=a\nask: x\nfile: a.cu\nsolution: b.cu\npace: h100 <= 0.3 n=4",
        "widget\nexplore: banks stride",
        "widget\nexplore: a=b",
        "widget\nexplore: a b=\"c",
        "widget\nexplore: a b=c\"d\"",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct text text = { 0 };
        struct error error = { 0 };
        struct lesson lesson;
        text_addf(&text, "%s```%s\n```\n", FRONT, wrong[i]);
        if (lesson_parse(&lesson, "6-x/lesson.md", text.data, &error))
            fail_msg("taken as right: %s", wrong[i]);
        assert_true(string_starts(error.text, "6-x/lesson.md:"));
        assert_non_null(strchr(error.text, '^'));
        text_free(&text);
    }
}

static void blocks_that_are_right_are_taken(void **state)
{
    struct lesson lesson =
        parse("```exercise id=e\nask: x\nfile: e.cu\nsolution: e-right.cu\nlab: coalescing\nhint: 1\nhint: "
              "2\nhint: 3\n"
              "wrong: a.cu result\nwrong: b.cu budget\ncheck: --set n=1000 --data skewed\n"
              "budget: counters.gld_sec / counters.gld_req <= 4.1\n```\n\n"
              "```bughunt id=b\nask: x\nfile: b.cu\nsolution: b-right.cu\nfinding: race\n```\n\n"
              "```widget\nexplore: divergence if=\"lane < 16\" block.x=64\n```\n");
    assert_int_equal(lesson.block_count, 3);
    lesson_free(&lesson);
}

// ---- text that means harm -------------------------------------------------------------------------------

static void repeat(struct text *text, const char *what, size_t times)
{
    for (size_t i = 0; i < times; i++)
        text_add(text, what);
}

// Whether it is read or refused does not matter, only that it ends, and soon.
static void survive(struct text *body)
{
    struct text text = { 0 };
    struct lesson lesson;
    struct error error;
    text_addf(&text, "%s%s", FRONT, text_string(body));
    if (lesson_parse(&lesson, "6-x/lesson.md", text.data, &error)) {
        for (size_t i = 0; i < lesson.block_count; i++)
            assert_true(lesson.blocks[i].level <= 6);
        lesson_free(&lesson);
    }
    text_free(&text);
    text_free(body);
}

static void hostile_text_does_no_harm(void **state)
{
    static const struct {
        const char *what, *then;
        size_t times;
    } bad[] = {
        { "> ", "x\n", 20000 },       { "- ", "x\n", 5000 },       { "*a **b ", "\n", 3000 },
        { "[", "x\n", 20000 },        { "![a](", "\n", 5000 },     { "`", "\n", 50000 },
        { "<!--", "\n", 5000 },       { "\xff\xfe ", "\n", 9000 }, { "| a ", "\n", 30000 },
        { "\x1b[2J\x9b", "\n", 999 }, { "a\n\n", "", 30000 },      { "&#0;&#xD800;", "\n", 99 },
        { "_a_ ", "\n", 20000 },      { "```quiz id=", "", 9000 }, { "[a]: b\n", "", 9000 },
        { "1. ", "\n", 5000 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text body = { 0 };
        repeat(&body, bad[i].what, bad[i].times);
        text_add(&body, bad[i].then);
        survive(&body);
    }
    struct text table = { 0 }; // short rows are filled up: few bytes, many cells
    repeat(&table, "|a", 3000);
    text_add(&table, "|\n");
    repeat(&table, "|-", 3000);
    text_add(&table, "|\n");
    repeat(&table, "x\n", 20000);
    survive(&table);
}

static void what_is_shown_is_clean(void **state)
{
    struct lesson lesson = parse("a\x1b[31mb \xff [x](te&#7;rm)\n\n```c\x1b\n\x1b]0;x\x07\n```\n");
    assert_piece(&lesson.blocks[0], 0, INLINE_TEXT, "a<U+001B>[31mb ? ");
    assert_string_equal(lesson.blocks[0].pieces[1].target, "te<U+0007>rm");
    assert_string_equal(lesson.blocks[1].info, "c<U+001B>");
    assert_string_equal(lesson.blocks[1].text, "<U+001B>]0;x<U+0007>");
    lesson_free(&lesson);
}

static void every_cut_of_a_lesson_is_survived(void **state)
{
    struct text text = { 0 };
    struct error error;
    assert_true(file_read("lessons/06-coalescing/lesson.md", &text, &error));
    for (size_t length = text.length; length > 7; length -= 7) {
        struct lesson lesson;
        text.data[length] = 0;
        if (lesson_parse(&lesson, "6-x/lesson.md", text.data, &error))
            lesson_free(&lesson);
    }
    text_free(&text);
}

// ---- what ships -----------------------------------------------------------------------------------------

static struct lessons shipped(void)
{
    struct lessons lessons;
    struct error error;
    if (!lessons_read("lessons", &lessons, &error))
        fail_msg("%s", error.text);
    return lessons;
}

static void lessons_are_found_by_number_and_name(void **state)
{
    struct lessons lessons = shipped();
    const struct lesson *lesson = lessons_find(&lessons, "6");
    assert_non_null(lesson);
    assert_ptr_equal(lessons_find(&lessons, "06"), lesson);
    assert_ptr_equal(lessons_find(&lessons, "06-coalescing"), lesson);
    assert_ptr_equal(lessons_find(&lessons, "coalescing"), lesson);
    assert_null(lessons_find(&lessons, "99"));
    assert_null(lessons_find(&lessons, ""));
    for (size_t i = 1; i < lessons.count; i++)
        assert_true(lessons.list[i - 1].number < lessons.list[i].number);
    lessons_free(&lessons);
}

static bool target_resolves(const struct lessons *lessons, const struct glossary *glossary,
                            const char *target)
{
    if (string_starts(target, "term:"))
        return glossary_find(glossary, target + 5);
    if (string_starts(target, "lesson:"))
        return lessons_find(lessons, target + 7);
    if (string_starts(target, "lab:"))
        return lab_find(target + 4);
    return string_starts(target, "https://");
}

static void check_pieces(const struct lessons *lessons, const struct glossary *glossary, const char *path,
                         const struct inline_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].kind == INLINE_LINK && !target_resolves(lessons, glossary, pieces[i].target))
            fail_msg("%s: the link %s leads nowhere", path, pieces[i].target);
}

static bool runs_on_cpu(const char *lab, const char *name)
{
    const struct lab *one = lab_find(lab);
    for (size_t i = 0; one && i < one->cpu_count; i++)
        if (strcmp(one->cpu[i].name, name) == 0)
            return true;
    return false;
}

// A variant that a live block names is on one of its lab's ladders.
static void check_place(const char *path, const char *value)
{
    struct ladder ladder;
    struct error error;
    char place[200];
    format_into(place, sizeof place, "%.*s", (int)strcspn(value, " "), value);
    char *slash = strchr(place, '/');
    if (slash)
        *slash = 0;
    if (!ladder_read(place, &ladder, &error))
        fail_msg("%s: %s", path, error.text);
    if (slash && !ladder_find(&ladder, slash + 1) && !runs_on_cpu(place, slash + 1))
        fail_msg("%s: there is no %s", path, value);
    ladder_free(&ladder);
}

static void check_live(const struct lessons *lessons, const struct glossary *glossary, const char *path,
                       const struct live *live)
{
    for (size_t i = 0; i < live->field_count; i++) {
        const struct live_field *field = &live->fields[i];
        if (strcmp(field->key, "show") == 0 || strcmp(field->key, "run") == 0)
            check_place(path, field->value);
        if (strcmp(field->key, "because") != 0)
            continue;
        size_t count;
        struct inline_piece *pieces = pieces_read(field->value, &count);
        check_pieces(lessons, glossary, path, pieces, count);
        pieces_free(pieces, count);
    }
}

static size_t cells(const char *text, size_t length)
{
    size_t count = 0; // of UTF-8, where nothing that ships is wide
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

// What stands in line in a drawing: the places of bars, or of numbers that stand by themselves.
enum { MARKS_MOST = 40 };
static size_t marks_of(const char *line, size_t length, bool bars, size_t marks[MARKS_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < length && count < MARKS_MOST; i++) {
        size_t digits = strspn(line + i, "0123456789");
        bool starts = !i || line[i - 1] == ' ', ends = i + digits == length || line[i + digits] == ' ';
        if (bars ? line[i] == '|' : digits && starts && ends)
            marks[count++] = i;
        i += !bars && digits ? digits - 1 : 0;
    }
    return count;
}

// Of two lines with bars one has its bars where the other has them, and numbers above bars begin at these.
static bool stands_in_line(const char *line, size_t length, const char *below, size_t below_length)
{
    size_t upper[MARKS_MOST], lower[MARKS_MOST], bars = marks_of(below, below_length, true, lower);
    size_t count = marks_of(line, length, true, upper);
    count = count ? count : marks_of(line, length, false, upper);
    if (count < 3 || bars < 3)
        return true;
    for (size_t i = 0; i < count && i < bars; i++)
        if (upper[i] != lower[i])
            return false;
    return true;
}

// An arrow with two heads leads from words to words in its own line; one with a single head may be an axis.
static bool arrow_leads(const char *line, size_t length)
{
    char copy[200];
    format_into(copy, sizeof copy, "%.*s", (int)length, line);
    const char *from = strstr(copy, "<-"), *to = strstr(copy, "->");
    return !from || !to || (strspn(copy, " ") < (size_t)(from - copy) && to[2 + strspn(to + 2, " ")]);
}

static bool drawing_stands(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const char *below = text + length + (text[length] == '\n');
        if (!arrow_leads(text, length) || !stands_in_line(text, length, below, strcspn(below, "\n")))
            return false;
    }
    return true;
}

static void drawings_that_slipped_are_seen(void **state)
{
    assert_true(drawing_stands("at  0        32       64\n    |sector 0|sector 1|sector 2\n"));
    assert_false(drawing_stands("at  0       32      64\n    |sector 0|sector 1|sector 2\n"));
    assert_true(drawing_stands("|- a -|- b -|\n|  1  |  2  |\n"));
    assert_false(drawing_stands("|- a -|- b -|\n|  1 |  2  |\n"));
    assert_true(drawing_stands("CPU  <-- PCIe -->  GPU\n"));
    assert_false(drawing_stands("CPU  <-- PCIe, -->\n      NVLink      GPU\n"));
}

static void check_code(const char *path, const struct lesson_block *block)
{
    for (const char *line = block->text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (cells(line, strcspn(line, "\n")) > 76)
            fail_msg("%s:%d: a line of code is over 76 columns", path, block->line);
    if (strcmp(block->info, "cuda") != 0 && !drawing_stands(block->text))
        fail_msg("%s:%d: a line of the drawing does not stand over the next, or an arrow leads nowhere", path,
                 block->line);
}

static void check_table(const char *path, const struct lesson_block *block)
{
    size_t width = 0;
    for (size_t col = 0; col < block->cols; col++) {
        size_t widest = 0;
        for (size_t row = 0; row < block->rows; row++) {
            const struct table_cell *cell = &block->cells[row * block->cols + col];
            size_t own = 0;
            for (size_t i = 0; i < cell->count; i++)
                own += cells(cell->pieces[i].text, strlen(cell->pieces[i].text));
            widest = own > widest ? own : widest;
        }
        width += widest + 3;
    }
    if (width > 78)
        fail_msg("%s:%d: the table is over 78 columns", path, block->line);
}

static void check_blocks(const struct lessons *lessons, const struct glossary *glossary, const char *path,
                         const struct lesson_block *blocks, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        const struct lesson_block *block = &blocks[b];
        check_pieces(lessons, glossary, path, block->pieces, block->piece_count);
        for (size_t c = 0; c < block->rows * block->cols; c++)
            check_pieces(lessons, glossary, path, block->cells[c].pieces, block->cells[c].count);
        if (block->kind == BLOCK_CODE)
            check_code(path, block);
        if (block->kind == BLOCK_TABLE)
            check_table(path, block);
        if (block->kind == BLOCK_LIVE)
            check_live(lessons, glossary, path, &block->live);
    }
}

static void what_ships_resolves_and_fits(void **state)
{
    struct lessons lessons = shipped();
    struct glossary glossary;
    struct error error;
    assert_true(glossary_read("lessons/glossary", &glossary, &error));
    for (size_t i = 0; i < lessons.count; i++) {
        const struct lesson *lesson = &lessons.list[i];
        check_blocks(&lessons, &glossary, lesson->path, lesson->blocks, lesson->block_count);
        assert_true(strlen(lesson->title) <= 60);
    }
    for (size_t i = 0; i < glossary.count; i++)
        check_blocks(&lessons, &glossary, glossary.list[i].file, glossary.list[i].blocks,
                     glossary.list[i].block_count);
    glossary_free(&glossary);
    lessons_free(&lessons);
}

// So that the file reads well where nothing is typeset, too.
static void check_source(const char *path)
{
    struct text text = { 0 };
    struct error error;
    int number = 1;
    if (!file_read(path, &text, &error))
        fail_msg("%s", error.text);
    for (const char *line = text.data; *line; line += strcspn(line, "\n"), line += *line == '\n', number++)
        if (cells(line, strcspn(line, "\n")) > 80)
            fail_msg("%s:%d: the line is over 80 columns", path, number);
    text_free(&text);
}

static void the_files_have_80_columns(void **state)
{
    struct lessons lessons = shipped();
    struct glossary glossary;
    struct error error;
    assert_true(glossary_read("lessons/glossary", &glossary, &error));
    for (size_t i = 0; i < lessons.count; i++)
        check_source(lessons.list[i].path);
    for (size_t i = 0; i < glossary.count; i++) {
        char path[300];
        format_into(path, sizeof path, "lessons/glossary/%s.md", glossary.list[i].file);
        check_source(path);
    }
    glossary_free(&glossary);
    lessons_free(&lessons);
}

static void lessons_teach_by_asking(void **state)
{
    struct lessons lessons = shipped();
    assert_true(lessons.count >= 2);
    for (size_t i = 0; i < lessons.count; i++) {
        size_t kinds[LIVES] = { 0 };
        for (size_t b = 0; b < lessons.list[i].block_count; b++)
            if (lessons.list[i].blocks[b].kind == BLOCK_LIVE)
                kinds[lessons.list[i].blocks[b].live.kind]++;
        assert_true(kinds[LIVE_PREDICT] && kinds[LIVE_QUIZ] && kinds[LIVE_EXERCISE] && kinds[LIVE_BUGHUNT]);
    }
    lessons_free(&lessons);
}

// "index:" is no text: it says what a section is looked up by.
static void a_heading_has_an_index(void **state)
{
    struct lesson lesson =
        parse("# T\n\n## One\n\n<!-- index: slow kernel,\nL1 size -->\n\nText.\n\n## Two\n");
    assert_int_equal(lesson.block_count, 4);
    assert_string_equal(lesson.blocks[1].index, "slow kernel,\nL1 size");
    assert_int_equal(lesson.blocks[2].kind, BLOCK_PARAGRAPH);
    assert_null(lesson.blocks[3].index);
    lesson_free(&lesson);
    assert_error(FRONT "# T\n\nText.\n\n<!-- index: x -->\n",
                 "6-x/lesson.md:10:6: error: 'index:' follows a heading\n  <!-- index: x -->\n       ^");
    assert_error(FRONT "# T\n\n<!-- indx: x -->\n",
                 "6-x/lesson.md:8:6: error: did you mean 'index:'?\n  <!-- indx: x -->\n       ^");
}

static void a_wrong_choice_may_say_why(void **state)
{
    struct lesson lesson = parse("```quiz id=a\nask: x\nchoice: 1\nnot: Too\n  few.\nchoice: 2\nchoice: 3\n"
                                 "not: Too many.\nright: 2\n```\n");
    const struct live *live = &lesson.blocks[0].live;
    assert_string_equal(live_why_not(live, 0), "Too\nfew.");
    assert_null(live_why_not(live, 1));
    assert_string_equal(live_why_not(live, 2), "Too many.");
    assert_null(live_why_not(live, 3));
    lesson_free(&lesson);
    assert_error(FRONT "```quiz id=a\nask: x\nchoice: 1\nchoice: 2\nnot: No.\nright: 2\n```\n",
                 "6-x/lesson.md:10:1: error: this choice is right\n  not: No.\n  ^");
    assert_error(FRONT "```quiz id=a\nask: x\nnot: No.\nchoice: 1\nchoice: 2\nright: 2\n```\n",
                 "6-x/lesson.md:8:1: error: 'not' says why the choice before it is wrong, and follows it\n"
                 "  not: No.\n  ^");
}

static void a_wrong_number_may_say_why(void **state)
{
    struct lesson lesson = parse("```quiz id=a\nask: How many threads?\nnot: 32: One warp: there are two.\n"
                                 "not: 1,000: Too many.\nright: 64\n```\n"
                                 "```predict id=b\nask: x\nnot: 0.5: Half.\nright: 2\n```\n"
                                 "```quiz id=c\nask: x\nnot: A block: Too large.\nright: a warp\n```\n");
    const struct live *number = &lesson.blocks[0].live, *predict = &lesson.blocks[1].live,
                      *word = &lesson.blocks[2].live;
    const struct {
        const struct live *live;
        json_t *answer;
        const char *why;
    } cases[] = { { number, quiz_typed(number, " 32 threads"), "One warp: there are two." },
                  { number, quiz_typed(number, "1000"), "Too many." },
                  { number, quiz_typed(number, "33"), NULL },
                  { number, json_pack("{s:b, s:b}", "right", 0, "shown", 1), NULL },
                  { predict, predict_typed(predict, ".5"), "Half." },
                  { predict, predict_typed(predict, "5"), NULL },
                  { word, quiz_typed(word, "a BLOCK"), "Too large." } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = answer_why_not(cases[i].live, cases[i].answer);
        assert_string_equal(why ? why : "", cases[i].why ? cases[i].why : "");
        json_decref(cases[i].answer);
    }
    lesson_free(&lesson);
    assert_error(FRONT "```quiz id=a\nask: x\nright: 64\nnot: Too few.\n```\n",
                 "6-x/lesson.md:9:6: error: 'not' has a wrong answer, ':', and why it is wrong, as in "
                 "'not: 32: …'\n  not: Too few.\n       ^");
    assert_error(FRONT "```quiz id=a\nask: x\nright: 64\nnot: few: Too few.\n```\n",
                 "6-x/lesson.md:9:6: error: 'not' has a wrong answer, ':', and why it is wrong, as in "
                 "'not: 32: …'\n  not: few: Too few.\n       ^");
    assert_error(FRONT "```quiz id=a\nask: x\nright: 64\nnot: 64.0: No.\n```\n",
                 "6-x/lesson.md:9:6: error: this answer is right\n  not: 64.0: No.\n       ^");
    assert_error(FRONT "```quiz id=a\nask: x\nright: 64\nnot: 8: No.\nnot: 8.0: No.\n```\n",
                 "6-x/lesson.md:10:6: error: an earlier 'not' has this answer\n  not: 8.0: No.\n       ^");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_says_title_minutes_and_aims),
        cmocka_unit_test(a_wrong_number_may_say_why),
        cmocka_unit_test(drawings_that_slipped_are_seen),
        cmocka_unit_test(headings_of_level_1_begin_parts_but_for_the_title),
        cmocka_unit_test(minutes_are_computed_from_words_and_tasks),
        cmocka_unit_test(a_heading_has_an_index),
        cmocka_unit_test(text_becomes_pieces),
        cmocka_unit_test(lists_quotes_and_rules_keep_their_place),
        cmocka_unit_test(tables_have_rows_of_cells),
        cmocka_unit_test(code_and_notes_are_kept_as_they_are),
        cmocka_unit_test(a_live_block_has_fields_with_lines),
        cmocka_unit_test(a_kind_that_is_misspelt_is_no_code),
        cmocka_unit_test(html_within_a_line_is_an_error),
        cmocka_unit_test(lines_of_code_keep_their_blanks),
        cmocka_unit_test(values_are_text_with_pieces),
        cmocka_unit_test(numbers_come_from_a_record),
        cmocka_unit_test(errors_point),
        cmocka_unit_test(live_blocks_must_make_sense),
        cmocka_unit_test(blocks_that_are_right_are_taken),
        cmocka_unit_test(hostile_text_does_no_harm),
        cmocka_unit_test(what_is_shown_is_clean),
        cmocka_unit_test(every_cut_of_a_lesson_is_survived),
        cmocka_unit_test(lessons_are_found_by_number_and_name),
        cmocka_unit_test(what_ships_resolves_and_fits),
        cmocka_unit_test(a_wrong_choice_may_say_why),
        cmocka_unit_test(the_files_have_80_columns),
        cmocka_unit_test(lessons_teach_by_asking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
