// Runs that live blocks name: started, looked up, and what came out of those that a prediction is about.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

// ---- runs ----------------------------------------------------------------------------------------------------------

static struct request request_of(const struct lesson_run *run, bool simulate)
{
    const struct request *asked = &run->request;
    struct request request =
        request_new(simulate ? ON_SIM : asked->on, asked->lab, run->cpu ? NULL : &run->variant, run->cpu,
                    asked->preset, asked->data);
    request.reps = asked->reps;
    if (!simulate)
        request.limit_ms = asked->limit_ms;
    expr_params_copy(&request.params, &asked->params);
    return request;
}

void live_run_start(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    runs_start(app, &request);
}

// What came out of another text under the same name is no answer.
const struct run_result *live_run_result(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    const struct run_result *result = runs_find(app, &request, run->cpu ? NULL : &run->variant);
    request_free(&request);
    if (result && !run->cpu && result->code && result->code != variant_code(&run->variant))
        return NULL;
    return result;
}

enum run_state live_run_state(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    enum run_state state = runs_state(app, &request);
    request_free(&request);
    return state;
}

// ---- what came out -----------------------------------------------------------------------------------------------------

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

static bool take_value(struct outcome *out, const struct lesson_run *trial, const char *value,
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
        const struct lesson_run *trial = &question->trials[i];
        enum run_state state = live_run_state(app, trial, false);
        const struct run_result *result = live_run_result(app, trial, false);
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

// ---- from wherever it is known ---------------------------------------------------------------------------------------

struct outcome live_outcome(struct app *app, struct question *question)
{
    struct outcome out = { 0 };
    if (live_field(question->live, "right")) {
        outcome_known(question->live, NULL, &out);
        return out;
    }
    question_seek(question);
    if (question->trouble) {
        out.state = OUTCOME_FAILED;
        format_into(out.why, sizeof out.why, "%s", question->trouble);
    } else {
        from_runs(app, question, &out);
    }
    struct outcome written;
    if (out.state == OUTCOME_CAME)
        out.right = outcome_right_choice(question->live, &out);
    else if (out.state != OUTCOME_WAITS && outcome_known(question->live, question->answered, &written))
        return written;
    return out;
}
