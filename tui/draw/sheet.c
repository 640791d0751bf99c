// Lines of text with roles and items. Made once for a width; printed on paper or drawn from any line on.
#include "tui/draw/draw.h"

#include <stdlib.h>
#include <string.h>

struct sheet sheet_new(int width, bool utf8)
{
    return (struct sheet){ .width = width > 1 ? width : 1, .utf8 = utf8, .item = -1 };
}

void sheet_free(struct sheet *sheet)
{
    text_free(&sheet->text);
    free(sheet->spans);
    free(sheet->lines);
    *sheet = (struct sheet){ 0 };
}

// ---- adding -----------------------------------------------------------------------------------------------

static size_t first_of_open_line(const struct sheet *sheet)
{
    if (!sheet->line_count)
        return 0;
    const struct sheet_line *last = &sheet->lines[sheet->line_count - 1];
    return last->first + last->count;
}

void sheet_add_n(struct sheet *sheet, enum role role, const char *text, size_t length)
{
    struct text clean = { 0 };
    text_add_clean(&clean, text, length);
    for (size_t i = 0; i < clean.length; i++)
        if (clean.data[i] == '\n' || clean.data[i] == '\t')
            clean.data[i] = ' ';
    if (clean.length) {
        sheet->spans = array_room(sheet->spans, sheet->span_count, sizeof *sheet->spans);
        sheet->spans[sheet->span_count++] =
            (struct span){ sheet->text.length, clean.length, (uint8_t)role, sheet->item };
        text_add_n(&sheet->text, clean.data, clean.length);
        sheet->used += text_cells(clean.data);
    }
    text_free(&clean);
}

void sheet_add(struct sheet *sheet, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    sheet_add_n(sheet, role, text_string(&text), text.length);
    text_free(&text);
}

static void blanks(struct sheet *sheet, int count)
{
    int item = sheet->item;
    sheet->item = -1;
    for (; count > 0; count -= 32)
        sheet_add(sheet, ROLE_TEXT, "%*s", count < 32 ? count : 32, "");
    sheet->item = item;
}

void sheet_to(struct sheet *sheet, int column)
{
    blanks(sheet, column > sheet->used ? column - sheet->used : 1);
}

void sheet_end(struct sheet *sheet)
{
    size_t first = first_of_open_line(sheet);
    sheet->lines = array_room(sheet->lines, sheet->line_count, sizeof *sheet->lines);
    sheet->lines[sheet->line_count++] = (struct sheet_line){ first, sheet->span_count - first };
    sheet->used = 0;
    sheet->hang = 0;
    sheet->glue = false;
}

void sheet_gap(struct sheet *sheet)
{
    if (sheet->line_count && sheet->lines[sheet->line_count - 1].count)
        sheet_end(sheet);
}

// ---- text that flows --------------------------------------------------------------------------------------

void sheet_hang(struct sheet *sheet, int hang)
{
    sheet->hang = hang < sheet->width / 2 ? hang : sheet->width / 2;
    sheet->glue = true;
}

static void carry_over(struct sheet *sheet)
{
    int hang = sheet->hang;
    sheet_end(sheet);
    sheet->hang = hang;
    sheet->glue = true;
    blanks(sheet, hang);
}

// A word that no line can hold is cut where the line ends.
static void add_long(struct sheet *sheet, enum role role, const char *word, size_t length)
{
    while (length) {
        size_t fits = text_fit_n(word, length, sheet->width - sheet->used);
        if (!fits && sheet->used <= sheet->hang)
            fits = text_fit_n(word, length, 2) ? text_fit_n(word, length, 2) : length;
        if (fits)
            sheet_add_n(sheet, role, word, fits);
        word += fits;
        length -= fits;
        if (length)
            carry_over(sheet);
    }
}

static void add_word(struct sheet *sheet, enum role role, const char *word, size_t length, bool apart)
{
    int cells = text_cells_n(word, length);
    if (apart && !sheet->glue) {
        if (sheet->used + 1 + cells > sheet->width)
            carry_over(sheet);
        else
            sheet_add(sheet, role == ROLE_LINK || role == ROLE_CODE ? ROLE_TEXT : role, " ");
    } else if (sheet->used + cells > sheet->width && sheet->used > sheet->hang) {
        carry_over(sheet);
    }
    add_long(sheet, role, word, length);
    sheet->glue = false;
}

void sheet_add_cut(struct sheet *sheet, enum role role, const char *words)
{
    int room = sheet->width - sheet->used;
    size_t fits = text_fit(words, room);
    if (words[fits])
        fits = text_fit(words, room - 1);
    sheet_add_n(sheet, role, words, fits);
    if (words[fits])
        sheet_add(sheet, role, "%s", glyph(sheet->utf8, GLYPH_ELLIPSIS));
}

void sheet_flow_n(struct sheet *sheet, enum role role, const char *text, size_t length)
{
    bool apart = false;
    for (size_t at = 0; at < length;) {
        size_t word = at;
        while (word < length && (text[word] == ' ' || text[word] == '\n' || text[word] == '\t'))
            word++;
        apart |= word > at;
        size_t end = word;
        while (end < length && text[end] != ' ' && text[end] != '\n' && text[end] != '\t')
            end++;
        if (end > word)
            add_word(sheet, role, text + word, end - word, apart);
        if (end == word && apart && !sheet->glue && sheet->used < sheet->width) { // blanks at the end
            sheet_add(sheet, ROLE_TEXT, " ");
            sheet->glue = true;
        }
        apart = false;
        at = end;
    }
}

void sheet_flow(struct sheet *sheet, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    sheet_flow_n(sheet, role, text_string(&text), text.length);
    text_free(&text);
}

void sheet_paragraph(struct sheet *sheet, enum role role, int indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            blanks(sheet, indent < sheet->width / 2 ? indent : sheet->width / 2);
            sheet_hang(sheet, indent);
            sheet_flow_n(sheet, role, text, length);
        }
        sheet_end(sheet);
        text += length + (text[length] == '\n');
    }
}

void sheet_lines(struct sheet *sheet, enum role role, int indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        blanks(sheet, length ? indent : 0);
        sheet_add_n(sheet, role, text, length);
        sheet_end(sheet);
        text += length + (text[length] == '\n');
    }
}

void sheet_rule(struct sheet *sheet)
{
    struct text line = { 0 };
    for (int i = sheet->used; i < sheet->width; i++)
        text_add(&line, glyph(sheet->utf8, GLYPH_HORIZONTAL));
    sheet_add_n(sheet, ROLE_FRAME, text_string(&line), line.length);
    text_free(&line);
    sheet_end(sheet);
}

// ---- reading, printing, drawing ---------------------------------------------------------------------------

int sheet_line_of_item(const struct sheet *sheet, int item)
{
    for (size_t i = 0; i < sheet->line_count; i++)
        for (size_t j = 0; j < sheet->lines[i].count; j++)
            if (sheet->spans[sheet->lines[i].first + j].item == item)
                return (int)i;
    return -1;
}

const char *sheet_line_text(const struct sheet *sheet, size_t line, struct text *out)
{
    out->length = 0;
    text_add(out, "");
    for (size_t j = 0; line < sheet->line_count && j < sheet->lines[line].count; j++) {
        const struct span *span = &sheet->spans[sheet->lines[line].first + j];
        text_add_n(out, sheet->text.data + span->at, span->length);
    }
    return text_string(out);
}

static size_t without_end(const char *line)
{
    size_t length = strlen(line);
    while (length && line[length - 1] == ' ')
        length--;
    return length;
}

void sheet_plain(const struct sheet *sheet, size_t from, size_t to, struct text *out)
{
    struct text line = { 0 };
    size_t indent = SIZE_MAX, gaps = 0, written = 0;
    to = to < sheet->line_count ? to : sheet->line_count;
    for (size_t i = from; i < to; i++) {
        size_t blanks = strspn(sheet_line_text(sheet, i, &line), " ");
        if (without_end(line.data) > blanks && blanks < indent)
            indent = blanks;
    }
    for (size_t i = from; i < to; i++) {
        size_t length = without_end(sheet_line_text(sheet, i, &line));
        if (!length) {
            gaps += written > 0;
            continue;
        }
        for (gaps += written > 0; gaps; gaps--)
            text_add(out, "\n");
        text_add_n(out, line.data + indent, length - indent);
        written++;
    }
    text_free(&line);
}

void sheet_print(const struct paper *paper, const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->line_count; i++) {
        for (size_t j = 0; j < sheet->lines[i].count; j++) {
            const struct span *span = &sheet->spans[sheet->lines[i].first + j];
            paper_put(paper, (enum role)span->role, "%.*s", (int)span->length, sheet->text.data + span->at);
        }
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

// Marks every occurrence of the words, whatever their case.
static void mark_found(struct area area, int row, const char *line, const char *found)
{
    size_t length = strlen(found);
    for (const char *at = length ? strcasestr(line, found) : NULL; at; at = strcasestr(at + length, found)) {
        int col = text_cells_n(line, (size_t)(at - line));
        area_mark(area, row, col, text_cells_n(at, length), MARK_FOUND);
    }
}

// Whether the span belongs to the chosen item, or is the blanks between two spans of it.
static bool is_chosen(const struct sheet *sheet, const struct sheet_line *line, size_t at, int selected)
{
    const struct span *spans = &sheet->spans[line->first];
    size_t before = at, after = at;
    if (selected < 0 || spans[at].item == selected)
        return selected >= 0;
    while (before && spans[before].item != selected)
        before--;
    while (after < line->count && spans[after].item != selected)
        after++;
    const char *text = sheet->text.data + spans[at].at;
    return spans[at].item < 0 && spans[before].item == selected && after < line->count &&
           strspn(text, " ") >= spans[at].length;
}

static void draw_line(const struct sheet *sheet, struct area area, int row, size_t line, int selected)
{
    int col = 0;
    for (size_t j = 0; j < sheet->lines[line].count; j++) {
        const struct span *span = &sheet->spans[sheet->lines[line].first + j];
        bool chosen = is_chosen(sheet, &sheet->lines[line], j, selected);
        col = area_put_n(area, row, col, (enum role)span->role, chosen ? MARK_SELECTED : MARK_NONE,
                         sheet->text.data + span->at, span->length);
    }
}

void sheet_draw(const struct sheet *sheet, struct area area, size_t top, int selected, const char *found)
{
    struct text text = { 0 };
    for (int row = 0; row < area.rows && top + (size_t)row < sheet->line_count; row++) {
        size_t line = top + (size_t)row;
        draw_line(sheet, area, row, line, selected);
        if (found && *found)
            mark_found(area, row, sheet_line_text(sheet, line, &text), found);
    }
    int at = selected >= 0 ? sheet_line_of_item(sheet, selected) : -1;
    area_cursor(area, at >= (int)top ? at - (int)top : 0, 0);
    text_free(&text);
}
