// predict: asked before it is run. The prediction is in the workbook before anything that came out is shown; then both
// stand side by side.
#include "tui/view/live_outcome.h"

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
        if (!outcome_one_how(outcome))
            live_behind(view, outcome_role(outcome->how[choice]), outcome->how[choice]);
    }
    if (chosen)
        live_behind(view, ROLE_NOTE, "your prediction");
    sheet_end(sheet);
}

static void side(const struct live_view *view, const char *name, enum role role, const char *number,
                 const char *behind)
{
    struct sheet *sheet = view->sheet;
    const char *unit = live_field(view->live, "unit");
    sheet_to(sheet, 2);
    sheet_add(sheet, role, "%-9s ", name);
    sheet_add(sheet, ROLE_TITLE, unit || *behind ? "%8s " : "%8s", number);
    sheet_hang(sheet, 13);
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, "%s%s", unit, *behind ? " " : "");
    if (*behind)
        sheet_flow(sheet, role, "%s", behind);
    sheet_end(sheet);
}

// "recorded on NVIDIA H100, 2026-11-20" in two: the word, and the rest.
static void both_sides(const struct live_view *view, const struct outcome *outcome)
{
    char number[40], word[24];
    const char *how = outcome->how[0], *value = live_field(view->live, "value");
    size_t length = strcspn(how, " ");
    format_into(word, sizeof word, "%.*s", (int)length, how);
    outcome_number(number_predicted(view->question), "", number, sizeof number);
    side(view, "predicted", ROLE_TEXT, number, "");
    outcome_number(outcome->values[0], value ? value : "", number, sizeof number);
    side(view, *word ? word : "right", *word ? outcome_role(how) : ROLE_NOTE, number,
         how[length] ? how + length + 1 : "");
}

static void verdict(const struct live_view *view, const struct outcome *outcome)
{
    struct sheet *sheet = view->sheet;
    bool choices = live_count(view->live, "choice") > 0, right = chosen_of(view->question) == outcome->right;
    double ratio =
        choices ? right ? 1 : NAN : outcome_ratio(number_predicted(view->question), outcome->values[0]);
    bool numbers = choices && outcome->count == 1 &&
                   isdigit((unsigned char)*live_nth(view->live, "choice", 0)) &&
                   live_count(view->live, "run");
    if (isnan(ratio) && numbers)
        ratio = outcome_ratio(number_predicted(view->question), outcome->values[0]);
    sheet_to(sheet, 2);
    sheet_hang(sheet, 4);
    if (choices ? right : ratio < 1.005)
        sheet_flow(sheet, ROLE_GOOD, "%s right", glyph(sheet->utf8, GLYPH_DONE));
    else if (ratio < OUTCOME_RIGHT)
        sheet_flow(sheet, ROLE_GOOD, "%s nearly: off by %.1f %%", glyph(sheet->utf8, GLYPH_DONE),
                   100 * (ratio - 1));
    else if (isnan(ratio) || isinf(ratio))
        sheet_flow(sheet, ROLE_BAD, "%s not so", glyph(sheet->utf8, GLYPH_WRONG));
    else if (ratio < 1.5)
        sheet_flow(sheet, ROLE_NOTE, "%s close: off by %.0f %%", glyph(sheet->utf8, GLYPH_HALF),
                   100 * (ratio - 1));
    else
        sheet_flow(sheet, ROLE_BAD, "%s off by a factor of %.3g", glyph(sheet->utf8, GLYPH_WRONG), ratio);
    sheet_end(sheet);
}

void predict_came(const struct live_view *view, const struct outcome *outcome)
{
    struct sheet *sheet = view->sheet;
    bool runs = live_count(view->live, "run") > 0;
    if (outcome->count == 1 && (runs || !live_count(view->live, "choice"))) {
        both_sides(view, outcome);
    } else if (*outcome->how[0] && outcome_one_how(outcome)) {
        sheet_to(sheet, 2);
        sheet_hang(sheet, 2);
        sheet_flow(sheet, outcome_role(outcome->how[0]), "%s", outcome->how[0]);
        sheet_end(sheet);
    }
    verdict(view, outcome);
}

static void outcome_lines(const struct live_view *view, const struct outcome *outcome)
{
    struct sheet *sheet = view->sheet;
    if (outcome->state == OUTCOME_CAME) {
        predict_came(view, outcome);
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
        outcome = outcome_of(view->app, question);
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
        const struct trial *trial = &question->trials[i];
        const struct run_result *result = trial_result(app, trial, false);
        bool elsewhere = trial->request.on == ON_GPU && !runs_gpu(app) && result && result->recorded;
        if (!elsewhere)
            trial_start(app, trial, false);
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
    struct outcome outcome = outcome_of(app, question);
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
