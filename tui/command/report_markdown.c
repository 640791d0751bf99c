// A report as Markdown: CommonMark with tables. Text from outside stays text, whatever signs it holds; charts are drawn
// in characters, as on the screen. The page also keeps what Markdown cannot say and HTML can: roles, as control
// characters around their words (text from outside has none), and where a chart is drawn or a part begins.
#include "tui/command/report.h"
#include "tui/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHART_COLUMNS = 76 };

// ---- text ------------------------------------------------------------------------------------------------------------

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

// A letter's neighbours on both sides make an underscore plain.
static bool within_word(const char *text, const char *at)
{
    return at > text && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
}

// What could begin a block where a line starts (a heading, an item, a number with a point), or end a heading.
static bool begins_block(const char *text, const char *at)
{
    if (*at == '#')
        return at == text || at[-1] == ' ';
    if (strchr("+-=", *at))
        return at == text;
    bool last = !at[1] || at[1] == ' ';
    return strchr(".)", *at) && last && at > text && strspn(text, "0123456789") == (size_t)(at - text);
}

static void add_plain(struct text *out, const char *text, bool starts_line)
{
    for (const char *at = text; *at; at++) {
        bool special = strchr("\\`*[]<>|~&$", *at) || (*at == '_' && !within_word(text, at)) ||
                       (starts_line && begins_block(text, at));
        text_addf(out, "%s%c", special ? "\\" : "", *at);
    }
}

static size_t longest_run(const char *text, char of)
{
    size_t longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_times(struct text *out, char sign, size_t count)
{
    while (count--)
        text_addf(out, "%c", sign);
}

// Within more backticks than it holds.
static void add_span(struct text *out, const char *code)
{
    size_t ticks = longest_run(code, '`') + 1;
    bool apart = *code == '`' || string_ends(code, "`") || *code == ' ';
    add_times(out, '`', ticks);
    text_addf(out, apart ? " %s " : "%s", code);
    add_times(out, '`', ticks);
}

static void add_fenced(struct text *out, const char *info, const char *lines)
{
    size_t fence = longest_run(lines, '`') + 1;
    fence = fence < 3 ? 3 : fence;
    add_times(out, '`', fence);
    text_addf(out, "%s\n%s%s", info, lines, *lines && !string_ends(lines, "\n") ? "\n" : "");
    add_times(out, '`', fence);
    text_add(out, "\n");
}

static bool has_colour(enum role role)
{
    return role == ROLE_DIM || role == ROLE_GOOD || role == ROLE_BAD || role == ROLE_NOTE ||
           role == ROLE_CPU || role == ROLE_GPU || role == ROLE_SIM;
}

static void add_words(struct report_page *report, enum role role, const char *words)
{
    struct text *out = report->cell_count ? &report->cells[report->cell_count - 1] : &report->markdown;
    bool in_table = report->cell_count > 0, starts = out->length == (in_table ? 0 : report->start);
    // Not all readers of tables agree on a bar within code.
    if (role == ROLE_CODE && *words && !(in_table && strchr(words, '|'))) {
        add_span(out, words);
        return;
    }
    words += starts ? strspn(words, " ") : 0;
    if (!*words)
        return;
    if (has_colour(role))
        text_addf(out, "%c", REPORT_ROLE + (int)role);
    text_add(out, role == ROLE_TITLE ? "**" : "");
    add_plain(out, words, starts && !in_table);
    text_add(out, role == ROLE_TITLE ? "**" : "");
    if (has_colour(role))
        text_addf(out, "%c", REPORT_ROLE_END);
}

static void add_line(struct report_page *report, enum role role, const char *format, va_list args)
{
    char *words = line_of(format, args);
    add_words(report, role, words);
    free(words);
}

// ---- blocks ------------------------------------------------------------------------------------------------------------

static bool column_empty(const struct report_page *report, size_t col)
{
    for (size_t i = report->cols + col; i < report->cell_count; i += report->cols)
        if (report->cells[i].length)
            return false;
    return true;
}

// Columns in which nothing stands are left out, but for the first.
static void add_table(struct report_page *report, bool drop)
{
    struct text *out = &report->markdown;
    for (size_t row = 0; row < report->cell_count; row += report->cols) {
        struct text rule = { 0 };
        text_add(out, "|");
        text_add(&rule, "|");
        for (size_t col = 0; col < report->cols && row + col < report->cell_count; col++) {
            if (drop && col && column_empty(report, col))
                continue;
            text_addf(out, " %s |", text_string(&report->cells[row + col]));
            text_addf(&rule, " ---%s |", report->flush >> col & 1 ? ":" : "");
        }
        text_addf(out, "\n%s%s", row ? "" : text_string(&rule), row ? "" : "\n");
        text_free(&rule);
    }
    for (size_t i = 0; i < report->cell_count; i++)
        text_free(&report->cells[i]);
    report->cell_count = 0;
}

static struct report_mark *add_mark(struct report_page *report, size_t from, char *words)
{
    report->marks = array_room(report->marks, report->mark_count, sizeof *report->marks);
    struct report_mark *mark = &report->marks[report->mark_count++];
    *mark = (struct report_mark){ .from = from, .to = from, .words = words };
    return mark;
}

static void add_chart(struct report_page *report)
{
    struct report_mark *chart = &report->marks[report->mark_count - 1];
    struct canvas canvas = { .utf8 = MB_CUR_MAX > 1 };
    struct text picture = { 0 };
    canvas_resize(&canvas, (int)chart->bar_count + 2, CHART_COLUMNS);
    chart_ladder(canvas_area(&canvas), chart->bars, chart->bar_count);
    canvas_dump(&canvas, &picture, NULL);
    text_add(&report->markdown, "\n\n");
    add_fenced(&report->markdown, "text", text_string(&picture));
    chart->to = report->markdown.length;
    text_free(&picture);
    canvas_free(&canvas);
}

static void end_block(struct report_page *report)
{
    if (report->cell_count)
        add_table(report, false);
    else if (report->block == REPORT_CHART)
        add_chart(report);
    else if (report->block == REPORT_LINE || report->block == REPORT_ITEM)
        text_add(&report->markdown, "\n");
    report->block = REPORT_WHOLE;
}

// Blocks are an empty line apart, items of one list are not.
static void begin(struct report_page *report, enum report_block block, const char *sign)
{
    bool goes_on = block == REPORT_ITEM && report->block == REPORT_ITEM;
    end_block(report);
    text_addf(&report->markdown, "%s%s", report->markdown.length && !goes_on ? "\n" : "", sign);
    report->block = block;
    report->start = report->markdown.length;
}

void report_heading(struct report_page *report, int level, const char *format, ...)
{
    begin(report, REPORT_LINE, &"### "[3 - level]);
    va_list args;
    va_start(args, format);
    char *words = line_of(format, args);
    va_end(args);
    add_words(report, ROLE_TEXT, words);
    if (level < 3)
        add_mark(report, report->start - (size_t)level - 1, words)->level = level;
    else
        free(words);
}

void report_words(struct report_page *report, const char *format, ...)
{
    begin(report, REPORT_LINE, "");
    va_list args;
    va_start(args, format);
    add_line(report, ROLE_TEXT, format, args);
    va_end(args);
}

void report_item(struct report_page *report, const char *format, ...)
{
    begin(report, REPORT_ITEM, "- ");
    va_list args;
    va_start(args, format);
    add_line(report, ROLE_TEXT, format, args);
    va_end(args);
}

void report_code(struct report_page *report, const char *lines)
{
    struct text clean = { 0 };
    text_add_clean(&clean, lines, strlen(lines));
    begin(report, REPORT_WHOLE, "");
    add_fenced(&report->markdown, "cuda", text_string(&clean));
    text_free(&clean);
}

void report_table(struct report_page *report, const char *const *head, size_t cols, unsigned flush)
{
    begin(report, REPORT_WHOLE, "");
    report->cols = cols;
    report->flush = flush;
    for (size_t i = 0; i < cols; i++)
        report_cell(report, "%s", head[i]);
}

void report_cell(struct report_page *report, const char *format, ...)
{
    report->cells = array_room(report->cells, report->cell_count, sizeof *report->cells);
    report->cells[report->cell_count++] = (struct text){ 0 };
    va_list args;
    va_start(args, format);
    add_line(report, ROLE_TEXT, format, args);
    va_end(args);
}

void report_table_end(struct report_page *report)
{
    add_table(report, true);
}

void report_chart(struct report_page *report, const char *format, ...)
{
    begin(report, REPORT_CHART, "");
    va_list args;
    va_start(args, format);
    char *words = line_of(format, args);
    va_end(args);
    add_words(report, ROLE_TEXT, words);
    add_mark(report, report->start, words);
}

void report_bar(struct report_page *report, enum role role, double ms, const char *format, ...)
{
    struct report_mark *chart = &report->marks[report->mark_count - 1];
    if (!isfinite(ms) || ms <= 0)
        return;
    va_list args;
    va_start(args, format);
    chart->bars = array_room(chart->bars, chart->bar_count, sizeof *chart->bars);
    chart->bars[chart->bar_count++] =
        (struct chart_row){ .name = line_of(format, args), .role = role, .value = ms };
    va_end(args);
}

void report_add(struct report_page *report, enum role role, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(report, role, format, args);
    va_end(args);
}

void report_marked(struct report_page *report, const char *text)
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

// ---- the page --------------------------------------------------------------------------------------------------------------

void report_end(struct report_page *report)
{
    end_block(report);
}

void report_markdown(struct report_page *report, struct text *out)
{
    report_end(report);
    for (size_t i = 0; i < report->markdown.length; i++) {
        char c = report->markdown.data[i];
        if ((unsigned char)c >= ' ' || c == '\n')
            text_add_n(out, &c, 1);
    }
}

void report_free(struct report_page *report)
{
    for (size_t i = 0; i < report->mark_count; i++) {
        for (size_t b = 0; b < report->marks[i].bar_count; b++)
            free((char *)report->marks[i].bars[b].name);
        free(report->marks[i].bars);
        free(report->marks[i].words);
    }
    for (size_t i = 0; i < report->cell_count; i++)
        text_free(&report->cells[i]);
    free(report->marks);
    free(report->cells);
    text_free(&report->markdown);
    *report = (struct report_page){ 0 };
}
