// The board of a challenge: which events are attempts, which of them is the best, and how they are written.
#include "tui/text/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct board_book {
    char folder[40], *path;
    struct text lines;
    struct workbook *workbook;
    struct attempt_board board;
};

static int open_book(void **state)
{
    struct board_book *book = *state = mem_new(sizeof *book);
    strcpy(book->folder, "/tmp/warpbook-board-XXXXXX");
    assert_non_null(mkdtemp(book->folder));
    book->path = path_join(book->folder, "workbook.jsonl");
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static int close_book(void **state)
{
    struct board_book *book = *state;
    board_free(&book->board);
    workbook_close(book->workbook);
    text_free(&book->lines);
    unlink(book->path);
    rmdir(book->folder);
    free(book->path);
    free(book);
    return 0;
}

// An attempt at 08-x/sum on this day of March; `more`: further keys.
static void attempt(struct board_book *book, int day, bool right, double got, const char *more)
{
    text_addf(&book->lines,
              "{\"kind\":\"%s\",\"date\":\"2026-03-%02dT09:30:00Z\",\"lesson\":\"08-x\",\"id\":\"sum\","
              "\"right\":%s,"
              "\"clean\":true,\"limits\":[{\"what\":\"loads for each int\",\"most\":0.04,\"got\":%g}]%s}\n",
              day % 2 ? "answer" : "attempt", day, right ? "true" : "false", got, more);
}

static const struct attempt_board *board_of(struct board_book *book)
{
    struct error error;
    assert_true(file_replace(book->path, text_string(&book->lines), book->lines.length, &error));
    book->workbook = workbook_open(book->path, &error);
    assert_non_null(book->workbook);
    book->board = board_read(book->workbook, "08-x", "sum");
    return &book->board;
}

static void expect_row(const struct attempt_board *board, size_t row, const char *words)
{
    struct board_cells cells;
    struct text said = { 0 };
    board_cells(board, row, &cells);
    text_addf(&said, "%s|%s|%s|%s|%s", cells.date, cells.result, cells.time, cells.ceiling, cells.count);
    assert_string_equal(said.data, words);
    text_free(&said);
}

static void the_share_of_the_ceiling_ranks(void **state)
{
    struct board_book *book = *state;
    attempt(book, 1, true, 0.001, ""); // without a GPU
    attempt(book, 2, true, 0.03, ",\"ms\":0.2,\"ceiling_pct\":80.5");
    attempt(book, 3, true, 0.03, ",\"ms\":0.1,\"ceiling_pct\":97.75");
    attempt(book, 4, false, 0.03, ",\"ms\":0.05,\"ceiling_pct\":99");
    const struct attempt_board *board = board_of(book);
    assert_int_equal(board->count, 4);
    assert_int_equal(board->best, 2);
    expect_row(board, 0, "2026-03-01 09:30|accepted|||0.001");
    expect_row(board, 2, "2026-03-03 09:30|best|0.100 ms|97.8 %|0.03");
    expect_row(board, 3, "2026-03-04 09:30|missed another|0.050 ms|99.0 %|0.03");
}

static void without_a_clock_the_first_number_ranks(void **state)
{
    struct board_book *book = *state;
    attempt(book, 1, false, 0.5, "");
    attempt(book, 2, true, 0.03, "");
    attempt(book, 3, true, 0.02, "");
    attempt(book, 4, true, 0.02, "");
    const struct attempt_board *board = board_of(book);
    assert_int_equal(board->best, 2); // of equals the first
    expect_row(board, 0, "2026-03-01 09:30|not enough|||0.5");
    expect_row(board, 2, "2026-03-03 09:30|best|||0.02");
}

static void no_board_has_a_best_that_was_not_accepted(void **state)
{
    struct board_book *book = *state;
    attempt(book, 1, false, 0.5, "");
    expect_row(board_of(book), 0, "2026-03-01 09:30|not enough|||0.5");
}

// An older workbook, other lessons, a wrong result, and lines that mean nothing.
static void what_is_no_attempt_is_not_on_it(void **state)
{
    struct board_book *book = *state;
    text_add(&book->lines,
             "{\"kind\":\"answer\",\"date\":\"2026-03-01T09:30:00Z\",\"lesson\":\"08-x\",\"id\":\"sum\","
             "\"right\":true}\n"
             "{\"kind\":\"answer\",\"lesson\":\"08-x\",\"id\":\"sum\",\"right\":true,\"clean\":false,"
             "\"limits\":[{\"what\":"
             "\"w\",\"most\":1,\"got\":0.5}]}\n"
             "{\"kind\":\"run\",\"lesson\":\"08-x\",\"id\":\"sum\",\"clean\":true,\"limits\":[{\"what\":"
             "\"w\",\"most\":1}]}\n"
             "{\"kind\":\"answer\",\"lesson\":\"08-x\",\"id\":\"sum\",\"clean\":true,\"limits\":[7,{\"most\":"
             "1}]}\n"
             "{\"kind\":\"answer\",\"lesson\":\"08-x\",\"id\":\"sum\",\"clean\":true,\"limits\":{}}\n"
             "{\"kind\":\"answer\",\"lesson\":\"08-x\",\"id\":\"other\",\"right\":true,\"clean\":true,"
             "\"limits\":[{\"what\":"
             "\"w\",\"most\":1,\"got\":0.5}]}\n"
             "torn{\n");
    assert_int_equal(board_of(book)->count, 0);
}

static void numbers_that_are_none_are_left_out(void **state)
{
    struct board_book *book = *state;
    text_add(&book->lines,
             "{\"kind\":\"answer\",\"date\":\"yesterday\",\"lesson\":\"08-x\",\"id\":\"sum\",\"right\":true,"
             "\"clean\":true,\"ms\":\"fast\",\"ceiling_pct\":[],\"limits\":[{\"what\":\"w\",\"most\":1}]}\n");
    const struct attempt_board *board = board_of(book);
    assert_int_equal(board->count, 1);
    expect_row(board, 0, "|best|||");
}

static void the_best_stays_in_sight(void **state)
{
    struct board_book *book = *state;
    struct sheet sheet = sheet_new(80, true);
    struct text line = { 0 };
    attempt(book, 1, true, 0.01, "");
    for (int day = 2; day < 9; day++)
        attempt(book, day, true, 0.03, "");
    board_add(&sheet, board_of(book), 3);
    assert_int_equal(sheet.line_count, 5); // a head, the best, the last three
    assert_non_null(strstr(sheet_line_text(&sheet, 1, &line), "2026-03-01 09:30  best"));
    assert_non_null(strstr(sheet_line_text(&sheet, 4, &line), "2026-03-08"));
    text_free(&line);
    sheet_free(&sheet);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_book, close_book)
    const struct CMUnitTest tests[] = {
        TEST(the_share_of_the_ceiling_ranks),
        TEST(without_a_clock_the_first_number_ranks),
        TEST(no_board_has_a_best_that_was_not_accepted),
        TEST(what_is_no_attempt_is_not_on_it),
        TEST(numbers_that_are_none_are_left_out),
        TEST(the_best_stays_in_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
