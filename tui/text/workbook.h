// The workbook as the workbook page shows it and `warpbook workbook` prints it.
#ifndef WARPBOOK_WORKBOOK_VIEW_H
#define WARPBOOK_WORKBOOK_VIEW_H

#include <time.h>

#include "tui/text/text.h"

// ---- workbook_sheet.c ----------------------------------------------------------------------------------------

struct book_kind {
    const char *name, *kind; // "runs", "run"; kind NULL: all
};
extern const struct book_kind book_kinds[]; // name NULL behind the last
const struct book_kind *book_kind_of(const char *word,
                                     struct error *error); // "runs" or "run"; NULL: the error
struct book_view {
    const struct book_kind *kind;
    const char *about; // "LAB[/STEP]": only its runs, over time; NULL: whatever is of that kind
    size_t most;       // rows; 0: all
};
// Newest first. Each row is an item; what it opens may be "".
struct sheet book_sheet(const struct workbook *workbook, const struct book_view *view, int width, bool utf8,
                        struct links *links);

// ---- workbook_row.c --------------------------------------------------------------------------------------------

const char *event_text(const json_t *event, const char *key); // "" when it is not there
const char *event_kind(const json_t *event); // its own, but "outcome" for what a prediction came to
bool event_is(const json_t *event, const char *kind);
bool event_same(const json_t *one, const json_t *other,
                const char *key);                                    // both say the same there, or nothing
void event_name(const json_t *run, struct text *out);                // "histogram/4-shared"
bool event_time(const json_t *event, struct tm *out);                // local; false: no date
void event_opens(const json_t *event, bool about, struct text *out); // words for app_do; nothing: ""
// What happened, behind the time of day, on as many lines as it needs.
void event_row(struct sheet *sheet, const json_t *event);
// A row of one variant's runs: `longest` ms is a whole bar; `before`: the run before (NULL: none).
void run_row(struct sheet *sheet, const json_t *run, double longest, const json_t *before);

#endif
