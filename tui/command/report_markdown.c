// A report as Markdown: CommonMark with tables. Text from outside stays text, whatever signs it holds; charts are drawn
// in characters, as on the screen.
#include "tui/command/report.h"
#include "tui/view/view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHART_COLUMNS = 76 };

// ---- text ------------------------------------------------------------------------------------------------------------

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

static void add_plain(struct text *out, const char *text, bool first)
{
    for (const char *at = text; *at; at++) {
        bool special = strchr("\\`*[]<>|~&$", *at) || (*at == '_' && !within_word(text, at)) ||
                       (first && begins_block(text, at));
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

static void add_text(struct text *out, const struct report_text *text, bool in_table)
{
    for (size_t i = 0; i < text->count; i++) {
        const struct report_piece *piece = &text->list[i];
        // Not all readers of tables agree on a bar within code.
        bool code = piece->role == ROLE_CODE && !(in_table && strchr(piece->text, '|'));
        if (code) {
            add_span(out, piece->text);
            continue;
        }
        text_add(out, piece->role == ROLE_TITLE ? "**" : "");
        add_plain(out, piece->text + (i ? 0 : strspn(piece->text, " ")), i == 0 && !in_table);
        text_add(out, piece->role == ROLE_TITLE ? "**" : "");
    }
}

// ---- elements -----------------------------------------------------------------------------------------------------------

static void add_table(struct text *out, const struct element *table)
{
    for (size_t i = 0; i < table->text_count; i++) {
        text_add(out, i % table->cols ? " " : "| ");
        add_text(out, &table->texts[i], true);
        text_add(out, i % table->cols + 1 == table->cols ? " |\n" : " |");
        if (i + 1 != table->cols)
            continue;
        for (size_t col = 0; col < table->cols; col++)
            text_addf(out, "%s---%s |", col ? " " : "| ", table->flush >> col & 1 ? ":" : "");
        text_add(out, "\n");
    }
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

static void add_chart(struct text *out, const struct element *chart)
{
    struct chart_row *rows = mem_new((chart->bar_count + 1) * sizeof *rows);
    struct canvas canvas = { .utf8 = MB_CUR_MAX > 1 };
    struct text picture = { 0 };
    for (size_t i = 0; i < chart->bar_count; i++)
        rows[i] = (struct chart_row){ .name = chart->bars[i].label,
                                      .value = chart->bars[i].ms,
                                      .role = chart->bars[i].role };
    canvas_resize(&canvas, (int)chart->bar_count + 2, CHART_COLUMNS);
    chart_ladder(canvas_area(&canvas), rows, chart->bar_count);
    canvas_dump(&canvas, &picture, NULL);
    add_text(out, &chart->texts[0], false);
    text_add(out, "\n\n");
    add_fenced(out, "text", text_string(&picture));
    text_free(&picture);
    canvas_free(&canvas);
    free(rows);
}

static void add_element(struct text *out, const struct element *element)
{
    switch (element->kind) {
    case ELEMENT_HEADING:
        add_times(out, '#', (size_t)element->level);
        text_add(out, " ");
        add_text(out, &element->texts[0], false);
        text_add(out, "\n");
        break;
    case ELEMENT_ITEM:
        text_add(out, "- ");
        add_text(out, &element->texts[0], false);
        text_add(out, "\n");
        break;
    case ELEMENT_TABLE:
        add_table(out, element);
        break;
    case ELEMENT_CHART:
        add_chart(out, element);
        break;
    case ELEMENT_CODE:
        add_fenced(out, "cuda", element->texts[0].count ? element->texts[0].list[0].text : "");
        break;
    default:
        add_text(out, &element->texts[0], false);
        text_add(out, "\n");
    }
}

void report_markdown(const struct report *report, struct text *out)
{
    for (size_t i = 0; i < report->count; i++) {
        bool list = report->list[i].kind == ELEMENT_ITEM;
        if (i && !(list && report->list[i - 1].kind == ELEMENT_ITEM))
            text_add(out, "\n");
        add_element(out, &report->list[i]);
    }
}
