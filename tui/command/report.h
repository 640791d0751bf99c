// The workbook as a document to hand in, as Markdown or as one HTML page.
//
// Its way: the workbook → what its events say (report_events.c) → blocks of Markdown → that text, or md4c's HTML of it.
// Only report_markdown.c and report_html.c know what must be escaped, and they know no workbook.
#ifndef WARPBOOK_REPORT_H
#define WARPBOOK_REPORT_H

#include <time.h>

#include "lessons/lessons.h"
#include "tui/tui.h"
#include "tui/view/view.h"

// ---- report_markdown.c: the document ----------------------------------------------------------------------------

// Text that is put into a report is untrusted and escaped here: it becomes valid UTF-8 on one line, without control
// characters; report_code alone keeps its lines.
struct
    report_mark { // what HTML has there: a chart in place of Markdown, or the target of a link before a heading
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
void report_words(struct report_page *report, const char *format, ...) REPORT_FORMAT(2);
void report_item(struct report_page *report, const char *format, ...) REPORT_FORMAT(2);
void report_code(struct report_page *report, const char *lines);
void report_table(struct report_page *report, const char *const *head, size_t cols, unsigned flush);
void report_cell(struct report_page *report, const char *format, ...) REPORT_FORMAT(2);
void report_table_end(struct report_page *report); // leaves out empty columns, but for the first
// A chart of times on a log scale, and what it shows.
void report_chart(struct report_page *report, const char *format, ...) REPORT_FORMAT(2);
// A bar of the chart that was begun last; a time that is not above 0 is left out.
void report_bar(struct report_page *report, enum role role, double ms, const char *format, ...)
    REPORT_FORMAT(4);
// These go on in the text that was begun last. report_marked reads `code` as lessons mark it.
void report_add(struct report_page *report, enum role role, const char *format, ...) REPORT_FORMAT(3);
void report_marked(struct report_page *report, const char *text);
void report_end(struct report_page *report); // of the last block
void report_free(struct report_page *report);
// The whole document; these end it.
void report_markdown(struct report_page *report, struct text *out);
void report_html(struct report_page *report, struct text *out); // report_html.c
// The whole decades, as powers of ten, that hold all bars; no bar is empty.
struct report_decades {
    int low, high;
};
struct report_decades report_decades(const struct report_mark *chart);
double report_share(struct report_decades decades, double ms); // of the axis, 0 to 1

// ---- report_history.c: what the workbook says of one live block ----------------------------------------------------

// NULL: no such event. Answers of a review are counted apart.
struct live_history {
    const json_t *predicted, *outcome; // the first of each; outcome: what came of the prediction
    const json_t *first, *solved;      // the first answer, the first right one
    const json_t *shown;               // the answer was looked at
    const json_t *asked;               // the solution was asked for before it was solved
    const json_t **later;              // answers after the first
    size_t later_count;
    size_t tries; // answers up to the first right one, without those that only looked
    size_t reviews, reviews_right;
    int hints, edits;
};
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
// One for each lesson, in their order.
struct lesson_history *lesson_histories_read(const struct workbook *workbook, const struct lessons *lessons);
void lesson_histories_free(struct lesson_history *stories, size_t count);
void live_history_read(struct live_history *out, const struct lesson_history *story, const struct live *live);
void live_history_free(struct live_history *told);
// What the summary counts in a lesson.
struct lesson_tally {
    int done, asked;                    // of progress_of
    size_t outcomes, predictions_right; // predictions that were run; of them
    size_t questions, questions_first;  // answered; right the first time
    size_t exercises, exercises_solved, hunts, hunts_solved;
    size_t hints, solutions; // solutions that were asked for before the exercise was solved
};
struct lesson_tally lesson_tally_of(const struct workbook *workbook, const struct lesson_history *story);
void report_day(const json_t *event, char *out, size_t size); // "2026-11-21", here; "" without a date
// The lesson that was open when the note was written; NULL: none of these, or it is no note.
const struct lesson *note_lesson(const json_t *note, const struct lessons *lessons);

// The newest run of each step in each place.

struct latest_run {
    struct record record;
    const json_t *event;
    size_t rank; // of its step on the ladder
};
// Runs that can be compared: of one lab, with one size and one kind of data, all timed or all simulated.
struct run_group {
    struct latest_run *runs; // in the order of the ladder, the CPU's first
    size_t count;
    size_t all; // runs of the workbook that are in it, also the older ones
    bool simulated;
};
struct run_groups { // by lab
    struct run_group *list;
    size_t count;
    size_t unread; // events that are no runs
};
void run_groups_read(struct run_groups *out, const struct workbook *workbook);
void run_groups_free(struct run_groups *groups);
const char *run_group_lab(const struct run_group *group); // "" for files that stand alone
bool run_timed(const struct latest_run *run);             // right, and its time is known
// The first right row with a time, which speed-ups are against; NULL: none.
const struct latest_run *run_group_base(const struct run_group *group);

// ---- report.c: the document ------------------------------------------------------------------------------------

struct report_options {
    const char *name;            // of the learner; NULL: none
    const struct lesson *lesson; // this one only; NULL: all
    bool kernels;                // the learner's own as well
    time_t now;
};
void report_make(struct report_page *report, const struct workbook *workbook, const struct lessons *lessons,
                 const struct report_options *wish);
bool report_shows(const struct lesson *lesson, const char *lab); // NULL: every lab

// ---- report_lesson.c, report_lab.c: its parts -----------------------------------------------------------------------

void report_lesson(struct report_page *report, const struct workbook *workbook,
                   const struct lesson_history *story);
void report_note(struct report_page *report, const json_t *note);
// The groups of one lab, from `first` on; returns the index behind them.
size_t report_lab(struct report_page *report, const struct run_groups *groups, size_t first);
// Kernels of the ladders that were edited, of the labs that the lesson shows.
void report_edits(struct report_page *report, const struct workbook *workbook, const struct lesson *lesson);
// The learner's own copies, as they are now; `only`: of this lesson and the labs that it shows.
void report_kernels(struct report_page *report, const struct lessons *lessons, const struct lesson *only);

#endif
