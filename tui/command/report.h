// The workbook as a document: elements that say what stands there, written as Markdown or as one HTML page.
#ifndef WARPBOOK_REPORT_H
#define WARPBOOK_REPORT_H

#include "lessons/lessons.h"
#include "tui/tui.h"

// ---- report_parts.c: what a document is made of --------------------------------------------------------------

// All text in elements is one line without control characters; it is untrusted, and whoever writes it escapes it.
enum element_kind { ELEMENT_HEADING, ELEMENT_WORDS, ELEMENT_ITEM, ELEMENT_TABLE, ELEMENT_CHART };
struct report_bar {
    char *label;
    char *backend;
    double ms;
};
struct element {
    enum element_kind kind;
    int level;    // of a heading, from 1
    char *text;   // of a heading, words or an item; of a chart: what it shows
    char **cells; // of a table, row by row; the first row is the head
    size_t cell_count, cols;
    unsigned flush; // bits of the columns that are flush right
    struct report_bar *bars;
    size_t bar_count;
};
struct report {
    struct element *list;
    size_t count;
};
void report_heading(struct report *report, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_words(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_item(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A table begins with its head; cells follow, row by row.
void report_table(struct report *report, const char *const *head, size_t cols, unsigned flush);
void report_cell(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A chart begins; bars follow.
void report_chart(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_bar(struct report *report, const char *backend, double ms, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void report_free(struct report *report);
// A log scale: the whole decades, as powers of ten, that hold all bars. None has no length.
struct decades {
    int low, high;
};
struct decades report_decades(const struct element *chart);
double report_share(struct decades decades, double ms);

// ---- what stands in it: report_lessons.c, report_runs.c --------------------------------------------------------

void report_lessons(struct report *report, const struct workbook *workbook, const struct lessons *lessons);
void report_machine(struct report *report, const struct workbook *workbook);
void report_runs(struct report *report, const struct workbook *workbook);

// ---- how it is written: report_markdown.c, report_html.c ---------------------------------------------------------

void report_markdown(const struct report *report, struct text *out);
void report_html(const struct report *report, struct text *out);

#endif
