// The workbook as a document to hand in, as Markdown or as one HTML page.
//
// Its way: the workbook → what its events say (report_lesson.c, report_lab.c) → blocks of Markdown → that text, or md4c's
// HTML of it. Only report_write.c knows what must be escaped, and it knows no workbook.
#ifndef WARPBOOK_REPORT_H
#define WARPBOOK_REPORT_H

#include <time.h>

#include "lessons/lessons.h"
#include "tui/tui.h"
#include "tui/view/view.h"

// ---- report_write.c: the document -------------------------------------------------------------------------------

// Text that is put into a report is untrusted and escaped here: it becomes valid UTF-8 on one line, without control
// characters; report_code alone keeps its lines.

// What HTML has at this place: a chart instead of the Markdown, or the target of a link before a heading.
struct report_mark {
    size_t from, to; // bytes of the Markdown
    int level;       // of the heading, 1 or 2; 0: a chart
    char *words;     // of the heading, or above the chart
    struct chart_row *bars;
    size_t bar_count;
};
// A control character that opens the words of role R in the Markdown is REPORT_ROLE + R.
enum { REPORT_ROLE = 0x10, REPORT_ROLE_END = 0x1f };
enum report_block { REPORT_WHOLE, REPORT_LINE, REPORT_ITEM, REPORT_CHART }; // WHOLE: it has ended
struct report_page {
    struct text markdown; // with control characters for roles
    struct report_mark *marks;
    size_t mark_count;
    enum report_block block; // that is being written
    size_t start;            // of its text
    struct text *cells;      // of the table that is being written, row by row, the first row is the head
    size_t cell_count, cols;
    unsigned flush; // bits of the columns that are flush right
};
#define REPORT_FORMAT(at) __attribute__((format(printf, at, at + 1)))
// Each begins a block, or a cell of the table that was begun last.
void report_heading(struct report_page *report, int level, const char *format, ...)
    REPORT_FORMAT(3); // 1 to 3
void report_words(struct report_page *report, enum role role, const char *format, ...) REPORT_FORMAT(3);
void report_item(struct report_page *report, enum role role, const char *format, ...) REPORT_FORMAT(3);
void report_code(struct report_page *report, const char *lines);
void report_table(struct report_page *report, const char *const *head, size_t cols, unsigned flush);
void report_cell(struct report_page *report, enum role role, const char *format, ...) REPORT_FORMAT(3);
void report_table_end(struct report_page *report); // leaves out empty columns, but for the first
// A chart of times on a log scale, and what it shows.
void report_chart(struct report_page *report, const char *format, ...) REPORT_FORMAT(2);
// A bar of the chart that was begun last; a time that is not above 0 is left out.
void report_bar(struct report_page *report, enum role role, double ms, const char *format, ...)
    REPORT_FORMAT(4);
// These continue the text that was begun last. report_marked reads `code` as lessons mark it.
void report_add(struct report_page *report, enum role role, const char *format, ...) REPORT_FORMAT(3);
void report_marked(struct report_page *report, const char *text);
void report_free(struct report_page *report);
// The whole document; these end it.
void report_markdown(struct report_page *report, struct text *out);
void report_html(struct report_page *report, struct text *out);
// The whole decades, as powers of ten, that hold all bars; no bar is empty.
struct report_decades {
    int low, high;
};
struct report_decades report_decades(const struct report_mark *chart);
double report_share(struct report_decades decades, double ms); // of the axis, 0 to 1

// ---- report_lesson.c: a lesson, in the words of its events -------------------------------------------------------

// Events that belong to one lesson, with the notes that were written there, the oldest first.
struct lesson_history {
    const struct lesson *lesson;
    const json_t **events;
    size_t count;
    struct lesson_event { // those with an id, by id, and of one id the oldest first
        const char *id;
        const json_t *event;
        size_t at;
    } * by_id;
    size_t id_count;
};
// The counts of a lesson in the summary; from done on, a part and then its whole.
enum {
    TALLY_DONE,
    TALLY_ASKED,    // of progress_of
    TALLY_RIGHT,    // predictions
    TALLY_OUTCOMES, // predictions that were run
    TALLY_FIRST,    // questions that were answered right the first time
    TALLY_ANSWERED,
    TALLY_SOLVED, // exercises
    TALLY_EXERCISES,
    TALLY_FOUND, // bug hunts
    TALLY_HUNTS,
    TALLY_HINTS,
    TALLY_SOLUTIONS, // that were asked for before the exercise was solved
    TALLIES
};
struct lesson_tally {
    size_t count[TALLIES];
};
struct lesson_tally lesson_tally_of(const struct workbook *workbook, const struct lesson_history *story);
void report_lesson(struct report_page *report, const struct workbook *workbook,
                   const struct lesson_history *story);
void report_note(struct report_page *report, const json_t *note);
void report_day(const json_t *event, char *out, size_t size); // "2026-11-21", here; "" without a date

// ---- report_lab.c: runs and kernels ------------------------------------------------------------------------------

// Runs and edits of the ladders, of the labs that the lesson shows; NULL: of all labs.
void report_labs(struct report_page *report, const struct workbook *workbook, const struct lesson *lesson);
// The learner's own copies, as they are now; `only`: of this lesson and the labs that it shows.
void report_kernels(struct report_page *report, const struct lessons *lessons, const struct lesson *only);

// ---- report.c: the document ------------------------------------------------------------------------------------

struct report_options {
    const char *name;            // of the learner; NULL: none
    const struct lesson *lesson; // this one only; NULL: all
    bool kernels;                // the learner's own as well
    time_t now;
};
// The page of a workbook that somebody handed in under this name, as HTML.
void report_page_of(struct workbook *workbook, struct lessons *lessons, const char *name, struct text *out);
void report_make(struct report_page *report, const struct workbook *workbook, const struct lessons *lessons,
                 const struct report_options *wish);

#endif
