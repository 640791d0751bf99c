// A report as one HTML page that needs nothing else: no network, no script, its style within. It is good on light and
// dark grounds and on paper, and it is well-formed XML as well.
#include "tui/command/report.h"

#include <string.h>

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
    ".wide { overflow-x: auto; margin: .8rem 0; }\n"
    "table { border-collapse: collapse; font-size: .9rem; }\n"
    "th, td { border-bottom: 1px solid var(--line); padding: .3rem .9rem .3rem 0; text-align: left;\n"
    "  vertical-align: top; unicode-bidi: isolate; overflow-wrap: break-word; min-width: 4em; }\n"
    "th { color: var(--soft); font-weight: 600; vertical-align: bottom; }\n"
    ".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "td.n { white-space: nowrap; }\n"
    ".dim { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; "
    "}\n"
    ".note { color: var(--note); } .cpu { color: var(--cpu); } .gpu { color: var(--gpu); }\n"
    ".sim { color: var(--sim); }\n"
    "figure { margin: 1.2rem 0; }\n"
    "figcaption { font-weight: 600; margin-bottom: .3rem; }\n"
    "svg { display: block; max-width: 100%; height: auto; }\n"
    "@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }\n"
    "  table { font-size: 7.5pt; } .wide { overflow: visible; } th, td { padding-right: .5rem; min-width: 0; "
    "}\n"
    "  h1, h2, h3, figcaption { break-after: avoid; } tr, figure { break-inside: avoid; }\n"
    "  thead { display: table-header-group; } pre { white-space: pre-wrap; } }\n"
    "@page { margin: 14mm; }\n";

void html_escape(struct text *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&#39;"
                                             : NULL;
        text_add_n(out, entity ? entity : text, entity ? strlen(entity) : 1);
    }
}

// ---- text ------------------------------------------------------------------------------------------------------------

static const char *class_of(enum role role)
{
    static const char *const classes[ROLES] = {
        [ROLE_DIM] = "dim", [ROLE_GOOD] = "good", [ROLE_BAD] = "bad", [ROLE_NOTE] = "note",
        [ROLE_CPU] = "cpu", [ROLE_GPU] = "gpu",   [ROLE_SIM] = "sim",
    };
    return classes[role];
}

static void add_text(struct text *out, const struct report_text *text)
{
    for (size_t i = 0; i < text->count; i++) {
        enum role role = text->list[i].role;
        const char *tag = role == ROLE_CODE    ? "code"
                          : role == ROLE_TITLE ? "strong"
                                               : "span",
                   *class = class_of(role);
        bool bare = !class && strcmp(tag, "span") == 0;
        if (!bare)
            text_addf(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
        html_escape(out, text->list[i].text);
        if (!bare)
            text_addf(out, "</%s>", tag);
    }
}

static void add_plain(struct text *out, const struct report_text *text)
{
    for (size_t i = 0; i < text->count; i++)
        html_escape(out, text->list[i].text);
}

// ---- elements -----------------------------------------------------------------------------------------------------------

static void add_row(struct text *out, const struct element *table, size_t first, const char *tag)
{
    text_add(out, "<tr>");
    for (size_t col = 0; col < table->cols && first + col < table->text_count; col++) {
        bool flush = table->flush >> col & 1;
        text_addf(out, "<%s%s%s>", tag, *tag == 't' && tag[1] == 'h' ? " scope=\"col\"" : "",
                  flush ? " class=\"n\"" : "");
        add_text(out, &table->texts[first + col]);
        text_addf(out, "</%s>", tag);
    }
    text_add(out, "</tr>\n");
}

static void add_table(struct text *out, const struct element *table)
{
    text_add(out, "<div class=\"wide\"><table>\n<thead>\n");
    add_row(out, table, 0, "th");
    text_add(out, "</thead>\n<tbody>\n");
    for (size_t first = table->cols; first < table->text_count; first += table->cols)
        add_row(out, table, first, "td");
    text_add(out, "</tbody>\n</table></div>\n");
}

static void add_chart(struct text *out, const struct element *chart, size_t number)
{
    text_add(out, "<figure>\n<figcaption>");
    add_text(out, &chart->texts[0]);
    text_add(out, "</figcaption>\n");
    report_svg(chart, number, out);
    text_add(out, "</figure>\n");
}

static void add_tagged(struct text *out, const char *tag, const struct report_text *text)
{
    text_addf(out, "<%s>", tag);
    add_text(out, text);
    text_addf(out, "</%s>\n", tag);
}

static void add_heading(struct text *out, const struct element *heading, size_t number)
{
    text_addf(out, "<h%d id=\"part-%zu\">", heading->level, number);
    add_text(out, &heading->texts[0]);
    text_addf(out, "</h%d>\n", heading->level);
}

static void add_element(struct text *out, const struct element *element, size_t number)
{
    switch (element->kind) {
    case ELEMENT_HEADING:
        add_heading(out, element, number);
        break;
    case ELEMENT_ITEM:
        add_tagged(out, "li", &element->texts[0]);
        break;
    case ELEMENT_TABLE:
        add_table(out, element);
        break;
    case ELEMENT_CHART:
        add_chart(out, element, number);
        break;
    case ELEMENT_CODE:
        text_add(out, "<pre>");
        add_plain(out, &element->texts[0]);
        text_add(out, "</pre>\n");
        break;
    default:
        add_tagged(out, "p", &element->texts[0]);
    }
}

// ---- the page -------------------------------------------------------------------------------------------------------------

static bool is_part(const struct element *element)
{
    return element->kind == ELEMENT_HEADING && element->level == 2;
}

// The parts, to jump to.
static void add_contents(struct text *out, const struct report *report)
{
    size_t parts = 0;
    for (size_t i = 0; i < report->count; i++)
        parts += is_part(&report->list[i]);
    if (parts < 3)
        return;
    text_add(out, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < report->count; i++) {
        if (!is_part(&report->list[i]))
            continue;
        text_addf(out, "<li><a href=\"#part-%zu\">", i);
        add_plain(out, &report->list[i].texts[0]);
        text_add(out, "</a></li>\n");
    }
    text_add(out, "</ul></nav>\n");
}

static bool is_item(const struct report *report, size_t index)
{
    return index < report->count && report->list[index].kind == ELEMENT_ITEM;
}

static void add_body(struct text *out, const struct report *report)
{
    bool contents = false;
    for (size_t i = 0; i < report->count; i++) {
        if (!contents && is_part(&report->list[i])) {
            add_contents(out, report);
            contents = true;
        }
        if (is_item(report, i) && (!i || !is_item(report, i - 1)))
            text_add(out, "<ul>\n");
        add_element(out, &report->list[i], i);
        if (is_item(report, i) && !is_item(report, i + 1))
            text_add(out, "</ul>\n");
    }
}

void report_html(const struct report *report, struct text *out)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\"/>\n<title>");
    if (report->count)
        add_plain(out, &report->list[0].texts[0]);
    text_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
    add_body(out, report);
    text_add(out, "</main>\n</body>\n</html>\n");
}
