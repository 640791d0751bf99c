// Blocks of a lesson or a term → lines of a sheet: headings, paragraphs, lists, tables, code, quotes. Words keep
// together with the signs next to them, whatever kinds of text they are made of.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 3, PARTS = 8 };

// ---- what can be opened -----------------------------------------------------------------------------------

int links_add(struct links *links, const char *format, ...)
{
    struct text words = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&words, format, args);
    va_end(args);
    links->opens = array_room(links->opens, links->count, sizeof *links->opens);
    links->opens[links->count] = words.data ? text_take(&words) : mem_copy("");
    return (int)links->count++;
}

void links_free(struct links *links)
{
    for (size_t i = 0; i < links->count; i++)
        free(links->opens[i]);
    free(links->opens);
    *links = (struct links){ 0 };
}

static int quoted(struct links *links, const char *page, const char *rest)
{
    struct text words = { 0 };
    if (!rest[strcspn(rest, " \"\\'")])
        return links_add(links, "%s %s", page, rest);
    for (; *rest; rest++)
        text_addf(&words, "%s%c", *rest == '"' || *rest == '\\' ? "\\" : "", *rest);
    int item = links_add(links, "%s \"%s\"", page, text_string(&words));
    text_free(&words);
    return item;
}

int links_target(struct links *links, const char *target)
{
    if (string_starts(target, "term:"))
        return quoted(links, "terms", target + 5);
    if (string_starts(target, "lab:"))
        return quoted(links, "bench", target + 4);
    if (string_starts(target, "lesson:"))
        return quoted(links, "lesson", target + 7);
    if (string_starts(target, "explore:"))
        return links_add(links, "explore %s", target + 8);
    if (string_starts(target, "https:") || string_starts(target, "http:"))
        return links_add(links, "%s", target);
    return -1;
}

// ---- words that flow --------------------------------------------------------------------------------------

struct part { // of a word
    enum role role;
    int item;
    const char *at;
    size_t length;
};
struct flow {
    struct sheet *sheet;
    struct part parts[PARTS];
    int count, cells;
    bool apart; // a blank goes before the word
    int before; // the item that the last word ended with
};

// On to the next line of the same paragraph.
static void break_line(struct sheet *sheet)
{
    int hang = sheet->hang, item = sheet->item;
    sheet_end(sheet);
    sheet->item = -1;
    if (hang)
        sheet_to(sheet, hang);
    sheet_hang(sheet, hang);
    sheet->item = item;
}

static void put_word(struct flow *flow)
{
    struct sheet *sheet = flow->sheet;
    if (!flow->count)
        return;
    bool blank = flow->apart && !sheet->glue;
    if (sheet->used + blank + flow->cells > sheet->width && sheet->used > sheet->hang) {
        break_line(sheet);
    } else if (blank) {
        bool same = flow->before == flow->parts[0].item;
        sheet->item = same ? flow->before : -1;
        sheet_add(sheet, same && flow->before >= 0 ? flow->parts[0].role : ROLE_TEXT, " ");
    }
    for (int i = 0; i < flow->count; i++) {
        sheet->item = flow->before = flow->parts[i].item;
        sheet_flow_n(sheet, flow->parts[i].role, flow->parts[i].at, flow->parts[i].length);
    }
    flow->count = flow->cells = 0;
    flow->apart = false;
}

static void add_part(struct flow *flow, enum role role, int item, const char *at, size_t length)
{
    if (flow->count == PARTS)
        put_word(flow);
    flow->parts[flow->count++] = (struct part){ role, item, at, length };
    flow->cells += text_cells_n(at, length);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static void add_text(struct flow *flow, enum role role, int item, const char *at)
{
    while (*at) {
        size_t length = 0;
        while (at[length] && !is_blank(at[length]))
            length++;
        if (length)
            add_part(flow, role, item, at, length);
        at += length;
        if (is_blank(*at)) {
            put_word(flow);
            flow->apart = true;
            while (is_blank(*at))
                at++;
        }
    }
}

static void add_address(struct flow *flow, const char *address)
{
    add_text(flow, ROLE_TEXT, -1, " (");
    add_text(flow, ROLE_DIM, -1, address);
    add_text(flow, ROLE_TEXT, -1, ")");
}

static enum role role_of(enum inline_kind kind, enum role plain)
{
    switch (kind) {
    case INLINE_STRONG:
    case INLINE_EMPHASIS:
        return ROLE_TITLE;
    case INLINE_CODE:
        return ROLE_CODE;
    case INLINE_LINK:
        return ROLE_LINK;
    default:
        return plain;
    }
}

void typeset_pieces(struct sheet *sheet, enum role role, const struct inline_piece *pieces, size_t count,
                    struct links *links)
{
    int item = sheet->item;
    struct flow flow = { .sheet = sheet, .before = -1 };
    for (size_t i = 0; i < count; i++) {
        const struct inline_piece *piece = &pieces[i];
        if (piece->kind == INLINE_BREAK) {
            put_word(&flow);
            break_line(sheet);
            continue;
        }
        int link =
            piece->kind == INLINE_LINK && links && piece->target ? links_target(links, piece->target) : -1;
        link = link < 0 ? item : link;
        add_text(&flow, role_of(piece->kind, role), link, piece->text);
        bool ends = i + 1 == count || pieces[i + 1].kind != INLINE_LINK;
        if (link >= 0 && links && links->addresses && ends &&
            strstr(piece->target ? piece->target : "", "://"))
            add_address(&flow, piece->target);
    }
    put_word(&flow);
    sheet->item = item;
}

void typeset_text(struct sheet *sheet, enum role role, const char *text, struct links *links)
{
    size_t count;
    struct inline_piece *pieces = pieces_read(text, &count);
    typeset_pieces(sheet, role, pieces, count, links);
    pieces_free(pieces, count);
}

// ---- sheets in sheets -------------------------------------------------------------------------------------

static void typeset_line(struct sheet *to, const struct sheet *from, size_t line, bool items)
{
    int item = to->item;
    for (size_t i = 0; i < from->lines[line].count; i++) {
        const struct span *span = &from->spans[from->lines[line].first + i];
        to->item = items ? span->item : -1;
        sheet_add_n(to, (enum role)span->role, from->text.data + span->at, span->length);
    }
    to->item = item;
}

void typeset_paste(struct sheet *to, const struct sheet *from, const char *before, bool items)
{
    size_t length = strlen(before), bare = length;
    while (bare && before[bare - 1] == ' ')
        bare--;
    for (size_t i = 0; i < from->line_count; i++) {
        sheet_add_n(to, ROLE_FRAME, before, from->lines[i].count ? length : bare);
        typeset_line(to, from, i, items);
        sheet_end(to);
    }
}

// ---- tables -----------------------------------------------------------------------------------------------

// Side by side where the width allows it, with columns that wrap where it does not quite, and stacked, each cell
// after its heading, where it does not at all.

enum { APART = 2, NARROWEST = 8 };

struct column {
    int cells, least; // its width; its longest word
    bool numbers;     // flush right
};

static const struct table_cell *cell_at(const struct lesson_block *block, size_t row, size_t col)
{
    return &block->cells[row * block->cols + col];
}

static void cell_text(const struct table_cell *cell, struct text *out)
{
    out->length = 0;
    text_add(out, "");
    for (size_t i = 0; i < cell->count; i++)
        text_add(out, cell->pieces[i].kind == INLINE_BREAK ? " " : cell->pieces[i].text);
}

// ---- tables: widths ---------------------------------------------------------------------------------------

static int longest_word(const char *text)
{
    int longest = 0;
    while (*text) {
        size_t length = strcspn(text, " \n\t");
        int cells = text_cells_n(text, length);
        longest = cells > longest ? cells : longest;
        text += length + (text[length] != 0);
    }
    return longest;
}

static bool is_number(const char *text)
{
    bool digit = false;
    for (; *text; text++) {
        digit |= *text >= '0' && *text <= '9';
        if (!strchr("0123456789.,+-% x", *text))
            return false;
    }
    return digit;
}

static struct column *measure(const struct lesson_block *block)
{
    struct column *columns = mem_new((block->cols + 1) * sizeof *columns);
    struct text text = { 0 };
    for (size_t col = 0; col < block->cols; col++) {
        columns[col].numbers = block->rows > 1;
        for (size_t row = 0; row < block->rows; row++) {
            cell_text(cell_at(block, row, col), &text);
            int cells = text_cells(text.data), least = longest_word(text.data);
            columns[col].cells = cells > columns[col].cells ? cells : columns[col].cells;
            columns[col].least = least > columns[col].least ? least : columns[col].least;
            columns[col].numbers &= row == 0 || is_number(text.data);
        }
    }
    text_free(&text);
    return columns;
}

// Takes from the widest column until all fit. False: words would have to be cut.
static bool squeeze(struct column *columns, size_t count, int width)
{
    int total = 0;
    if ((long)count * (NARROWEST / 2) > width)
        return false;
    for (size_t i = 0; i < count; i++)
        total += columns[i].cells + (i ? APART : 0);
    while (total > width) {
        struct column *widest = NULL;
        for (size_t i = 0; i < count; i++) {
            bool gives = columns[i].cells > columns[i].least && columns[i].cells > NARROWEST;
            if (gives && (!widest || columns[i].cells > widest->cells))
                widest = &columns[i];
        }
        if (!widest)
            return false;
        widest->cells--;
        total--;
    }
    return true;
}

// ---- tables: side by side ---------------------------------------------------------------------------------

static void put_row(struct sheet *sheet, const struct lesson_block *block, const struct column *columns,
                    size_t row, struct links *links)
{
    struct sheet *cells = mem_new((block->cols + 1) * sizeof *cells);
    struct text text = { 0 };
    size_t lines = 1;
    for (size_t col = 0; col < block->cols; col++) {
        const struct table_cell *cell = cell_at(block, row, col);
        cells[col] = sheet_new(columns[col].cells, sheet->utf8);
        typeset_pieces(&cells[col], row ? ROLE_TEXT : ROLE_TITLE, cell->pieces, cell->count, links);
        sheet_end(&cells[col]);
        lines = cells[col].line_count > lines ? cells[col].line_count : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        int from = 0;
        for (size_t col = 0; col < block->cols; col++) {
            if (line < cells[col].line_count && cells[col].lines[line].count) {
                int used = text_cells(sheet_line_text(&cells[col], line, &text));
                int at = from + (columns[col].numbers ? columns[col].cells - used : 0);
                if (at > sheet->used)
                    sheet_to(sheet, at);
                typeset_line(sheet, &cells[col], line, true);
            }
            from += columns[col].cells + APART;
        }
        sheet_end(sheet);
    }
    for (size_t col = 0; col < block->cols; col++)
        sheet_free(&cells[col]);
    text_free(&text);
    free(cells);
}

static void put_line(struct sheet *sheet, const struct column *columns, size_t count)
{
    struct text line = { 0 };
    for (size_t col = 0; col < count; col++) {
        for (int i = 0; i < columns[col].cells; i++)
            text_add(&line, glyph(sheet->utf8, GLYPH_HORIZONTAL));
        if (col + 1 < count)
            text_addf(&line, "%*s", APART, "");
    }
    sheet_add_n(sheet, ROLE_FRAME, text_string(&line), line.length);
    text_free(&line);
    sheet_end(sheet);
}

// ---- tables: stacked --------------------------------------------------------------------------------------

static void stack(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    struct text head = { 0 };
    for (size_t row = 1; row < block->rows; row++) {
        if (row > 1)
            sheet_gap(sheet);
        for (size_t col = 0; col < block->cols; col++) {
            const struct table_cell *cell = cell_at(block, row, col);
            cell_text(cell_at(block, 0, col), &head);
            if (!cell->count)
                continue;
            sheet_hang(sheet, 2);
            if (head.length) {
                sheet_flow(sheet, ROLE_DIM, "%s:", head.data);
                sheet_flow(sheet, ROLE_TEXT, " ");
            }
            typeset_pieces(sheet, ROLE_TEXT, cell->pieces, cell->count, links);
            sheet_end(sheet);
        }
    }
    text_free(&head);
}

static void typeset_table(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    struct column *columns = measure(block);
    if (!squeeze(columns, block->cols, sheet->width) && block->rows > 1) {
        stack(sheet, block, links);
    } else {
        for (size_t row = 0; row < block->rows; row++) {
            put_row(sheet, block, columns, row, links);
            if (row == 0)
                put_line(sheet, columns, block->cols);
        }
    }
    free(columns);
}

// ---- blocks -----------------------------------------------------------------------------------------------

// Places that hang too far for a narrow sheet come closer.
static void start(struct sheet *sheet, int indent, int hang)
{
    int most = sheet->width / 3;
    if (indent > most)
        indent = most;
    if (indent > sheet->used)
        sheet_to(sheet, indent);
    sheet_hang(sheet, hang > most ? most : hang);
}

void typeset_heading(struct sheet *sheet, int level, const char *words)
{
    sheet_flow(sheet, ROLE_TITLE, "%s", words);
    if (level == 2 && sheet->used + 4 < sheet->width) {
        sheet_add(sheet, ROLE_FRAME, " ");
        sheet_rule(sheet);
        return;
    }
    sheet_end(sheet);
    if (level == 1)
        sheet_rule(sheet);
}

static void heading(struct sheet *sheet, const struct lesson_block *block)
{
    struct text words = { 0 };
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&words, block->pieces[i].kind == INLINE_BREAK ? " " : block->pieces[i].text);
    typeset_heading(sheet, block->level, text_string(&words));
    text_free(&words);
}

static void paragraph(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    start(sheet, INDENT * block->level, INDENT * block->level);
    typeset_pieces(sheet, ROLE_TEXT, block->pieces, block->piece_count, links);
    sheet_end(sheet);
}

static void list_item(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    int indent = INDENT * block->level;
    char sign[24];
    start(sheet, indent, 0);
    if (block->number)
        format_into(sign, sizeof sign, "%d. ", block->number);
    else
        format_into(sign, sizeof sign, " %s ", glyph(sheet->utf8, GLYPH_BULLET));
    sheet_add(sheet, ROLE_DIM, "%s", sign);
    sheet_hang(sheet, sheet->used);
    typeset_pieces(sheet, ROLE_TEXT, block->pieces, block->piece_count, links);
    sheet_end(sheet);
}

static void quote(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    struct text before = { 0 };
    for (int i = 0; i <= block->level && 2 * (i + 1) < sheet->width / 2; i++)
        text_addf(&before, "%s ", glyph(sheet->utf8, GLYPH_VERTICAL));
    struct sheet inner = sheet_new(sheet->width - text_cells(text_string(&before)), sheet->utf8);
    typeset_pieces(&inner, ROLE_TEXT, block->pieces, block->piece_count, links);
    sheet_end(&inner);
    typeset_paste(sheet, &inner, text_string(&before), true);
    sheet_free(&inner);
    text_free(&before);
}

// ---- code -------------------------------------------------------------------------------------------------

struct code {
    struct sheet *sheet;
    int indent;
};

// A line that is too long goes on after an ellipsis.
static void put_code(void *context, enum role role, const char *at, size_t bytes)
{
    const struct code *code = context;
    struct sheet *sheet = code->sheet;
    int width = sheet->room > sheet->width ? sheet->room : sheet->width;
    for (bool fresh = sheet->used <= code->indent; bytes; fresh = true) {
        size_t fits = text_fit_n(at, bytes, width - sheet->used);
        if (!fits && fresh) // too narrow for anything
            fits = text_fit_n(at, bytes, 2) ? text_fit_n(at, bytes, 2) : bytes;
        sheet_add_n(sheet, role, at, fits);
        at += fits;
        bytes -= fits;
        if (!bytes)
            break;
        sheet_end(sheet);
        if (code->indent)
            sheet_to(sheet, code->indent);
        sheet_add(sheet, ROLE_DIM, "%s ", glyph(sheet->utf8, GLYPH_ELLIPSIS));
    }
}

void typeset_code(struct sheet *sheet, int indent, const char *info, const char *text)
{
    bool cuda = string_starts(info, "cuda") || strcmp(info, "c") == 0 || strcmp(info, "cpp") == 0;
    struct code code = { sheet, indent < sheet->width / 4 ? indent : sheet->width / 4 };
    bool comment = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = mem_copy_n(text, length);
        struct text even = { 0 }; // tabs are four cells
        for (const char *c = line; *c; c++)
            text_add_n(&even, *c == '\t' ? "    " : c, *c == '\t' ? 4 : 1);
        if (length && code.indent)
            sheet_to(sheet, code.indent);
        if (cuda)
            highlight_line(text_string(&even), even.length, &comment, put_code, &code);
        else
            put_code(&code, ROLE_TEXT, text_string(&even), even.length);
        sheet_end(sheet);
        free(line);
        text_free(&even);
        text += length + (text[length] == '\n');
    }
}

// ---- every kind of block ----------------------------------------------------------------------------------

void typeset_block(struct sheet *sheet, const struct lesson_block *before, const struct lesson_block *block,
                   struct links *links)
{
    bool items = before && before->kind == BLOCK_ITEM && block->kind == BLOCK_ITEM &&
                 (before->level != block->level || !before->number == !block->number);
    if (block->kind == BLOCK_NOTE || block->kind == BLOCK_LIVE)
        return;
    if (before && !items)
        sheet_gap(sheet);
    if (before && block->kind == BLOCK_HEADING && block->level == 2)
        sheet_gap(sheet);
    switch (block->kind) {
    case BLOCK_HEADING:
        heading(sheet, block);
        break;
    case BLOCK_ITEM:
        list_item(sheet, block, links);
        break;
    case BLOCK_CODE:
        typeset_code(sheet, INDENT * block->level + 2, block->info, block->text);
        break;
    case BLOCK_TABLE:
        typeset_table(sheet, block, links);
        break;
    case BLOCK_QUOTE:
        quote(sheet, block, links);
        break;
    case BLOCK_RULE:
        sheet_rule(sheet);
        break;
    default:
        paragraph(sheet, block, links);
    }
}

void typeset_blocks(struct sheet *sheet, const struct lesson_block *blocks, size_t count, struct links *links)
{
    for (size_t i = 0; i < count; i++)
        typeset_block(sheet, i ? &blocks[i - 1] : NULL, &blocks[i], links);
}

void typeset_field(struct sheet *sheet, const struct live *live, const char *key, struct links *links)
{
    const char *text = live_field(live, key);
    if (!text)
        return;
    typeset_text(sheet, ROLE_TEXT, text, links);
    sheet_end(sheet);
}
