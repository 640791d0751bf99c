// What came out of the runs of a prediction.
#ifndef WARPBOOK_LIVE_OUTCOME_H
#define WARPBOOK_LIVE_OUTCOME_H

#include "tui/view/live.h"

#define OUTCOME_RIGHT 1.05 // a number that is off by less is right
enum { OUTCOME_MOST = 9, HOW_MOST = 160 };
enum outcome_state { OUTCOME_NONE, OUTCOME_WAITS, OUTCOME_FAILED, OUTCOME_CAME };
struct outcome {
    enum outcome_state state;
    double values[OUTCOME_MOST]; // by run
    char how[OUTCOME_MOST]
            [HOW_MOST]; // where each comes from: "simulated", "measured here, on …", "recorded on …,
                        // 2026-11-01"; "": the lesson says it
    size_t count;
    int right;     // the choice, from 1; 0: there are none
    char why[400]; // it waits or failed
};
struct outcome outcome_of(struct app *app, struct question *question);
// From the lesson alone, or from `answered`, an answer of the workbook (may be NULL). False: neither says it.
bool outcome_known(const struct live *live, const json_t *answered, struct outcome *out);
double outcome_ratio(double predicted, double came); // 1 and more
bool predict_right(const struct live *live, const json_t *predicted,
                   const struct outcome *outcome); // answer.c
// What was predicted beside what came, and how near that is. Needs no app.
void predict_came(const struct live_view *view, const struct outcome *outcome);
bool outcome_one_how(const struct outcome *outcome); // whether all values come from the same place
enum role outcome_role(const char *how);
// What the workbook keeps of it: came, how, and by_value where the values do not come from the same place.
json_t *outcome_event(const struct outcome *outcome, bool right);
void outcome_number(double value, const char *key, char *out, size_t size); // key: what the lesson calls it

#endif
