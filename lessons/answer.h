// Answers without a page: what was typed or chosen, whether it is right, what came out of the runs of a prediction, and
// how far a learner has got. The screen, the review and the report all judge by these.
#ifndef WARPBOOK_ANSWER_H
#define WARPBOOK_ANSWER_H

#include "engine/cli/cli.h"
#include "lessons/lessons.h"

// ---- quizzes and predictions ---------------------------------------------------------------------------

bool quiz_choice_right(const struct live *live, size_t choice); // from 0
// "2" is 1, and "1 3" or "1,3" are 5; false: no such choice.
bool quiz_choice_typed(const struct live *live, const char *typed, size_t *choice);
bool quiz_choices_typed(const struct live *live, const char *typed, unsigned *bits);
bool quiz_several(const struct live *live);     // whether several choices are right
bool answer_is_number(const struct live *live); // whether a number is typed; "1,024 threads" is one
// What was answered, as the event that the workbook keeps, and for a quiz whether it is right. NULL: it is no answer
// to this (no such choice, no number), or not UTF-8.
json_t *quiz_chosen(const struct live *live, unsigned bits);
json_t *quiz_typed(const struct live *live, const char *typed);
json_t *predict_typed(const struct live *live, const char *typed);
// Whether both chose, typed or put in order the same.
bool answers_equal(const struct live *live, const json_t *one, const json_t *other);
int predict_chosen(const json_t *predicted); // from 1; 0: none
double predict_number(const struct live *live, const json_t *predicted);
struct outcome;
bool predict_right(const struct live *live, const json_t *predicted, const struct outcome *outcome);

// ---- lines that are put in order -------------------------------------------------------------------------

enum { ORDER_MOST = 35 }; // lines and extra lines
const char *order_line(const struct live *live,
                       int index);                    // the lines, from 0, and after them the extra ones
int order_start(const struct live *live, int *order); // as they are first shown; returns how many
// How many lines from the start on are as in the right order that fits longest; *whole: nothing is missing or too much.
int order_fits(const struct live *live, const int *order, int count, bool *whole);
// "3 1 2": places of the lines as order_start has them. The event, and whether it is right; NULL: it is no order.
json_t *order_typed(const struct live *live, const char *typed);

// ---- a run that a live block names ------------------------------------------------------------------

struct lesson_run {
    char *place; // "coalescing/2-stride-2"
    struct request request;
    struct variant variant; // not of a CPU implementation
    const struct cpu_variant *cpu;
};
// "coalescing/2-stride-2 --on sim --size small". `own`: the learner's copy, where there is one, or else what ships.
bool lesson_run_read(struct lesson_run *out, const char *run, bool own, struct error *error);
void lesson_run_free(struct lesson_run *run);

// ---- what came out of the runs of a prediction ----------------------------------------------------------

#define OUTCOME_RIGHT 1.05 // a number that is off by less is right
enum { OUTCOME_MOST = 9, HOW_MOST = 160 };
enum outcome_state { OUTCOME_NONE, OUTCOME_WAITS, OUTCOME_FAILED, OUTCOME_CAME };
struct outcome {
    enum outcome_state state;
    double values[OUTCOME_MOST]; // by run
    // Where each comes from: "simulated", "measured here, on …", "recorded on …, 2026-11-01"; "": the lesson says it.
    char how[OUTCOME_MOST][HOW_MOST];
    size_t count;
    int right;     // the choice, from 1; 0: there are none
    char why[400]; // it waits or failed
};
// From the lesson alone, or from `answered`, an answer of the workbook (may be NULL). False: neither says it.
bool outcome_known(const struct live *live, const json_t *answered, struct outcome *out);
// The choice, from 1, whose number is nearest by ratio, or whose run is the best; 0: there are no choices.
int outcome_right_choice(const struct live *live, const struct outcome *outcome);
double outcome_ratio(double predicted, double came);        // 1 and more
bool outcome_has_one_source(const struct outcome *outcome); // whether all values come from the same place
// What the workbook keeps of it: came, how, and by_value where the values do not come from the same place.
json_t *outcome_event(const struct outcome *outcome, bool right);

// ---- review.c: how far a learner has got in a lesson --------------------------------------------------------------

struct progress {
    int asked, done; // questions, predictions, exercises
    bool opened;
};
struct progress progress_of(const struct workbook *workbook,
                            const struct lesson *lesson); // workbook may be NULL
// The first lesson that is begun and not done, or else the first that is not begun; NULL: none.
const struct lesson *progress_next(const struct lessons *lessons, const struct workbook *workbook);

#endif
