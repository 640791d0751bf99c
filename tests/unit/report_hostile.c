// Text that means harm stays text in a report: as Markdown, which is read back to see, and as a page of HTML.
#include "lessons/markdown.h"
#include "tests/unit/report_page.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const hostile[] = {
    "<script>alert('x')</script>",
    "</style></title><svg onload=x>",
    "a|b||c|",
    "`tick` ``` `",
    "**bold** *it* __b__ _i_",
    "[l](javascript:x) ![i](y)",
    "&lt; &amp; &#60; & &bogus;",
    "\\ \\| \\\\ end\\",
    "# head",
    "- item",
    "+ item",
    "1. one",
    "2) two",
    "---",
    "~~~ ~~x~~",
    "$x$ $$",
    "snake_case __global__ _x",
    "]]> --> <!-- <?x",
    "> quote",
    "=== x",
    "<http://x.y> <a@b.c>",
    "'\"'\"",
    "%s %n %d",
    "a  b   c",
    "<U+202E> bidi \xf0\x9f\x8e\x89",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

// The words of the nth block of a kind in a Markdown page; reading fails where HTML got through.
static char *words_of(const char *page, enum block_kind kind, size_t cell)
{
    const struct source source = { "report.md", page };
    struct blocks blocks = { 0 };
    struct error error;
    struct text words = { 0 };
    if (!markdown_parse(&source, page, NULL, NULL, &blocks, &error))
        fail_msg("%s\n%s", error.text, page);
    assert_int_equal(blocks.count, 1);
    const struct lesson_block *block = &blocks.list[0];
    assert_int_equal(block->kind, kind);
    if (kind == BLOCK_TABLE) {
        assert_int_equal(block->rows, 2);
        assert_int_equal(block->cols, 3);
        pieces_text(block->cells[cell].pieces, block->cells[cell].count, &words);
    } else {
        pieces_text(block->pieces, block->piece_count, &words);
    }
    blocks_free(blocks.list, blocks.count);
    return text_take(&words);
}

// What a reader of the page sees: its text without tags, entities as the signs they are.
static void read_page(const char *page, struct text *out)
{
    static const char *const entities[][2] = {
        { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&#39;", "'" },
    };
    for (const char *at = strstr(page, "<main>"); *at;) {
        const char *from = at;
        if (*at == '<')
            at = strchr(at, '>') + 1;
        for (size_t i = 0; at == from && i < sizeof entities / sizeof *entities; i++)
            if (string_starts(at, entities[i][0])) {
                text_add(out, entities[i][1]);
                at += strlen(entities[i][0]);
            }
        if (at == from)
            text_addf(out, "%c", *at++);
    }
}

static void assert_survives(struct report_page *report, enum block_kind kind, size_t cell, const char *want)
{
    struct text page = { 0 };
    report_markdown(report, &page);
    char *words = words_of(text_string(&page), kind, cell);
    if (strcmp(words, want) != 0)
        fail_msg("'%s' became '%s' in: %s", want, words, page.data);
    free(words);
    page.length = 0;
    report_html(report, &page);
    assert_page(page.data);
    struct text seen = { 0 };
    read_page(page.data, &seen);
    assert_holds(text_string(&seen), want);
    text_free(&seen);
    text_free(&page);
}

static void survives_everywhere(const char *words)
{
    static const char *const head[] = { "a", "b", "c" };
    struct report_page report = { 0 };
    report_words(&report, ROLE_TEXT, "%s", words);
    assert_survives(&report, BLOCK_PARAGRAPH, 0, words);
    report_free(&report);
    report_item(&report, ROLE_TEXT, "%s", words);
    assert_survives(&report, BLOCK_ITEM, 0, words);
    report_free(&report);
    report_heading(&report, 2, "%s", words);
    assert_survives(&report, BLOCK_HEADING, 0, words);
    report_free(&report);
    for (int code = 0; code < 2; code++) {
        report_table(&report, head, 3, 0);
        report_cell(&report, ROLE_TEXT, "left");
        report_cell(&report, code ? ROLE_CODE : ROLE_TEXT, "%s", words);
        report_cell(&report, ROLE_TEXT, "right");
        assert_survives(&report, BLOCK_TABLE, 4, words);
        report_free(&report);
    }
    report_item(&report, ROLE_CODE, "%s", words);
    assert_survives(&report, BLOCK_ITEM, 0, words);
    report_free(&report);
}

static void hostile_text_stays_text(void **state)
{
    for (size_t i = 0; i < HOSTILE; i++)
        survives_everywhere(hostile[i]);
}

static void any_mixture_of_signs_stays_text(void **state)
{
    static const char signs[] = "\\`*_{}[]<>()#+-.!|~&$=:;\"'/^@% ab1";
    unsigned chance = 1;
    for (int round = 0; round < 1500; round++) {
        char words[16] = "";
        size_t length = 1 + (size_t)round % 12;
        for (size_t i = 0; i < length; i++) {
            chance = chance * 1103515245 + 12345;
            words[i] = signs[(chance >> 16) % (sizeof signs - 1)];
        }
        words[0] = words[0] == ' ' ? 'x' : words[0]; // blanks at the ends mean nothing
        words[length - 1] = words[length - 1] == ' ' ? 'x' : words[length - 1];
        survives_everywhere(words);
    }
}

static void control_characters_and_broken_text_do_nothing(void **state)
{
    struct report_page report = { 0 };
    report_item(&report, ROLE_TEXT, "a\x1b[31m\x07\x7f\nb\tc\r \xff\xc2\x9b e");
    assert_survives(&report, BLOCK_ITEM, 0, "a<U+001B>[31m<U+0007><U+007F> b c<U+000D> ?<U+009B> e");
    report_free(&report);
}

static void names_of_steps_cannot_leave_a_chart(void **state)
{
    struct report_page report = { 0 };
    struct text page = { 0 };
    report_chart(&report, "</text> ``` chart");
    report_bar(&report, ROLE_CPU, 1, "```</text>&<b>");
    report_bar(&report, ROLE_GPU, 20,
               "a very long name \xf0\x9f\x8e\x89\xf0\x9f\x8e\x89 of a step that does not fit there");
    report_bar(&report, ROLE_GPU, 0.0 / 1, "no time");
    assert_int_equal(report.marks[0].bar_count, 2);
    report_markdown(&report, &page);
    assert_holds(page.data, "````text\n```</text>&<b>");
    page.length = 0;
    report_html(&report, &page);
    assert_page(page.data);
    assert_holds(page.data, "\xe2\x80\xa6</text>");
    text_free(&page);
    report_free(&report);
}

static void lines_of_code_keep_their_form(void **state)
{
    struct report_page report = { 0 };
    struct text page = { 0 };
    report_code(&report, "int a;\n\n  ``` <b> & \x1b[1m\n");
    report_markdown(&report, &page);
    assert_string_equal(page.data, "````cuda\nint a;\n\n  ``` <b> & <U+001B>[1m\n````\n");
    page.length = 0;
    report_html(&report, &page);
    assert_holds(page.data, "<pre><code class=\"language-cuda\">int a;\n\n  ``` &lt;b&gt; &amp; "
                            "&lt;U+001B&gt;[1m\n</code></pre>");
    assert_page(page.data);
    text_free(&page);
    report_free(&report);
}

static void hostile_events_make_sound_pages(void **state)
{
    struct text lines = { 0 };
    for (size_t i = 0; i < HOSTILE; i++) {
        json_t *words = json_string(hostile[i]);
        char *quoted = json_dumps(words, JSON_ENCODE_ANY);
        text_addf(&lines, "{\"kind\":\"note\",\"page\":%s,\"text\":%s}\n", quoted, quoted);
        text_addf(&lines, "{\"kind\":\"answer\",\"lesson\":%s,\"id\":%s,\"typed\":%s}\n", quoted, quoted,
                  quoted);
        text_addf(&lines, "{\"kind\":\"answer\"," ABOUT("lanes") ",\"typed\":%s}\n", quoted);
        text_addf(&lines,
                  "{\"kind\":\"run\",\"lab\":%s,\"variant\":%s,\"title\":%s,\"backend\":\"gpu\",\"status\":"
                  "\"right\","
                  "\"device\":%s,\"data\":%s,\"median_ms\":%zu,\"message\":%s,\"params\":{%s:1}}\n",
                  i % 2 ? quoted : "\"vecadd\"", quoted, quoted, quoted, i % 3 ? "\"d\"" : quoted, i + 1,
                  quoted, quoted);
        text_addf(&lines, "{\"kind\":\"edit\",\"lab\":%s,\"variant\":%s,\"date\":%s}\n{\"kind\":%s}\n",
                  quoted, quoted, quoted, quoted);
        free(quoted);
        json_decref(words);
    }
    struct place *place = *state;
    place->wish.name = hostile[0];
    assert_page(html(place, lines.data));
    const char *page = markdown(place, lines.data);
    const struct source source = { "report.md", page };
    struct blocks blocks = { 0 };
    struct error error;
    if (!markdown_parse(&source, page, NULL, NULL, &blocks, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < blocks.count; i++)
        assert_true(blocks.list[i].kind == BLOCK_HEADING || blocks.list[i].kind == BLOCK_PARAGRAPH ||
                    blocks.list[i].kind == BLOCK_ITEM || blocks.list[i].kind == BLOCK_TABLE ||
                    blocks.list[i].kind == BLOCK_CODE);
    blocks_free(blocks.list, blocks.count);
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_stays_text),
        cmocka_unit_test(any_mixture_of_signs_stays_text),
        cmocka_unit_test(control_characters_and_broken_text_do_nothing),
        cmocka_unit_test(names_of_steps_cannot_leave_a_chart),
        cmocka_unit_test(lines_of_code_keep_their_form),
        TEST(hostile_events_make_sound_pages),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
