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

// The columns of messages count bytes of the file; their carets are under what is shown of it.
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

// ---- the opening, and the line that matters first -----------------------------------------------------------

static void openings(void **state)
{
    static const struct {
        const char *text;
        size_t lines;
    } rows[] = {
        { "", 0 },
        { "int x;\n", 0 },
        { "\nint x;\n", 0 },
        { "// one\n// two\nint x;\n", 2 },
        { "\n// one\n// two\nint x;\n", 3 },
        { "// one\n\n// of the kernel\nint x;\n", 1 },
        { "// one\n\n//@ launch k<<<1, 1>>>()\n\n// of the kernel\nint x;\n", 3 },
        { "//@ title a\n// of the kernel\nint x;\n//@ why b\n", 1 },
        { "/* one\n\n two */\n//@ title a\r\nint x;\n", 4 },
        { "/* one\n two */ int x;\n", 0 },
        { "// no end", 1 },
        { "/* no end\n", 2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (listing_opening(rows[i].text) != rows[i].lines)
            fail_msg("%s: %zu lines", rows[i].text, listing_opening(rows[i].text));
}

static const char kernel[] = "// what\n//@ title a\n//@ why b\nint x;\nint y;\nint z;\n";

static void expect_first_row(const struct listing *listing, int width, const char *expected)
{
    struct text row = { 0 };
    struct sheet sheet = listing_sheet(listing, width, true);
    assert_string_equal(sheet_line_text(&sheet, 0, &row), expected);
    for (size_t i = 0; i < sheet.line_count; i++)
        assert_true(text_cells(sheet_line_text(&sheet, i, &row)) <= width);
    sheet_free(&sheet);
    text_free(&row);
}

static void the_opening_folds_where_room_is_short(void **state)
{
    struct listing listing = { .text = kernel, .numbers = true, .items = true, .fold = "f", .rows = 6 };
    expect_first_row(&listing, 60, " 1 // what");
    listing.rows = 5;
    expect_first_row(&listing, 60, "   › 3 lines folded: comment, title, why (f)");
    expect_first_row(&listing, 20, "   › 3 lines folded:");
    listing.text = "// what\n//@ launch k<<<1, 32>>>(\n//@ x, 1)\nint x;\nint y;\nint z;\n";
    expect_first_row(&listing, 60, "   › 3 lines folded: comment, launch (f)");
    listing.text = kernel;
    struct sheet sheet = listing_sheet(&listing, 60, true);
    assert_int_equal(sheet_line_of_item(&sheet, 0), -1);
    assert_int_equal(sheet_line_of_item(&sheet, 2), 0); // one goes up to it from the code
    assert_int_equal(sheet_line_of_item(&sheet, 3), 1);
    sheet_free(&sheet);

    struct record record; // what is wrong within it is never hidden
    record_init(&record);
    record.diagnostics = mem_new(sizeof *record.diagnostics);
    record.diagnostics[record.diagnostic_count++] =
        (struct diagnostic){ SEVERITY_ERROR, 3, 1, mem_copy("no") };
    listing.record = &record;
    expect_first_row(&listing, 60, " 1 // what");
    record.diagnostics[0].line = 4;
    expect_first_row(&listing, 60, "   › 3 lines folded: comment, title, why (f)");
    record_free(&record);
}

static void count_line(struct record *record, int line, double sectors, double sectors_ideal,
                       double wavefronts)
{
    record->lines = array_room(record->lines, record->line_count, sizeof *record->lines);
    struct record_line *at = &record->lines[record->line_count++];
    at->line = line;
    at->counters = (struct record_counters){ .inst = 10, .lanes_per_inst = 32, .gld_req = 1 };
    at->counters.gld_req = sectors > 0;
    at->counters.gld_sec = at->counters.l2_sectors = sectors;
    at->counters.l2_sectors_ideal = sectors_ideal;
    at->counters.sld_inst = at->counters.l1_wave_shared_ideal = wavefronts > 0;
    at->counters.sld_wave = at->counters.l1_wave_shared = wavefronts;
}

// Helpers and kernels that only clear stand before the step's own kernel, and are new as well.
static void a_listing_starts_in_the_step_s_kernel(void **state)
{
    struct text helpers = { 0 };
    text_add(&helpers, "//@ title a\n__global__ void clear(int *p)\n{\n    *p = 0;\n}\n");
    for (int i = 0; i < 10; i++)
        text_addf(&helpers, "__device__ int helper%d;\n", i);
    text_add(&helpers, "__global__ void\nstep(int *p)\n{\n    int one = 1;\n    *p += one;\n}\n");
    struct listing listing = { .text = text_string(&helpers) };
    assert_int_equal(listing_start(&listing, NULL), 15); // nothing is new: where the kernel begins
    listing.before = "//@ title b\n__global__ void\nstep(int *p)\n{\n    *p += one;\n}\n";
    assert_int_equal(listing_start(&listing, NULL), 18);           // "int one", not the helpers
    listing.text = "__global__ void f(int *p);\nint a;\nint b;\n"; // no body, and no end
    listing.before = NULL;
    assert_int_equal(listing_start(&listing, NULL), 0);
    text_free(&helpers);
}

static void a_listing_starts_where_it_matters(void **state)
{
    struct listing listing = { .text = kernel };
    assert_int_equal(listing_start(&listing, NULL), 3); // the code
    listing.before = "// what\n//@ title c\n//@ why b\nint x;\nint w;\nint z;\n";
    assert_int_equal(listing_start(&listing, NULL), 4); // the first line that is new, but for the opening
    struct record record;
    record_init(&record);
    count_line(&record, 5, 4, 4, 0);
    assert_int_equal(listing_start(&listing, &record), 4); // nothing costs more than it needs
    count_line(&record, 6, 8, 4, 32);
    count_line(&record, 4, 16, 4, 1);
    assert_int_equal(listing_start(&listing, &record), 5); // 31 wavefronts too many, against 12 sectors

    listing = (struct listing){ .text = kernel, .record = &record, .margin = true, .numbers = true };
    struct sheet sheet = listing_sheet(&listing, 80, true);
    struct text row = { 0 };
    assert_string_equal(sheet_line_text(&sheet, 4, &row), " 4    10 16s! int x;");
    assert_string_equal(sheet_line_text(&sheet, 5, &row), " 5    10   4s int y;");
    assert_string_equal(sheet_line_text(&sheet, 6, &row), " 6    10 32w! int z;");
    sheet_free(&sheet);
    text_free(&row);
    record_free(&record);
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
        cmocka_unit_test(openings),
        cmocka_unit_test(the_opening_folds_where_room_is_short),
        cmocka_unit_test(a_listing_starts_where_it_matters),
        cmocka_unit_test(a_listing_starts_in_the_step_s_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
