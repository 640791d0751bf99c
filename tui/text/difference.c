// What differs between two texts: which lines they share, by the longest common subsequence, and a sheet of both, in one
// column or beside each other. Kernel files have about a hundred lines, for which the plain table is small; what both
// begin and end with needs none.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

struct diff_text_line {
    const char *at;
    size_t length;
};

static struct diff_text_line *split(const char *text, size_t *count)
{
    struct diff_text_line *lines = NULL;
    for (*count = 0; *text; text += text[0] == '\n') {
        lines = array_room(lines, *count, sizeof *lines);
        lines[(*count)++] = (struct diff_text_line){ text, strcspn(text, "\n") };
        text += lines[*count - 1].length;
    }
    return lines;
}

static bool same(const struct diff_text_line *a, const struct diff_text_line *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

// table[i * (b_count + 1) + j]: how many lines the ends of both texts share, from line i of one and j of the other on.
// Texts so long that it would take too much memory share none.
static unsigned *common(const struct diff_text_line *a, size_t a_count, const struct diff_text_line *b,
                        size_t b_count)
{
    enum { CELLS_MOST = 1 << 24 };
    size_t row = b_count + 1;
    if (a_count + 1 > CELLS_MOST / row)
        return NULL;
    unsigned *table = mem_new((a_count + 1) * row * sizeof *table);
    for (size_t i = a_count; i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            unsigned down = table[(i + 1) * row + j], right = table[i * row + j + 1];
            table[i * row + j] =
                same(&a[i], &b[j]) ? table[(i + 1) * row + j + 1] + 1 : (down > right ? down : right);
        }
    return table;
}

static void emit_middle(const struct diff_text_line *a, size_t a_count, const struct diff_text_line *b,
                        size_t b_count, diff_line emit, void *context)
{
    unsigned *table = common(a, a_count, b, b_count);
    size_t row = b_count + 1, i = 0, j = 0;
    while (i < a_count || j < b_count) {
        if (table && i < a_count && j < b_count && same(&a[i], &b[j])) {
            emit(context, ' ', b[j].at, b[j].length);
            i++;
            j++;
        } else if (j == b_count ||
                   (i < a_count && (!table || table[(i + 1) * row + j] >= table[i * row + j + 1]))) {
            emit(context, '-', a[i].at, a[i].length);
            i++;
        } else {
            emit(context, '+', b[j].at, b[j].length);
            j++;
        }
    }
    free(table);
}

void diff_lines(const char *before, const char *after, diff_line emit, void *context)
{
    size_t a_count, b_count, first = 0, last = 0;
    struct diff_text_line *a = split(before, &a_count), *b = split(after, &b_count);
    while (first < a_count && first < b_count && same(&a[first], &b[first]))
        first++;
    while (last < a_count - first && last < b_count - first &&
           same(&a[a_count - 1 - last], &b[b_count - 1 - last]))
        last++;
    for (size_t i = 0; i < first; i++)
        emit(context, ' ', b[i].at, b[i].length);
    emit_middle(a + first, a_count - first - last, b + first, b_count - first - last, emit, context);
    for (size_t i = b_count - last; i < b_count; i++)
        emit(context, ' ', b[i].at, b[i].length);
    free(a);
    free(b);
}

// ---- the lines of both, marked ------------------------------------------------------------------------------

struct marked_lines { // of one text
    char *signs;
    bool *hidden;
    size_t count;
    struct sheet sheet; // its item i is line i
};
struct pairing {
    const struct difference *what;
    struct text order; // a sign for each line, in the order of diff_lines
    struct marked_lines before, after;
    struct sheet *out;
    int column; // where the second text begins; 0: the texts are in one column
    int change;
};

static void note_sign(void *context, char sign, const char *line, size_t length)
{
    text_add_n(context, &sign, 1);
}

static size_t count_signs(const struct text *order, const char *signs)
{
    size_t count = 0;
    for (size_t i = 0; i < order->length; i++)
        count += strchr(signs, order->data[i]) != NULL;
    return count;
}

static struct marked_lines lines_with(const struct text *order, const char *signs)
{
    struct marked_lines lines = { .count = count_signs(order, signs) };
    size_t at = 0;
    lines.signs = mem_new(lines.count + 1);
    lines.hidden = mem_new((lines.count + 1) * sizeof *lines.hidden);
    for (size_t i = 0; i < order->length; i++)
        if (strchr(signs, order->data[i]))
            lines.signs[at++] = order->data[i];
    return lines;
}

static struct sheet sheet_of(const struct difference *what, const char *text, const char *signs, int width,
                             bool utf8)
{
    struct listing listing = { .text = text, .signs = signs, .numbers = what->numbers, .items = true };
    return listing_sheet(&listing, width, utf8);
}

// ---- what is folded -----------------------------------------------------------------------------------------

enum { CONTEXT = 3 }; // lines that stay around a change

// What only people read of the opening: it differs in every step.
static void hide_prose(const char *text, struct marked_lines *lines)
{
    size_t opening = listing_opening(text);
    bool prose = true;
    for (size_t i = 0; i < opening && i < lines->count; i++) {
        enum directive directive = directive_marked(text) ? directive_of(text) : DIRECTIVES;
        if (directive < DIRECTIVES || !directive_marked(text)) // else it continues the one above
            prose = directive == DIRECTIVES || directive == DIRECTIVE_TITLE || directive == DIRECTIVE_WHY;
        lines->hidden[i] = prose;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

// The middle of long stretches that are the same.
static void hide_same(struct pairing *pairing)
{
    const struct text *order = &pairing->order;
    size_t i = 0, j = 0, run;
    for (size_t at = 0; at < order->length; at += run) {
        bool same = order->data[at] == ' ';
        for (run = 1; same && at + run < order->length && order->data[at + run] == ' ';)
            run++;
        size_t first = at ? CONTEXT : 0, last = at + run < order->length ? CONTEXT : 0;
        for (size_t k = first; same && run > first + last + 1 && k < run - last; k++)
            pairing->before.hidden[i + k] = pairing->after.hidden[j + k] = true;
        i += order->data[at] != '+' ? run : 0;
        j += order->data[at] != '-' ? run : 0;
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------

static void add_spans(struct sheet *to, const struct sheet *from, size_t line)
{
    for (size_t i = 0; i < from->lines[line].count; i++) {
        const struct span *span = &from->spans[from->lines[line].first + i];
        sheet_add_n(to, (enum role)span->role, from->text.data + span->at, span->length);
    }
}

struct line_rows { // in the sheet of its text
    size_t first, count;
};
static struct line_rows rows_of(const struct marked_lines *lines, long line)
{
    int first = line >= 0 ? sheet_line_of_item(&lines->sheet, (int)line) : -1;
    int next = line >= 0 && line + 1 < (long)lines->count ? sheet_line_of_item(&lines->sheet, (int)line + 1)
                                                          : (int)lines->sheet.line_count;
    return first >= 0 ? (struct line_rows){ (size_t)first, (size_t)(next - first) }
                      : (struct line_rows){ 0, 0 };
}

// Lines of both texts beside each other, or one of them alone; -1: none.
static void add_pair(const struct pairing *pairing, long before, long after)
{
    struct sheet *out = pairing->out;
    struct line_rows left = rows_of(&pairing->before, before), right = rows_of(&pairing->after, after);
    size_t rows = left.count > right.count ? left.count : right.count;
    for (size_t i = 0; i < rows; i++) {
        if (i < left.count)
            add_spans(out, &pairing->before.sheet, left.first + i);
        if (pairing->column) {
            sheet_add(out, ROLE_TEXT, "%*s", pairing->column - 2 - out->used, "");
            sheet_add(out, ROLE_FRAME, "%s ", glyph(out->utf8, GLYPH_VERTICAL));
        }
        if (i < right.count)
            add_spans(out, &pairing->after.sheet, right.first + i);
        sheet_end(out);
    }
}

static void add_same(const struct pairing *pairing, long before, long after)
{
    add_pair(pairing, pairing->column ? before : -1, after);
}

static void add_fold(const struct pairing *pairing, size_t lines, const char *what)
{
    struct sheet *out = pairing->out;
    struct text row = { 0 };
    text_addf(&row, "  %s %zu line%s %s", glyph(out->utf8, GLYPH_RIGHT), lines, lines == 1 ? "" : "s", what);
    out->item = -1;
    sheet_add_n(out, ROLE_DIM, row.data, text_fit(row.data, out->width));
    sheet_end(out);
    text_free(&row);
}

// Skips what is hidden; the next line below `end`, or -1.
static long take(const struct marked_lines *lines, size_t *at, size_t end)
{
    while (*at < end && lines->hidden[*at])
        ++*at;
    return *at < end ? (long)(*at)++ : -1;
}

static void add_change(struct pairing *pairing, size_t i, size_t removed, size_t j, size_t added)
{
    long before, after;
    size_t i_end = i + removed, j_end = j + added;
    pairing->out->item = pairing->change;
    size_t lines = pairing->out->line_count;
    do {
        before = take(&pairing->before, &i, i_end);
        after = pairing->column || before < 0 ? take(&pairing->after, &j, j_end) : -1;
        if (before >= 0 || after >= 0)
            add_pair(pairing, before, after);
    } while (before >= 0 || after >= 0);
    pairing->change += pairing->out->line_count > lines;
    pairing->out->item = -1;
}

static void add_lines(struct pairing *pairing)
{
    const struct text *order = &pairing->order;
    size_t i = 0, j = 0, folded = 0;
    for (size_t at = 0; at < order->length;) {
        if (order->data[at] == ' ') {
            bool hidden = pairing->after.hidden[j];
            bool last =
                at + 1 == order->length || order->data[at + 1] != ' ' || !pairing->after.hidden[j + 1];
            if (!hidden)
                add_same(pairing, (long)i, (long)j);
            folded += hidden;
            if (hidden && last) {
                add_fold(pairing, folded, "alike");
                folded = 0;
            }
            i++, j++, at++;
            continue;
        }
        size_t end = at, removed = 0, added = 0;
        for (; end < order->length && order->data[end] != ' '; end++) {
            removed += order->data[end] == '-';
            added += order->data[end] == '+';
        }
        add_change(pairing, i, removed, j, added);
        i += removed, j += added, at = end;
    }
}

// ---- the sheet ------------------------------------------------------------------------------------------------

static void make_difference(struct pairing *pairing, bool folds, struct sheet *out)
{
    const struct difference *what = pairing->what;
    size_t prose = 0;
    pairing->out = out;
    pairing->change = 0;
    if (folds || what->shut) {
        hide_prose(what->before, &pairing->before);
        hide_prose(what->after, &pairing->after);
        for (size_t i = 0; i < pairing->after.count; i++)
            prose += pairing->after.hidden[i];
    }
    if (folds)
        hide_same(pairing);
    out->item = -1;
    char words[120];
    format_into(words, sizeof words, "of comment, title and why folded (%s)", what->fold);
    if (prose)
        add_fold(pairing, prose, words);
    add_lines(pairing);
}

struct sheet difference_sheet(const struct difference *what, int width, bool utf8)
{
    int half = (width - 3) / 2, each = what->beside ? half : width;
    struct pairing pairing = { .what = what, .column = what->beside ? half + 3 : 0 };
    diff_lines(what->before_keys ? what->before_keys : what->before,
               what->after_keys ? what->after_keys : what->after, note_sign, &pairing.order);
    pairing.before = lines_with(&pairing.order, " -");
    pairing.after = lines_with(&pairing.order, " +");
    pairing.before.sheet = sheet_of(what, what->before, pairing.before.signs, each, utf8);
    pairing.after.sheet = sheet_of(what, what->after, pairing.after.signs, each, utf8);
    struct sheet sheet = sheet_new(width, utf8);
    make_difference(&pairing, false, &sheet);
    if (what->fold && (int)sheet.line_count > what->rows) {
        sheet_free(&sheet);
        sheet = sheet_new(width, utf8);
        make_difference(&pairing, true, &sheet);
    }
    if (!pairing.change) {
        sheet_gap(&sheet);
        sheet_paragraph(&sheet, ROLE_NOTE, 1, "Nothing differs.");
    }
    struct marked_lines *both[] = { &pairing.before, &pairing.after };
    for (int i = 0; i < 2; i++) {
        free(both[i]->signs);
        free(both[i]->hidden);
        sheet_free(&both[i]->sheet);
    }
    text_free(&pairing.order);
    return sheet;
}
