// The board of a challenge: one's own attempts that came out right, the oldest first, and the best of them. Where an attempt
// was timed, its share of the GPU's ceiling ranks it; elsewhere the number of the first budget does.
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- from the workbook ------------------------------------------------------------------------------------

static double number_in(const json_t *event, const char *key)
{
    const json_t *number = json_object_get(event, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

// False: it is no attempt at a challenge, or did not come out right.
static bool read_row(const json_t *event, struct board_row *out)
{
    struct limit limits[LIMITS_MOST];
    bool kind = event_is(event, "answer") || event_is(event, "attempt");
    if (!kind || !json_is_true(json_object_get(event, "clean")) || !limits_read(event, limits))
        return false;
    *out = (struct board_row){ .event = event,
                               .accepted = json_is_true(json_object_get(event, "right")),
                               .ms = number_in(event, "ms"),
                               .ceiling_pct = number_in(event, "ceiling_pct"),
                               .limit = limits[0] };
    return true;
}

// Better than the other; of equals the older one is better.
static bool beats(const struct board_row *one, const struct board_row *other)
{
    bool timed = isfinite(one->ceiling_pct), other_timed = isfinite(other->ceiling_pct);
    if (one->accepted != other->accepted)
        return one->accepted;
    if (timed != other_timed)
        return timed;
    if (timed)
        return one->ceiling_pct > other->ceiling_pct;
    return one->limit.most ? one->limit.got < other->limit.got : one->limit.got > other->limit.got;
}

struct attempt_board board_read(const struct workbook *workbook, const char *lesson, const char *id)
{
    struct attempt_board board = { .lesson = lesson, .id = id };
    for (size_t i = 0; workbook && i < workbook_count(workbook); i++) {
        struct board_row row;
        if (!workbook_about(workbook, i, lesson, id) || !read_row(workbook_event(workbook, i), &row))
            continue;
        board.rows = array_room(board.rows, board.count, sizeof *board.rows);
        board.rows[board.count] = row;
        if (beats(&row, &board.rows[board.best]))
            board.best = board.count;
        board.count++;
    }
    return board;
}

void board_free(struct attempt_board *board)
{
    free(board->rows);
    *board = (struct attempt_board){ 0 };
}

// ---- cells ------------------------------------------------------------------------------------------------

void board_cells(const struct attempt_board *board, size_t row, struct board_cells *out)
{
    const struct board_row *attempt = &board->rows[row];
    struct tm at;
    *out = (struct board_cells){ { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    if (event_time(attempt->event, &at))
        strftime(out->date, sizeof out->date, "%Y-%m-%d %H:%M", &at);
    format_into(out->result, sizeof out->result, "%s",
                !attempt->accepted   ? attempt->limit.met ? "missed another" : "not enough"
                : row == board->best ? "best"
                                     : "accepted");
    if (isfinite(attempt->ms))
        unit_ms(attempt->ms, out->time, sizeof out->time);
    if (isfinite(attempt->ceiling_pct))
        format_into(out->ceiling, sizeof out->ceiling, "%.1f %%", attempt->ceiling_pct);
    if (isfinite(attempt->limit.got))
        format_into(out->count, sizeof out->count, "%.4g", attempt->limit.got);
}

// ---- lines ------------------------------------------------------------------------------------------------

enum { DATE_AT = 4, RESULT_AT = 22, TIME_END = 44, CEILING_END = 54, COUNT_END = 65, COUNT_AT = 57 };

static void put_end(struct sheet *sheet, enum role role, int end, const char *words)
{
    sheet_to(sheet, end - text_cells(words));
    sheet_add(sheet, role, "%s", words);
}

static bool is_timed(const struct attempt_board *board)
{
    bool timed = false;
    for (size_t i = 0; i < board->count; i++)
        timed |= isfinite(board->rows[i].ms);
    return timed;
}

// Which limit an attempt did not keep to, where it is another than the first, which has a column.
static void add_missed(struct sheet *sheet, const struct board_row *row)
{
    struct limit limits[LIMITS_MOST];
    size_t count = limits_read(row->event, limits), missed = 0;
    struct text words = { 0 };
    while (missed < count && (limits[missed].met || !isfinite(limits[missed].got)))
        missed++;
    if (!missed || missed == count)
        return;
    limit_missed_words(&limits[missed], &words);
    sheet_to(sheet, RESULT_AT);
    sheet_hang(sheet, RESULT_AT);
    sheet_flow(sheet, ROLE_DIM, "%s", text_string(&words));
    sheet_end(sheet);
    text_free(&words);
}

static void add_row(struct sheet *sheet, const struct attempt_board *board, size_t row, bool timed)
{
    struct board_cells cells;
    bool best = row == board->best && board->rows[row].accepted;
    board_cells(board, row, &cells);
    sheet_to(sheet, DATE_AT);
    sheet_add(sheet, ROLE_DIM, "%s", cells.date);
    sheet_to(sheet, RESULT_AT);
    sheet_add(sheet, best ? ROLE_GOOD : ROLE_TEXT, "%s", cells.result);
    if (timed) {
        put_end(sheet, ROLE_GPU, TIME_END, cells.time);
        put_end(sheet, ROLE_TEXT, CEILING_END, cells.ceiling);
    }
    put_end(sheet, ROLE_SIM, timed ? COUNT_END : TIME_END, cells.count);
    sheet_end(sheet);
    if (!board->rows[row].accepted)
        add_missed(sheet, &board->rows[row]);
}

void board_add(struct sheet *sheet, const struct attempt_board *board, size_t most)
{
    bool timed = is_timed(board);
    size_t first = board->count > most ? board->count - most : 0;
    if (!board->count)
        return;
    sheet_to(sheet, DATE_AT);
    sheet_hang(sheet, DATE_AT);
    sheet_flow(sheet, ROLE_DIM, "Your attempts that came out right: %s%s",
               timed ? "time, share of the ceiling, " : "", board->rows[board->count - 1].limit.what);
    sheet_end(sheet);
    if (first > board->best && board->rows[board->best].accepted)
        add_row(sheet, board, board->best, timed);
    for (size_t i = first; i < board->count; i++)
        add_row(sheet, board, i, timed);
}

// ---- all boards -------------------------------------------------------------------------------------------

bool boards_add(struct sheet *sheet, const struct workbook *workbook, struct links *links)
{
    enum { ROWS = 10 };
    struct board_row row;
    bool some = false;
    for (size_t i = workbook_count(workbook); i-- > 0;) {
        const json_t *event = workbook_event(workbook, i);
        const char *lesson = event_text(event, "lesson"), *id = event_text(event, "id");
        bool newest = read_row(event, &row);
        for (size_t j = i + 1; newest && j < workbook_count(workbook); j++)
            newest = !workbook_about(workbook, j, lesson, id) || !read_row(workbook_event(workbook, j), &row);
        if (!newest)
            continue;
        struct attempt_board board = board_read(workbook, lesson, id);
        sheet_gap(sheet);
        if (!strpbrk(lesson, "\"\\") && !strpbrk(id, "\"\\"))
            sheet->item = links_add(links, "lesson \"%s\" \"%s\"", lesson, id);
        sheet_add(sheet, ROLE_TITLE, " %s %s", lesson, id);
        sheet->item = -1;
        sheet_end(sheet);
        board_add(sheet, &board, ROWS);
        board_free(&board);
        some = true;
    }
    return some;
}
