// A report as Markdown: CommonMark with tables. Text from outside stays text, whatever signs it holds; charts are drawn
// in characters, as on the screen. The page also keeps what Markdown cannot say and HTML can: roles, as control
// characters around their words (text from outside has none), and where a chart is drawn or a part begins.
//
// One HTML page needs nothing else: no network, no script, its style within. It suits light and dark grounds and paper,
// and it is well-formed XML as well. md4c renders the Markdown, and no HTML in it; this file adds the head, the
// contents, the colours of roles and the charts as pictures.
#include "tui/command/report.h"
#include "tui/text/text.h"
#include "tui/view/view.h"

#include <ctype.h>
#include <math.h>
#include <md4c-html.h>
#include <stdlib.h>
#include <string.h>

// ---- Markdown ---------------------------------------------------------------------------------------------

enum { CHART_COLUMNS = 76 };

// ---- text -------------------------------------------------------------------------------------------------

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

// Whether the character could begin a block where a line starts (a heading, an item, a number with a point), or end a heading.
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
    // Markdown readers disagree about a | within code in a table.
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

// ---- blocks -----------------------------------------------------------------------------------------------

static bool column_empty(const struct report_page *report, size_t col)
{
    for (size_t i = report->cols + col; i < report->cell_count; i += report->cols)
        if (report->cells[i].length)
            return false;
    return true;
}

// Empty columns are left out, but for the first.
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

void report_words(struct report_page *report, enum role role, const char *format, ...)
{
    begin(report, REPORT_LINE, "");
    va_list args;
    va_start(args, format);
    add_line(report, role, format, args);
    va_end(args);
}

void report_item(struct report_page *report, enum role role, const char *format, ...)
{
    begin(report, REPORT_ITEM, "- ");
    va_list args;
    va_start(args, format);
    add_line(report, role, format, args);
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
        report_cell(report, ROLE_TEXT, "%s", head[i]);
}

void report_cell(struct report_page *report, enum role role, const char *format, ...)
{
    report->cells = array_room(report->cells, report->cell_count, sizeof *report->cells);
    report->cells[report->cell_count++] = (struct text){ 0 };
    va_list args;
    va_start(args, format);
    add_line(report, role, format, args);
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

// ---- the page ---------------------------------------------------------------------------------------------

void report_markdown(struct report_page *report, struct text *out)
{
    end_block(report);
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

// ---- HTML -------------------------------------------------------------------------------------------------

static const char style[] =
    ":root { color-scheme: light dark; --ink: #1b1f24; --ground: #fff; --soft: #5b6470; --line: #d5dae0;\n"
    "  --head: #f2f4f7; --good: #1a7f37; --bad: #b42318; --note: #7d5200; --cpu: #8a5000; --gpu: #2b6b2b;\n"
    "  --sim: #6a3fb5; }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --ground: #15181c;\n"
    "  --soft: #9aa4b0; --line: #363d46; --head: #20252b; --good: #4ac26b; --bad: #ff7b72; --note: #d9a441;\n"
    "  --cpu: #e0a458; --gpu: #6cc070; --sim: #b99cf5; } }\n"
    "body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; background: var(--ground); color: "
    "var(--ink);\n"
    "  font: 1rem/1.5 system-ui, sans-serif; }\n"
    "h1, h2, h3 { line-height: 1.25; margin: 2em 0 .6em; }\n"
    "h1 { margin-top: 0; }\n"
    "h2 { border-bottom: 1px solid var(--line); padding-bottom: .2em; }\n"
    "p, li { max-width: 46rem; }\n"
    "a { color: inherit; }\n"
    "nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; }\n"
    "code, pre { font: .92em/1.45 ui-monospace, monospace; }\n"
    "pre { background: var(--head); padding: .8rem; overflow-x: auto; }\n"
    "table { border-collapse: collapse; display: block; font-size: .9rem; margin: .8rem 0; overflow-x: auto; "
    "}\n"
    "th, td { border-bottom: 1px solid var(--line); padding: .3rem .9rem .3rem 0; text-align: left;\n"
    "  vertical-align: top; unicode-bidi: isolate; overflow-wrap: break-word; min-width: 4em; }\n"
    "th { color: var(--soft); font-weight: 600; vertical-align: bottom; }\n"
    "[align=right] { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "td[align=right] { white-space: nowrap; }\n"
    ".dim { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; "
    "}\n"
    ".note { color: var(--note); } .cpu { color: var(--cpu); } .gpu { color: var(--gpu); }\n"
    ".sim { color: var(--sim); }\n"
    "figure { margin: 1.2rem 0; }\n"
    "figcaption { font-weight: 600; margin-bottom: .3rem; }\n"
    "svg { display: block; max-width: 100%; height: auto; }\n"
    "@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }\n"
    "  table { display: table; font-size: 7.5pt; } th, td { padding-right: .5rem; min-width: 0; "
    "}\n"
    "  h1, h2, h3, figcaption { break-after: avoid; } tr, figure { break-inside: avoid; }\n"
    "  thead { display: table-header-group; } pre { white-space: pre-wrap; } }\n"
    "@page { margin: 14mm; }\n";

// ---- charts -----------------------------------------------------------------------------------------------
// A bar for each time on a log scale. The bars' colours are seen on white and on black; words and lines take the colour of
// the text around them. The description says in words what the bars show.

enum {
    WIDTH = 760,
    ROW = 26, // from bar to bar
    BAR = 16,
    TOP = 6,
    FOOT = 46,      // the axis, its numbers and its name
    LETTER = 8,     // of a label, at most, on average
    NAME_MOST = 34, // letters
    VALUE = 84,     // after the longest bar
    DECADES_MOST = 12,
};

struct report_picture {
    const struct report_mark *chart;
    struct report_decades decades;
    int left, right; // the ends of the axis
    int bottom;
    struct text *out;
};

static const char *colour(enum role role)
{
    return role == ROLE_CPU ? "#b4690e" : role == ROLE_GPU ? "#3f8f3f" : "#7a6fb0";
}

struct report_decades report_decades(const struct report_mark *chart)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < chart->bar_count; i++) {
        least = fmin(least, log10(chart->bars[i].value));
        most = fmax(most, log10(chart->bars[i].value));
    }
    if (least > most)
        return (struct report_decades){ 0, 1 };
    int low = (int)floor(least - 0.05), high = (int)ceil(most - 1e-9);
    return (struct report_decades){ low, high > low ? high : low + 1 };
}

double report_share(struct report_decades decades, double ms)
{
    return (log10(ms) - decades.low) / (decades.high - decades.low);
}

static double place(const struct report_picture *picture, double share)
{
    return picture->left + share * (picture->right - picture->left);
}

// A label that is too long ends with an ellipsis.
static void add_label(struct text *out, const char *label)
{
    size_t fits = text_fit(label, NAME_MOST);
    char *cut = mem_copy_n(label, label[fits] ? text_fit(label, NAME_MOST - 1) : fits);
    text_add_xml(out, cut);
    text_add(out, label[fits] ? "…" : "");
    free(cut);
}

static void add_bar(const struct report_picture *picture, size_t index)
{
    const struct chart_row *bar = &picture->chart->bars[index];
    double end = place(picture, report_share(picture->decades, bar->value));
    int top = TOP + (int)index * ROW, middle = top + ROW / 2;
    char value[40];
    unit_ms(bar->value, value, sizeof value);
    text_addf(picture->out, "<text x=\"%d\" y=\"%d\" dy=\".35em\" text-anchor=\"end\">", picture->left - 8,
              middle);
    add_label(picture->out, bar->name);
    text_addf(picture->out, "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
              picture->left, middle - BAR / 2, fmax(end - picture->left, 1), BAR, colour(bar->role));
    text_addf(picture->out, "<text x=\"%.1f\" y=\"%d\" dy=\".35em\">", fmax(end, picture->left + 1) + 6,
              middle);
    text_add_xml(picture->out, value); // it may be "<0.001 ms"
    text_add(picture->out, "</text>\n");
}

static void add_axis(const struct report_picture *picture)
{
    int step = 1 + (picture->decades.high - picture->decades.low) / DECADES_MOST;
    for (int decade = picture->decades.low; decade <= picture->decades.high; decade += step) {
        double x = place(picture, report_share(picture->decades, pow(10, decade)));
        text_addf(picture->out,
                  "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"currentColor\" "
                  "stroke-opacity=\".25\"/>\n",
                  x, TOP, x, picture->bottom + 4);
        text_addf(picture->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.10g</text>\n", x,
                  picture->bottom + 18, pow(10, decade));
    }
    text_addf(
        picture->out,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"currentColor\" stroke-opacity=\".6\"/>\n",
        picture->left, picture->bottom, picture->right, picture->bottom);
    text_addf(picture->out,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">median time in ms, log scale: shorter is "
              "faster</text>\n",
              (picture->left + picture->right) / 2, picture->bottom + 36);
}

static void add_description(const struct report_picture *picture, size_t number)
{
    const struct report_mark *chart = picture->chart;
    text_addf(picture->out, "<title id=\"title-%zu\">", number);
    text_add_xml(picture->out, chart->words);
    text_addf(picture->out, "</title>\n<desc id=\"desc-%zu\">Bars on a log scale. ", number);
    for (size_t i = 0; i < chart->bar_count; i++) {
        char value[40];
        unit_ms(chart->bars[i].value, value, sizeof value);
        text_add_xml(picture->out, chart->bars[i].name);
        text_add(picture->out, ": ");
        text_add_xml(picture->out, value);
        text_add(picture->out, i + 1 < chart->bar_count ? "; " : ".");
    }
    text_add(picture->out, "</desc>\n");
}

static int longest_label(const struct report_mark *chart)
{
    int longest = 0;
    for (size_t i = 0; i < chart->bar_count; i++) {
        int cells = text_cells(chart->bars[i].name);
        longest = cells > longest ? cells : longest;
    }
    return longest < NAME_MOST ? longest : NAME_MOST;
}

static void add_svg(const struct report_mark *chart, size_t number, struct text *out)
{
    int left = longest_label(chart) * LETTER + 12, bottom = TOP + (int)chart->bar_count * ROW;
    struct report_picture picture = { .chart = chart,
                                      .decades = report_decades(chart),
                                      .left = left,
                                      .right = WIDTH - VALUE,
                                      .bottom = bottom,
                                      .out = out };
    text_addf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title-%zu desc-%zu\" "
              "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"13\" fill=\"currentColor\">\n",
              number, number, WIDTH, bottom + FOOT, WIDTH, bottom + FOOT);
    add_description(&picture, number);
    add_axis(&picture);
    for (size_t i = 0; i < chart->bar_count; i++)
        add_bar(&picture, i);
    text_add(out, "</svg>\n");
}

static void add_figure(struct text *out, const struct report_mark *chart, size_t number)
{
    text_add(out, "<figure>\n<figcaption>");
    text_add_xml(out, chart->words);
    text_add(out, "</figcaption>\n");
    add_svg(chart, number, out);
    text_add(out, "</figure>\n");
}

// ---- the page ---------------------------------------------------------------------------------------------

static void add_role(struct text *out, char mark)
{
    static const char *const classes[ROLES] = {
        [ROLE_DIM] = "dim", [ROLE_GOOD] = "good", [ROLE_BAD] = "bad", [ROLE_NOTE] = "note",
        [ROLE_CPU] = "cpu", [ROLE_GPU] = "gpu",   [ROLE_SIM] = "sim",
    };
    if (mark == REPORT_ROLE_END)
        text_add(out, "</span>");
    else
        text_addf(out, "<span class=\"%s\">", classes[mark - REPORT_ROLE]);
}

static void take_html(const MD_CHAR *html, MD_SIZE length, void *context)
{
    for (const MD_CHAR *at = html; at < html + length; at++)
        if ((unsigned char)*at >= REPORT_ROLE && (unsigned char)*at <= REPORT_ROLE_END)
            add_role(context, *at);
        else
            text_add_n(context, at, 1);
}

static void render(struct text *out, const struct report_page *report, size_t from, size_t to)
{
    if (from < to)
        md_html(report->markdown.data + from, (MD_SIZE)(to - from), take_html, out,
                MD_FLAG_TABLES | MD_FLAG_NOHTML, MD_HTML_FLAG_XHTML);
}

// The parts, to jump to.
static void add_contents(struct text *out, const struct report_page *report)
{
    size_t parts = 0;
    for (size_t i = 0; i < report->mark_count; i++)
        parts += report->marks[i].level == 2;
    if (parts < 3)
        return;
    text_add(out, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < report->mark_count; i++) {
        if (report->marks[i].level != 2)
            continue;
        text_addf(out, "<li><a href=\"#part-%zu\">", i);
        text_add_xml(out, report->marks[i].words);
        text_add(out, "</a></li>\n");
    }
    text_add(out, "</ul></nav>\n");
}

static void add_body(struct text *out, const struct report_page *report)
{
    bool contents = false;
    size_t from = 0;
    for (size_t i = 0; i < report->mark_count; i++) {
        const struct report_mark *mark = &report->marks[i];
        render(out, report, from, mark->from);
        from = mark->to;
        if (mark->bars)
            add_figure(out, mark, i);
        if (mark->level != 2)
            continue;
        if (!contents)
            add_contents(out, report);
        contents = true;
        text_addf(out, "<div id=\"part-%zu\"></div>\n", i);
    }
    render(out, report, from, report->markdown.length);
}

void report_html(struct report_page *report, struct text *out)
{
    end_block(report);
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\"/>\n<title>");
    if (report->mark_count)
        text_add_xml(out, report->marks[0].words);
    text_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
    add_body(out, report);
    text_add(out, "</main>\n</body>\n</html>\n");
}
