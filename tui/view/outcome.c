// What came out of the runs that a prediction is about: from the runs themselves, or from the workbook, which remembers
// what came out when it was predicted.
#include "tui/view/live_outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- from a run -----------------------------------------------------------------------------------------------------

static bool fail_with(struct outcome *out, const char *place, const char *why)
{
    out->state = OUTCOME_FAILED;
    format_into(out->why, sizeof out->why, "%s: %.*s", place, (int)strcspn(why, "\n"), why);
    return false;
}

static void say_how(struct outcome *out, const struct run_result *result)
{
    const struct record *record = &result->record;
    const char *device = record->device ? record->device : "";
    char *how = out->how[out->count];
    if (result->recorded)
        format_into(how, HOW_MOST, "recorded on %s, %.10s", device, record->date ? record->date : "");
    else if (record->backend == ON_SIM)
        format_into(how, HOW_MOST, "simulated");
    else
        format_into(how, HOW_MOST, "measured here, on %s%s", record->backend == ON_CPU ? "the CPU " : "",
                    device);
}

static bool take_value(struct outcome *out, const struct trial *trial, const char *value,
                       const struct run_result *result)
{
    const struct record *record = &result->record;
    double number;
    if (result->error)
        return fail_with(out, trial->place, result->error);
    if (record->status == STATUS_FAILED || record->status == STATUS_SKIPPED)
        return fail_with(out, trial->place, record->message ? record->message : "it did not run.");
    json_t *json = record_to_json(record);
    bool there = live_value(value, json, &number);
    json_decref(json);
    if (!there)
        return fail_with(out, trial->place, "the run does not say it.");
    say_how(out, result);
    out->values[out->count++] = number;
    return true;
}

static void from_runs(struct app *app, const struct question *question, struct outcome *out)
{
    const char *value = live_field(question->live, "value");
    for (size_t i = 0; i < question->trial_count; i++) {
        const struct trial *trial = &question->trials[i];
        enum run_state state = trial_state(app, trial, false);
        const struct run_result *result = trial_result(app, trial, false);
        if (state != RUN_NONE) {
            out->state = OUTCOME_WAITS;
            format_into(out->why, sizeof out->why, "%s %s", trial->place,
                        state == RUN_RUNS ? "runs" : "waits for its turn");
            return;
        }
        if (!result) {
            out->state = OUTCOME_NONE;
            return;
        }
        if (!take_value(out, trial, value, result))
            return;
    }
    out->state = question->trial_count ? OUTCOME_CAME : OUTCOME_NONE;
}

// ---- from the workbook ----------------------------------------------------------------------------------------------

// `by_value` says it of each; older workbooks have one `how` for all.
static void from_workbook(const struct live *live, const json_t *answered, struct outcome *out)
{
    const json_t *values = json_object_get(answered, "came"), *hows = json_object_get(answered, "by_value");
    const char *how = json_string_value(json_object_get(answered, "how"));
    size_t count = json_array_size(values), wanted = live_count(live, "run");
    bool each = json_array_size(hows) == count;
    if (!how || count != wanted || count > OUTCOME_MOST)
        return;
    *out = (struct outcome){ .state = OUTCOME_CAME };
    for (; out->count < count; out->count++) {
        const char *own = each ? json_string_value(json_array_get(hows, out->count)) : NULL;
        out->values[out->count] = json_number_value(json_array_get(values, out->count));
        format_into(out->how[out->count], HOW_MOST, "%s", own ? own : how);
    }
}

json_t *outcome_event(const struct outcome *outcome, bool right)
{
    bool same = outcome_one_how(outcome);
    json_t *came = json_array(), *hows = json_array();
    struct text how = { 0 };
    text_add(&how, "");
    for (size_t i = 0; i < outcome->count; i++) {
        json_array_append_new(came, json_real(outcome->values[i]));
        json_array_append_new(hows, json_string(outcome->how[i]));
        if (!i || !same)
            text_addf(&how, "%s%s", i ? "; " : "", outcome->how[i]);
    }
    json_t *event = json_pack("{s:b, s:o, s:s}", "right", right, "came", came, "how", how.data);
    if (event && !same)
        json_object_set(event, "by_value", hows);
    json_decref(hows);
    text_free(&how);
    return event;
}

// ---- where it comes from ----------------------------------------------------------------------------------------------

bool outcome_one_how(const struct outcome *outcome)
{
    for (size_t i = 1; i < outcome->count; i++)
        if (strcmp(outcome->how[i], outcome->how[0]) != 0)
            return false;
    return true;
}

enum role outcome_role(const char *how)
{
    return string_starts(how, "simulated")                    ? ROLE_SIM
           : string_starts(how, "measured here, on the CPU ") ? ROLE_CPU
           : string_starts(how, "measured")                   ? ROLE_GPU
           : string_starts(how, "recorded")                   ? ROLE_NOTE
                                                              : ROLE_TEXT;
}

// ---- what is right --------------------------------------------------------------------------------------------------

double outcome_ratio(double predicted, double came)
{
    if (predicted == came)
        return 1;
    if (predicted <= 0 || came <= 0)
        return INFINITY;
    return predicted > came ? predicted / came : came / predicted;
}

// The choice, from 1, whose number is nearest by ratio, or whose run is the best; 0: there are no choices.
static int right_choice(const struct live *live, const struct outcome *outcome)
{
    size_t choices = live_count(live, "choice");
    const char *best = live_field(live, "best");
    bool most = best && strcmp(best, "most") == 0;
    int right = 0;
    for (size_t i = 0; i < choices; i++) {
        bool first = right == 0, better;
        if (outcome->count > 1) {
            better = i < outcome->count && !first &&
                     (most ? outcome->values[i] > outcome->values[right - 1]
                           : outcome->values[i] < outcome->values[right - 1]);
        } else {
            double number = strtod(live_nth(live, "choice", i), NULL);
            better = !first && outcome_ratio(number, outcome->values[0]) <
                                   outcome_ratio(strtod(live_nth(live, "choice", (size_t)right - 1), NULL),
                                                 outcome->values[0]);
        }
        if (first || better)
            right = (int)i + 1;
    }
    return right;
}

static void from_lesson(const struct live *live, struct outcome *out)
{
    const char *right = live_field(live, "right");
    out->state = OUTCOME_CAME;
    out->values[0] = strtod(right, NULL);
    out->count = 1;
    out->right = live_count(live, "choice") ? (int)out->values[0] : 0;
}

bool outcome_known(const struct live *live, const json_t *answered, struct outcome *out)
{
    *out = (struct outcome){ 0 };
    if (live_field(live, "right"))
        from_lesson(live, out);
    else
        from_workbook(live, answered, out);
    if (out->state == OUTCOME_CAME && !live_field(live, "right"))
        out->right = right_choice(live, out);
    return out->state == OUTCOME_CAME;
}

struct outcome outcome_of(struct app *app, struct question *question)
{
    struct outcome out = { 0 };
    if (live_field(question->live, "right")) {
        from_lesson(question->live, &out);
        return out;
    }
    question_seek(question);
    if (question->trouble) {
        out.state = OUTCOME_FAILED;
        format_into(out.why, sizeof out.why, "%s", question->trouble);
    } else {
        from_runs(app, question, &out);
    }
    if (out.state == OUTCOME_NONE || out.state == OUTCOME_FAILED)
        from_workbook(question->live, question->answered, &out);
    if (out.state == OUTCOME_CAME)
        out.right = right_choice(question->live, &out);
    return out;
}

void outcome_number(double value, const char *key, char *out, size_t size)
{
    bool one_name = !key[strcspn(key, " +-*/()")];
    bool whole = fabs(value - round(value)) < 1e-6 * fabs(value) || fabs(value) >= 1000;
    if (one_name && string_ends(key, "_ms"))
        unit_ms(value, out, size);
    else if (whole && fabs(value) < 1e15)
        unit_count(round(value), out, size);
    else
        format_into(out, size, "%.3g", value);
}
