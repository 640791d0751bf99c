// An answer to a task beside what its lesson compares it with: one row each, with the time and what the simulator counts,
// and below the rows where these numbers come from.
#include "tui/text/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// "one core of the CPU     0.026 ms  measured here", in columns as wide as the longest name. `cells` 0: the parts follow
// each other, where there is no room or the page is to be heard. What has a count and no time is a kernel without a GPU.
static void add_row(struct sheet *sheet, const struct beside_row *row, int column, int cells)
{
    enum { TIME = 11 };
    char time[40] = "no GPU", count[40], number[32];
    bool counted = isfinite(row->in_a_row), timed = isfinite(row->ms);
    bool modelled = string_starts(row->how, "modelled");
    enum role role = modelled ? ROLE_SIM : timed ? ROLE_TITLE : ROLE_DIM;
    if (timed) {
        unit_ms(row->ms, number, sizeof number);
        format_into(time, sizeof time, "%s%s%s", modelled ? glyph(sheet->utf8, GLYPH_ABOUT) : "",
                    modelled ? " " : "", number);
    }
    sheet_to(sheet, column);
    sheet_hang(sheet, column + 2);
    sheet_flow(sheet, ROLE_TEXT, "%s", row->what);
    if (!timed && !counted)
        sheet_flow(sheet, ROLE_DIM, ": not known. %s", row->why);
    else if (cells)
        sheet_add(sheet, role, "%*s%s ", cells - text_cells(row->what) + TIME - text_cells(time), "", time);
    else
        sheet_flow(sheet, role, ": %s,", time);
    if (timed)
        sheet_flow(sheet, outcome_role(row->how), " %.*s", (int)strcspn(row->how, ","),
                   modelled                              ? "modelled"
                   : string_starts(row->how, "recorded") ? "recorded"
                                                         : row->how);
    if (counted) {
        unit_count(row->in_a_row, count, sizeof count);
        sheet_flow(sheet, ROLE_SIM, "%s %s instructions in a row", timed ? "," : "", count);
    }
    sheet_end(sheet);
}

static void add_line(struct sheet *sheet, int column, const char *words)
{
    sheet_to(sheet, column);
    sheet_hang(sheet, column);
    sheet_flow(sheet, ROLE_DIM, "%s", words);
}

// Each origin once: "Measured here, on the CPU X. Recorded on Y, 2026-11-21."
static void add_origins(struct sheet *sheet, const struct beside_row *rows, size_t count, int column)
{
    struct text words = { 0 };
    bool counted = false;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < i && strcmp(rows[before].how, rows[i].how) != 0)
            before++;
        if (*rows[i].how && before == i)
            text_addf(&words, "%s%c%s.", words.length ? " " : "", toupper((unsigned char)*rows[i].how),
                      rows[i].how + 1);
        counted |= isfinite(rows[i].in_a_row);
    }
    if (counted)
        text_addf(&words, "%sIn a row: one after the other, as the simulator counts them.",
                  words.length ? " " : "");
    add_line(sheet, column, text_string(&words));
    text_free(&words);
}

void beside_add(struct sheet *sheet, const struct beside_row *rows, size_t count, int column)
{
    enum { WIDE = 64 };
    struct text head = { 0 };
    bool narrow = drawn_flat || sheet->width < WIDE;
    const char *with = "";
    int cells = 0;
    for (size_t i = 0; i < count; i++) {
        cells = text_cells(rows[i].what) > cells ? text_cells(rows[i].what) : cells;
        with = *with ? with : rows[i].with;
    }
    text_addf(&head, "Beside each other%s%s:", *with ? ", with " : "", with);
    add_line(sheet, column, head.data);
    sheet_end(sheet);
    text_free(&head);
    for (size_t i = 0; i < count; i++)
        add_row(sheet, &rows[i], column, narrow ? 0 : cells);
    add_origins(sheet, rows, count, column);
}
