// Where one is in a lesson: the line below the text, and the outline beside it.
#include "tui/view/lesson.h"

// The section that is read: the last one that starts in the upper third.
static size_t section_now(const struct lesson_page *state)
{
    size_t now = 0, end = state->reader.sheet.line_count;
    size_t from = state->reader.top + (size_t)state->reader.rows / 3;
    bool bottom = state->reader.top > 0 && state->reader.top + (size_t)state->reader.rows >= end;
    for (size_t i = 0; i < state->text.section_count; i++)
        if (bottom || (state->reader.top > 0 && state->text.sections[i].line <= from))
            now = i;
    return now;
}

void lesson_draw_where(const struct lesson_page *state, struct area line)
{
    const struct reader *reader = &state->reader;
    char right[80];
    int asked = 0, done = 0;
    size_t now = section_now(state), lines = reader->sheet.line_count,
           seen = reader->top + (size_t)reader->rows;
    for (size_t i = 0; i < state->text.section_count; i++) {
        asked += state->text.sections[i].asked;
        done += state->text.sections[i].done;
    }
    int percent = seen >= lines ? 100 : (int)(100 * seen / lines);
    if (asked)
        format_into(right, sizeof right, "%d of %d answered  %3d %%", done, asked, percent);
    else
        format_into(right, sizeof right, "%3d %%", percent);
    int cells = text_cells(right), room = line.cols - cells - 3;
    area_line(line, 0, ROLE_FRAME);
    int behind = area_put(area_part(line, 0, 0, 1, room), 0, 1, ROLE_DIM, " %zu of %zu ", now + 1,
                          state->text.section_count);
    int title = text_cells(state->text.sections[now].words) + 1;
    if (behind < room)
        area_cell(line, 0, behind, ROLE_TITLE, title < room - behind ? title : room - behind, "%s",
                  state->text.sections[now].words);
    area_put(line, 0, line.cols - cells - 1, ROLE_DIM, " %s", right);
}

static void outline_row(struct sheet *sheet, const struct section *section, bool here)
{
    bool done = section->asked && section->done == section->asked;
    const char *sign = done             ? glyph(sheet->utf8, GLYPH_DONE)
                       : section->asked ? glyph(sheet->utf8, GLYPH_OPEN)
                                        : " ";
    sheet_add(sheet, ROLE_TITLE, "%s ", here ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
    sheet_add(sheet, done ? ROLE_GOOD : ROLE_DIM, "%s ", sign);
    sheet_hang(sheet, 4);
    sheet_flow(sheet, here ? ROLE_TITLE : ROLE_DIM, "%s", section->words);
    sheet_end(sheet);
}

void lesson_draw_outline(const struct lesson_page *state, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    size_t now = section_now(state), line = 0;
    for (size_t i = 0; i < state->text.section_count; i++) {
        if (i == now)
            line = sheet.line_count;
        outline_row(&sheet, &state->text.sections[i], i == now);
    }
    size_t rows = (size_t)area.rows, top = line + 2 > rows ? line + 2 - rows : 0;
    sheet_draw(&sheet, area, top, -1, NULL);
    sheet_free(&sheet);
}
