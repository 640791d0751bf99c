// warpbook review: what its files share.
#ifndef WARPBOOK_REVIEW_H
#define WARPBOOK_REVIEW_H

#include "tui/text/text.h"
#include "tui/tui.h"

struct reviewing {
    struct paper paper;
    struct lessons lessons;
    struct workbook *workbook;
    struct review review; // as the workbook stands
    long today;
    bool echo; // answers do not show by themselves: they come from a pipe
    size_t right, wrong;
};
void review_again(struct reviewing *reviewing); // reads the workbook's events and the clock anew
// "tomorrow, 2026-11-22", "in 3 days, on 2026-11-24"
void review_when(const struct reviewing *reviewing, long due, struct text *out);
// The words of a text from a lesson without their marks, on one line.
void review_words(const char *text, struct text *out);

// ---- review_ask.c: one question ---------------------------------------------------------------------------------

enum asked { ASKED_ANSWERED, ASKED_ENOUGH, ASKED_FAILED };
// Asks, judges, writes it down, and only then tells. ENOUGH: no answer came; FAILED: it could not be written down, which
// was said. `place`: "2 of 5".
enum asked review_ask(struct reviewing *reviewing, const struct live *live, const char *place);
// Shows a task, and the command that opens it.
void review_name(const struct reviewing *reviewing, const struct live *live);

// ---- review_tell.c ------------------------------------------------------------------------------------------------

// What was answered just now, and what was known of the question before.
struct given {
    struct {
        const struct lesson *lesson;
        const struct live *live;
        json_t *predicted; // or answered
    } question;
    struct outcome outcome; // of a prediction
    bool right, shown;
    long due;
};
void review_tell(const struct reviewing *reviewing, struct given *given);

#endif
