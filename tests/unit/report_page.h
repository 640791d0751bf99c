// What the tests of reports share: a workbook that is made into a report, and a checker of HTML pages.
#ifndef WARPBOOK_TESTS_UNIT_REPORT_PAGE_H
#define WARPBOOK_TESTS_UNIT_REPORT_PAGE_H

#include "tui/command/report.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// ---- a report ----

#define ABOUT(id) "\"lesson\":\"01-warps\",\"id\":\"" id "\""

static const char first_lesson[] = "---\ntitle: Warps\nminutes: 5\nafter: know\n---\n\n"
                                   "```quiz id=lanes\nask: How many lanes has `a warp`?\nchoice: 16\n"
                                   "choice: 32\nright: 2\n```\n\n"
                                   "```predict id=sectors\nask: How many sectors?\nunit: sectors\n"
                                   "run: coalescing/1-unit-stride --on sim\nvalue: counters.gld_sec\n```\n\n"
                                   "```order id=lines\nask: Put it in order.\nline: one\nline: two\n```\n\n"
                                   "```exercise id=add\nask: Add.\nfile: add.cu\nsolution: s.cu\n"
                                   "lab: vecadd\nhint: a\nhint: b\nhint: c\n```\n\n"
                                   "```bughunt id=hunt\nask: Mend.\nfile: gone.cu\nsolution: s.cu\n```\n";
static const char second_lesson[] = "---\ntitle: Banks\nminutes: 5\nafter: know\n---\n\n# Banks\n\n"
                                    "```lab\nshow: banks\n```\n";

struct place {
    char *folder, *path;
    struct lesson list[2];
    struct lessons lessons;
    struct workbook *workbook;
    struct report_page report;
    struct report_options wish;
    struct text page;
};

static inline void parse(struct lesson *lesson, const char *path, const char *text)
{
    struct error error;
    if (!lesson_parse(lesson, path, text, &error))
        fail_msg("%s", error.text);
}

static inline int make_place(void **state)
{
    struct place *place = mem_new(sizeof *place);
    place->folder = mem_copy("/tmp/warpbook-report-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    place->path = path_join(place->folder, "workbook.jsonl");
    parse(&place->list[0], "x/01-warps/lesson.md", first_lesson);
    parse(&place->list[1], "x/02-banks/lesson.md", second_lesson);
    place->lessons = (struct lessons){ .list = place->list, .count = 2 };
    place->wish.now = 1772323200; // 2026-03-01
    *state = place;
    return 0;
}

static inline void forget(struct place *place)
{
    report_free(&place->report);
    workbook_close(place->workbook);
    place->workbook = NULL;
    place->page.length = 0;
}

static inline int drop_place(void **state)
{
    struct place *place = *state;
    forget(place);
    text_free(&place->page);
    lesson_free(&place->list[0]);
    lesson_free(&place->list[1]);
    unlink(place->path);
    rmdir(place->folder);
    free(place->path);
    free(place->folder);
    free(place);
    return 0;
}

static inline void make(struct place *place, const char *lines)
{
    struct error error;
    forget(place);
    assert_true(file_replace(place->path, lines, strlen(lines), &error));
    place->workbook = workbook_open(place->path, &error);
    assert_non_null(place->workbook);
    report_make(&place->report, place->workbook, &place->lessons, &place->wish);
}

static const char *markdown(struct place *place, const char *lines)
{
    make(place, lines);
    report_markdown(&place->report, &place->page);
    return text_string(&place->page);
}

static const char *html(struct place *place, const char *lines)
{
    make(place, lines);
    report_html(&place->report, &place->page);
    return text_string(&place->page);
}

// ---- a page ----

static inline void assert_holds(const char *page, const char *words)
{
    if (!strstr(page, words))
        fail_msg("'%s' is not in:\n%s", words, page);
}

static inline void assert_lacks(const char *page, const char *words)
{
    if (strstr(page, words))
        fail_msg("'%s' is in:\n%s", words, page);
}

enum { DEPTH = 40 };
struct tags {
    char open[DEPTH][20];
    size_t depth, count;
};

static inline size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

// An attribute is NAME="VALUE"; returns what follows the tag's '>'.
static inline const char *read_attributes(const char *at, bool *closed)
{
    *closed = false;
    while (*at && *at != '>') {
        if (*at == '/' && at[1] == '>') {
            *closed = true;
            return at + 2;
        }
        if (*at++ == ' ' && isalpha((unsigned char)*at)) {
            assert_false(string_starts(at, "on")); // no handler
            assert_false(string_starts(at, "src"));
            at += strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789");
            assert_int_equal(at[0], '=');
            assert_int_equal(at[1], '"');
            at = strchr(at + 2, '"');
            assert_non_null(at);
            at++;
        }
    }
    assert_int_equal(*at, '>');
    return at + 1;
}

static inline const char *read_tag(struct tags *tags, const char *at)
{
    bool end = at[1] == '/', closed;
    const char *name = at + 1 + end;
    size_t length = name_length(name);
    if (string_starts(at, "<!DOCTYPE html>"))
        return at + strlen("<!DOCTYPE html>");
    assert_true(length > 0 && length < sizeof *tags->open);
    tags->count++;
    at = read_attributes(name + length, &closed);
    if (end) {
        assert_true(tags->depth > 0);
        const char *last = tags->open[--tags->depth];
        if (strlen(last) != length || strncmp(last, name, length) != 0)
            fail_msg("</%.*s> closes <%s>", (int)length, name, last);
    } else if (!closed) {
        assert_true(tags->depth < DEPTH);
        format_into(tags->open[tags->depth++], sizeof *tags->open, "%.*s", (int)length, name);
    }
    return at;
}

static inline void assert_entity(const char *at)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || string_starts(at, known[i]);
    assert_true(found);
}

// Every tag is closed in its order, every sign that could be one is an entity, and none loads or runs anything.
static inline size_t assert_tags(const char *page)
{
    static const char *const never[] = { "<script", "<a href=\"h", "<iframe", "<img" };
    struct tags tags = { 0 };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_lacks(page, never[i]);
    for (const char *at = page; *at;) {
        unsigned char c = (unsigned char)*at;
        assert_true((c >= 0x20 && c != 0x7f) || c == '\n');
        if (c == '&')
            assert_entity(at);
        assert_int_not_equal(c == '>', 1);
        at = c == '<' ? read_tag(&tags, at) : at + 1;
    }
    assert_int_equal(tags.depth, 0);
    return tags.count;
}

// The same of a page whose text says nothing of that kind either.
static inline size_t assert_page(const char *page)
{
    static const char *const never[] = { "src=", "@import", "url(" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_lacks(page, never[i]);
    return assert_tags(page);
}

static inline size_t times(const char *page, const char *words)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, words)); at++)
        count++;
    return count;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)

#endif
