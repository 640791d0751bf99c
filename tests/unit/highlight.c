// CUDA C in roles, a line at a time.
#include "tui/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char letters[ROLES] = {
    [ROLE_TEXT] = '.',   [ROLE_KEYWORD] = 'k', [ROLE_TYPE] = 't',    [ROLE_BUILTIN] = 'b',
    [ROLE_NUMBER] = 'n', [ROLE_STRING] = 's',  [ROLE_COMMENT] = 'c', [ROLE_DIRECTIVE] = 'd',
};

struct highlighted {
    const char *next; // where the next piece must begin
    struct text roles;
};

static void put(void *context, enum role role, const char *at, size_t bytes)
{
    struct highlighted *seen = context;
    assert_ptr_equal(at, seen->next);
    assert_true(bytes > 0);
    for (size_t i = 0; i < bytes; i++)
        text_add_n(&seen->roles, &letters[role], 1);
    seen->next = at + bytes;
}

static void expect_within(const char *line, const char *roles, bool before, bool after)
{
    struct highlighted seen = { .next = line };
    bool comment = before;
    highlight_line(line, strlen(line), &comment, put, &seen);
    assert_string_equal(text_string(&seen.roles), roles);
    assert_ptr_equal(seen.next, line + strlen(line)); // every byte, once, in order
    assert_int_equal(comment, after);
    text_free(&seen.roles);
}

static void expect(const char *line, const char *roles)
{
    expect_within(line, roles, false, false);
}

static void words(void **state)
{
    expect("", "");
    expect("if (x) return;", "kk.....kkkkkk.");
    expect("const unsigned n;", "kkkkk.tttttttt...");
    expect("float4 v; dim3 g; uint5 x", "tttttt....tttt...........");
    expect("size_t i", "tttttt..");
    expect("int ints;", "ttt......");
    expect("__global__ void f", "bbbbbbbbbb.tttt..");
    expect("threadIdx.x", "bbbbbbbbb..");
    expect("__syncthreads();", "bbbbbbbbbbbbb...");
    expect("atomicAdd(atomic)", "bbbbbbbbb........");
    expect("make_int2(make_it)", "bbbbbbbbb.........");
}

static void numbers(void **state)
{
    expect("1.5e-3f+.5", "nnnnnnn.nn");
    expect("0x1fu-1", "nnnnn.n");
    expect("0xe+1", "nnn.n");
    expect("1e+5+x", "nnnn..");
    expect("a[1].y", "..n...");
    expect("x1", "..");
    expect("1'000'000", "nnnnnnnnn");
}

static void literals_and_comments(void **state)
{
    expect("\"a // b\" // c", "ssssssss.cccc");
    expect("'\\'' x", "ssss..");
    expect("\"open", "sssss");
    expect("a /* b */ c", "..ccccccc..");
}

static void comments_over_lines(void **state)
{
    expect_within("a /* b", "..cccc", false, true);
    expect_within("b", "c", true, true);
    expect_within("", "", true, true);
    expect_within("b */ int", "cccc.ttt", true, false);
    expect_within("*/ a /* b", "cc...cccc", true, true);
    expect_within("/*/", "ccc", false, true); // not closed by its own sign
    expect_within("// /*", "ccccc", false, false);
}

static void directives(void **state)
{
    expect("//@ launch f<<<1, 2>>>()", "dddddddddddddddddddddddd");
    expect("#include <a.h>", "dddddddddddddd");
    expect("  #define N 4 // four", "ddddddddddddddccccccc");
}

static void any_bytes(void **state)
{
    struct highlighted seen = { 0 };
    char line[257];
    bool comment = false;
    for (int i = 0; i < 257; i++)
        line[i] = (char)i;
    seen.next = line;
    highlight_line(line, sizeof line, &comment, put, &seen);
    assert_int_equal(seen.roles.length, sizeof line);
    text_free(&seen.roles);
}

// The columns of messages count bytes of the file; their carets stand under what is shown of it.
static void carets_stand_under_what_is_shown(void **state)
{
    struct record record;
    struct text line = { 0 };
    record_init(&record);
    record.diagnostics = mem_new(sizeof *record.diagnostics);
    record.diagnostics[record.diagnostic_count++] =
        (struct diagnostic){ SEVERITY_ERROR, 1, 7, mem_copy("no x") };
    struct listing listing = { .text = "\ta \u202ex;\r\n", .record = &record };
    struct sheet sheet = listing_sheet(&listing, 60, true);
    assert_string_equal(sheet_line_text(&sheet, 0, &line), "     a <U+202E>x;");
    assert_string_equal(sheet_line_text(&sheet, 1, &line), "               ^ error: no x");
    sheet_free(&sheet);
    record_free(&record);
    text_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(numbers),
        cmocka_unit_test(literals_and_comments),
        cmocka_unit_test(comments_over_lines),
        cmocka_unit_test(directives),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(carets_stand_under_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
