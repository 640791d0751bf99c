// Answers without a page: what was typed or chosen, whether it is right, what came out of the runs of a prediction, and
// how far a learner has got. The screen, the review and the report all judge by these.
#ifndef WARPBOOK_ANSWER_H
#define WARPBOOK_ANSWER_H

#include "engine/cli/cli.h"
#include "engine/room/room.h"
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
// Why what was typed is wrong, of a quiz's or a prediction's event; NULL: the lesson does not say.
const char *answer_why_not(const struct live *live, const json_t *answer);
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
// Where a record's numbers come from: "simulated", "measured here, on the CPU …", "recorded on …, 2026-11-01".
void run_origin(const struct record *record, bool recorded, char out[ORIGIN_MOST]);

// ---- what came out of the runs of a prediction ----------------------------------------------------------

#define OUTCOME_RIGHT 1.05 // a number that is off by less is right
#define OUTCOME_SAME 1.1   // several that differ by less are the same, where a choice says so
enum { OUTCOME_MOST = 9 };
enum outcome_state { OUTCOME_NONE, OUTCOME_WAITS, OUTCOME_FAILED, OUTCOME_CAME };
struct outcome {
    enum outcome_state state;
    double values[OUTCOME_MOST];         // by run
    char how[OUTCOME_MOST][ORIGIN_MOST]; // where each comes from; "": the lesson says it
    size_t count;
    int right;     // the choice, from 1; 0: there are none
    char why[400]; // it waits or failed
};
// Takes the outcome from the lesson alone, or from `answered`, an answer of the workbook (may be NULL). False: neither has
// it.
bool outcome_known(const struct live *live, const json_t *answered, struct outcome *out);
// The choice, from 1, whose number is nearest by ratio, or whose run is the best, or the last, which says that all runs are
// the same; 0: there are no choices.
int outcome_right_choice(const struct live *live, const struct outcome *outcome);
double outcome_ratio(double predicted, double came);        // 1 and more
double outcome_spread(const struct outcome *outcome);       // the largest value over the least
bool outcome_has_one_source(const struct outcome *outcome); // whether all values come from the same place
// What the workbook keeps of it: came, how, and by_value where the values do not come from the same place.
json_t *outcome_event(const struct outcome *outcome, bool right);

// ---- again.c: numbers that are computed, and questions that are asked again with other numbers ------------------

// What "explore(banks stride=2: wavefronts)" comes to: call "explore", subject "banks stride=2", value "wavefronts".
typedef bool (*computed_call)(void *context, const char *call, const char *subject, const char *value,
                              double *out, struct error *error);
struct computing {
    const char *const *calls; // their names; NULL after the last
    computed_call call;
    void *context;
    bool whole; // what is whole stays so, and is divided as in C
};
// Arithmetic as on `//@` lines with calls in it.
bool computed(const char *expression, const struct computing *by, struct expr_value *out,
              struct error *error);

enum { DRAWS = 4, DRAWN_NAME = 16 };
struct drawn {
    char names[DRAWS][DRAWN_NAME];
    int64_t numbers[DRAWS];
    size_t count;  // of names
    size_t others; // how many draws there are beside that of the lesson
    bool answered; // the answer is known
    struct expr_value answer;
};
// `which` from 1 to `others`; 0: the numbers that the question has in the lesson.
bool drawn_read(const struct live *live, size_t which, struct drawn *out, struct error *error);
// Computes the answer.
bool drawn_answer(const struct live *live, struct drawn *drawn, computed_call call, void *context,
                  struct error *error);
// Adds the text with its numbers for {NAME} and {EXPRESSION}; {answer} where it is known.
bool drawn_text(const struct drawn *drawn, const char *text, struct text *out, struct error *error);
// What was typed, as the event that the workbook keeps; NULL: it is no number.
json_t *drawn_typed(const struct live *live, const struct drawn *drawn, const char *typed);

// ---- polled.c: a question as a poll of a room ---------------------------------------------------------------------

// "06-coalescing/sectors-of-stride-2": a question with choices, one of them right.
bool poll_from_lesson(struct lessons *lessons, const char *place, struct poll *out, struct error *error);
// The right choice, from 0; -1: none is, or only a run tells, and no answer of the workbook (NULL: none) has its outcome.
int poll_right(const struct lessons *lessons, const struct workbook *workbook, const struct poll *poll);

// ---- progress.c: how far a learner has got, and what comes next -------------------------------------------------------
// The workbook may be NULL. A part counts from 1; 0: the whole lesson.

// Right; a prediction cannot be wrong.
static inline bool live_is_done(const struct workbook *workbook, const struct lesson *lesson,
                                const struct live *live)
{
    const char *kind = live->kind == LIVE_PREDICT ? "predict" : "answer";
    const json_t *event = workbook ? workbook_find(workbook, kind, lesson->name, live->id) : NULL;
    return event && (live->kind == LIVE_PREDICT || json_is_true(json_object_get(event, "right")));
}

// Not done, and the learner did not want to see the answer.
static inline bool live_is_open(const struct workbook *workbook, const struct lesson *lesson,
                                const struct live *live)
{
    const json_t *answer = workbook ? workbook_find(workbook, "answer", lesson->name, live->id) : NULL;
    return !live_is_done(workbook, lesson, live) && !json_is_true(json_object_get(answer, "shown"));
}

struct progress {
    int asked, done; // questions, predictions, exercises
    int open;
    bool opened;
};
struct progress progress_of(const struct workbook *workbook, const struct lesson *lesson, size_t part);
struct lesson_progress {
    struct progress all, *parts;
};
// Reads the progress in each lesson and its parts, in one pass; progress_free frees.
struct lesson_progress *progress_read(const struct workbook *workbook, const struct lessons *lessons);
void progress_free(struct lesson_progress *read, const struct lessons *lessons);
// The block that was at the top when the lesson was left last; 0: the first.
size_t progress_left(const struct workbook *workbook, const struct lesson *lesson);
// The lesson that was answered in last, or else the first with something open, and the first part in which something is.
struct next {
    const struct lesson *lesson; // NULL: nothing is open
    size_t part, left;           // that part, and the one where the lesson was left; 0: it has no parts
    const struct live *open;     // the first thing open there, where a later part was left; NULL: it was not
};
struct next progress_next(const struct workbook *workbook, const struct lessons *lessons,
                          const struct lesson_progress *read);

#endif
