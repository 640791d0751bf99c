// predict: asked before it is run. The prediction is in the workbook before anything that came out is shown; then both
// stand side by side.
#include "tui/view/live.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int chosen_of(const struct question *question)
{
    return predict_chosen(question ? question->predicted : NULL);
}

static double number_predicted(const struct question *question)
{
    return predict_number(question->live, question->predicted);
}

// ---- showing --------------------------------------------------------------------------------------------------------

static void choice_line(const struct live_view *view, size_t choice, const struct outcome *outcome)
{
    struct sheet *sheet = view->sheet;
    const struct live *live = view->live;
    bool open = view->question && !view->question->predicted, came = outcome->state == OUTCOME_CAME;
    bool chosen = chosen_of(view->question) == (int)choice + 1,
         right = came && outcome->right == (int)choice + 1;
    sheet_to(sheet, 2);
    if (open)
        sheet->item = links_add(view->links, "answer %s %zu", live->id, choice + 1);
    sheet_add(sheet, right ? ROLE_GOOD : ROLE_TEXT, "(%s) ",
              right    ? glyph(sheet->utf8, GLYPH_DONE)
              : chosen ? glyph(sheet->utf8, GLYPH_POINT)
                       : " ");
    sheet_hang(sheet, sheet->used);
    typeset_text(sheet, ROLE_TEXT, live_nth(live, "choice", choice), NULL);
    sheet->item = -1;
    if (came && outcome->count > 1 && choice < outcome->count) {
        char number[40];
        outcome_number(outcome->values[choice], live_field(live, "value"), number, sizeof number);
        live_behind(view, ROLE_TITLE, number);
        if (!outcome_has_one_source(outcome))
            live_behind(view, outcome_role(outcome->how[choice]), outcome->how[choice]);
    }
    if (chosen)
        live_behind(view, ROLE_NOTE, "your prediction");
    sheet_end(sheet);
}

static void outcome_lines(const struct live_view *view, const struct outcome *outcome)
{
    struct sheet *sheet = view->sheet;
    if (outcome->state == OUTCOME_CAME) {
        predict_came(sheet, view->live, view->question ? view->question->predicted : NULL, outcome);
        live_ask(view, "because");
        if (view->app && !view->question->answered)
            live_button(view, "Write it down again", "answer %s keep", view->live->id);
        return;
    }
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    if (outcome->state == OUTCOME_WAITS)
        sheet_flow(sheet, ROLE_NOTE, "%s %s", glyph(sheet->utf8, GLYPH_ELLIPSIS), outcome->why);
    else if (outcome->state == OUTCOME_FAILED)
        sheet_flow(sheet, ROLE_BAD, "%s %s", glyph(sheet->utf8, GLYPH_WRONG), outcome->why);
    else
        sheet_flow(sheet, ROLE_DIM, "It did not run yet.");
    sheet_end(sheet);
    if (outcome->state != OUTCOME_WAITS)
        live_button(view, outcome->state == OUTCOME_FAILED ? "Run it again" : "Run it", "answer %s run",
                    view->live->id);
}

void predict_add(const struct live_view *view)
{
    struct question *question = view->question;
    bool predicted = question && question->predicted;
    struct outcome outcome = { 0 };
    size_t choices = live_count(view->live, "choice");
    if (predicted)
        outcome = live_outcome(view->app, question);
    live_head(view, "Prediction", ROLE_GOOD, GLYPH_DONE, predicted ? "made" : "");
    live_ask(view, "ask");
    for (size_t i = 0; i < choices; i++)
        choice_line(view, i, &outcome);
    if (!choices && !predicted)
        live_field_line(view);
    if (predicted)
        outcome_lines(view, &outcome);
}

// ---- predicting -------------------------------------------------------------------------------------------------------

void predict_run(struct app *app, struct question *question)
{
    question_seek(question);
    if (!question->predicted) {
        app_say(app, ROLE_NOTE, "Predict first; then it runs.");
        return;
    }
    for (size_t i = 0; i < question->trial_count; i++) {
        const struct lesson_run *trial = &question->trials[i];
        const struct run_result *result = live_run_result(app, trial, false);
        bool elsewhere = trial->request.on == ON_GPU && !runs_gpu(app) && result && result->recorded;
        if (!elsewhere)
            live_run_start(app, trial, false);
    }
}

void predict_answer(struct app *app, struct question *question, const char *answer)
{
    size_t choices = live_count(question->live, "choice");
    if (strcmp(answer, "run") == 0) {
        predict_run(app, question);
        return;
    }
    if (strcmp(answer, "keep") == 0 && question->predicted) {
        predict_note(app, question, true);
        return;
    }
    if (question->predicted) {
        app_say(app, ROLE_DIM, "You have predicted this already.");
        return;
    }
    json_t *event = predict_typed(question->live, answer);
    if (!event && choices)
        app_say(app, ROLE_BAD, "The choices are 1 to %zu.", choices);
    else if (!event)
        app_say(app, ROLE_NOTE, "Type a number.");
    else
        question_keep(app, question, true, event);
    if (question->predicted)
        predict_run(app, question);
}

void predict_note(struct app *app, struct question *question, bool again)
{
    if (!question->predicted || question->answered || (question->unkept && app->workbook && !again))
        return;
    struct outcome outcome = live_outcome(app, question);
    if (outcome.state != OUTCOME_CAME)
        return;
    bool choices = live_count(question->live, "choice") > 0;
    double ratio = outcome_ratio(number_predicted(question), outcome.values[0]);
    bool right = predict_right(question->live, question->predicted, &outcome);
    json_t *event = outcome_event(&outcome, right);
    if (event && isfinite(ratio) && outcome.count == 1 && (!choices || live_count(question->live, "run")))
        json_object_set_new(event, "ratio", json_real(ratio));
    question_keep(app, question, false, event);
}
