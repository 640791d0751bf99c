// A document as elements. Whatever is put into them loses its control characters and its line ends here, once.
#include "tui/command/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- text -----------------------------------------------------------------------------------------------------

// On one line: line ends and tabs become blanks.
static char *line_of(const char *format, va_list args)
{
    struct text raw = { 0 }, clean = { 0 };
    text_addv(&raw, format, args);
    text_add_clean(&clean, text_string(&raw), raw.length);
    for (size_t i = 0; i < clean.length; i++)
        if (clean.data[i] == '\n' || clean.data[i] == '\t')
            clean.data[i] = ' ';
    text_free(&raw);
    return text_take(&clean);
}

// Takes the words over.
static void add_piece(struct report_text *text, enum role role, char *words)
{
    if (!*words) {
        free(words);
        return;
    }
    text->list = array_room(text->list, text->count, sizeof *text->list);
    text->list[text->count++] = (struct report_piece){ role, words };
}

static void add_line(struct report_text *text, enum role role, const char *format, va_list args)
{
    add_piece(text, role, line_of(format, args));
}

static void free_text(struct report_text *text)
{
    for (size_t i = 0; i < text->count; i++)
        free(text->list[i].text);
    free(text->list);
}

static struct element *last_element(struct report *report)
{
    return &report->list[report->count - 1];
}

static struct report_text *begin_text(struct element *element)
{
    element->texts = array_room(element->texts, element->text_count, sizeof *element->texts);
    element->texts[element->text_count] = (struct report_text){ 0 };
    return &element->texts[element->text_count++];
}

static struct element *begin(struct report *report, enum element_kind kind)
{
    report->list = array_room(report->list, report->count, sizeof *report->list);
    report->list[report->count++] = (struct element){ .kind = kind };
    return last_element(report);
}

static struct report_text *last_text(struct report *report)
{
    struct element *element = last_element(report);
    return &element->texts[element->text_count - 1];
}

// ---- elements --------------------------------------------------------------------------------------------------

void report_heading(struct report *report, int level, const char *format, ...)
{
    struct element *element = begin(report, ELEMENT_HEADING);
    element->level = level;
    va_list args;
    va_start(args, format);
    add_line(begin_text(element), ROLE_TEXT, format, args);
    va_end(args);
}

void report_words(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(begin_text(begin(report, ELEMENT_WORDS)), ROLE_TEXT, format, args);
    va_end(args);
}

void report_item(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(begin_text(begin(report, ELEMENT_ITEM)), ROLE_TEXT, format, args);
    va_end(args);
}

void report_code(struct report *report, const char *lines)
{
    struct text clean = { 0 };
    text_add_clean(&clean, lines, strlen(lines));
    add_piece(begin_text(begin(report, ELEMENT_CODE)), ROLE_CODE, text_take(&clean));
}

void report_table(struct report *report, const char *const *head, size_t cols, unsigned flush)
{
    struct element *element = begin(report, ELEMENT_TABLE);
    element->cols = cols;
    element->flush = flush;
    for (size_t i = 0; i < cols; i++)
        report_cell(report, "%s", head[i]);
}

void report_cell(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(begin_text(last_element(report)), ROLE_TEXT, format, args);
    va_end(args);
}

static bool column_empty(const struct element *table, size_t col)
{
    for (size_t i = table->cols + col; i < table->text_count; i += table->cols)
        if (table->texts[i].count)
            return false;
    return true;
}

static void drop_column(struct element *table, size_t col)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->text_count; i++)
        if (i % table->cols == col)
            free_text(&table->texts[i]);
        else
            table->texts[kept++] = table->texts[i];
    unsigned below = (1u << col) - 1;
    table->flush = (table->flush & below) | (table->flush >> 1 & ~below);
    table->text_count = kept;
    table->cols--;
}

void report_table_end(struct report *report)
{
    struct element *table = last_element(report);
    for (size_t col = table->cols; col-- > 1;)
        if (column_empty(table, col))
            drop_column(table, col);
}

void report_chart(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(begin_text(begin(report, ELEMENT_CHART)), ROLE_TEXT, format, args);
    va_end(args);
}

void report_bar(struct report *report, enum role role, double ms, const char *format, ...)
{
    struct element *chart = last_element(report);
    if (!isfinite(ms) || ms <= 0)
        return;
    va_list args;
    va_start(args, format);
    chart->bars = array_room(chart->bars, chart->bar_count, sizeof *chart->bars);
    chart->bars[chart->bar_count++] =
        (struct report_bar){ .label = line_of(format, args), .role = role, .ms = ms };
    va_end(args);
}

void report_add(struct report *report, enum role role, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(last_text(report), role, format, args);
    va_end(args);
}

void report_marked(struct report *report, const char *text)
{
    size_t count;
    struct inline_piece *pieces = pieces_read(text, &count);
    for (size_t i = 0; i < count; i++) {
        enum inline_kind kind = pieces[i].kind;
        enum role role = kind == INLINE_CODE ? ROLE_CODE : kind == INLINE_STRONG ? ROLE_TITLE : ROLE_TEXT;
        report_add(report, role, "%s", kind == INLINE_BREAK ? " " : pieces[i].text);
    }
    pieces_free(pieces, count);
}

void report_free(struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        struct element *element = &report->list[i];
        for (size_t t = 0; t < element->text_count; t++)
            free_text(&element->texts[t]);
        for (size_t b = 0; b < element->bar_count; b++)
            free(element->bars[b].label);
        free(element->texts);
        free(element->bars);
    }
    free(report->list);
    *report = (struct report){ 0 };
}

// ---- a log scale ----------------------------------------------------------------------------------------------

struct decades report_decades(const struct element *chart)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < chart->bar_count; i++) {
        least = fmin(least, log10(chart->bars[i].ms));
        most = fmax(most, log10(chart->bars[i].ms));
    }
    if (least > most)
        return (struct decades){ 0, 1 };
    int low = (int)floor(least - 0.05), high = (int)ceil(most - 1e-9);
    return (struct decades){ low, high > low ? high : low + 1 };
}

double report_share(struct decades decades, double ms)
{
    return (log10(ms) - decades.low) / (decades.high - decades.low);
}
