// Questions of a lesson that are answered in place: quizzes, predictions, and lines to put in order.
#include "tui/view/live.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what questions share --------------------------------------------------------------------------------------

static bool is_open(const struct question *question)
{
    return question && !question_is_answered(question);
}

// Whether the last answer holds this choice.
static bool was_chosen(const struct question *question, size_t choice)
{
    const json_t *chosen = question ? json_object_get(question->answered, "chosen") : NULL;
    for (size_t i = 0; i < json_array_size(chosen); i++)
        if (json_integer_value(json_array_get(chosen, i)) == (json_int_t)choice + 1)
            return true;
    return false;
}

// Whether boxes are ticked of which the last answer knows nothing.
bool question_is_unchecked(const struct question *question)
{
    unsigned bits = 0;
    if (!is_open(question) || question->live->kind != LIVE_QUIZ || !quiz_several(question->live))
        return false;
    for (size_t i = 0; i < live_count(question->live, "choice"); i++)
        bits |= (unsigned)was_chosen(question, i) << i;
    return question->chosen && bits != question->chosen;
}

// Whether it is answered; `wrong` says what is wrong with the answer so far, "": nothing yet. While something is chosen from
// its lines it is an item, so that going to the question chooses nothing of it.
static void put_head(const struct live_view *view, const char *wrong)
{
    const char *name = live_title(view->live->kind);
    bool chooses = view->live->kind == LIVE_ORDER || live_count(view->live, "choice") > 0;
    if (chooses && is_open(view->question) && !view->aside)
        view->sheet->item = links_add(view->links, "question %s", view->live->id);
    if (question_is_unchecked(view->question))
        live_head(view, name, ROLE_NOTE, GLYPH_HALF, "ticked, not checked yet");
    else if (live_solved(view->question))
        live_head(view, name, ROLE_GOOD, GLYPH_DONE, view->live->kind == LIVE_PREDICT ? "made" : "right");
    else if (live_shown(view->question))
        live_head(view, name, ROLE_NOTE, GLYPH_HALF, "answer shown");
    else
        live_head(view, name, ROLE_BAD, GLYPH_WRONG, wrong);
    view->sheet->item = -1;
}

// A choice after its brackets, which can be chosen while the question is open; the line is not ended.
static void put_choice(const struct live_view *view, size_t choice, bool open, enum role role,
                       const char *brackets)
{
    struct sheet *sheet = view->sheet;
    sheet_to(sheet, 2);
    if (open)
        sheet->item = links_add(view->links, "answer %s %zu", view->live->id, choice + 1);
    sheet_add(sheet, role, "%s ", brackets);
    sheet_hang(sheet, sheet->used);
    typeset_text(sheet, ROLE_TEXT, live_nth(view->live, "choice", choice), NULL);
    sheet->item = -1;
}

// Why an answer is wrong, below it; NULL: nobody says it.
static void why_not(const struct live_view *view, const char *why)
{
    struct sheet *sheet = view->sheet;
    if (!why)
        return;
    sheet_to(sheet, 6);
    sheet_hang(sheet, 6);
    typeset_text(sheet, ROLE_NOTE, why, view->links);
    sheet_end(sheet);
}

static void show_button(const struct live_view *view)
{
    live_button(view,
                question_asks(view->question, "show") ? "Show the answer? Enter shows it" : "Show the answer",
                "answer %s show", view->live->id);
}

// The field that is typed into, and the unit after it.
static void field_line(const struct live_view *view)
{
    enum { LEAST = 12 };
    struct sheet *sheet = view->sheet;
    const char *unit = live_field(view->live, "unit"),
               *text = view->question ? text_string(&view->question->field.text) : "";
    int cells = text_cells(text) + 1 > LEAST ? text_cells(text) + 1 : LEAST;
    sheet_to(sheet, 2);
    sheet_add(sheet, ROLE_DIM, "[");
    if (view->question)
        sheet->item = links_add(view->links, "answer %s", view->live->id);
    sheet_add(sheet, ROLE_FIELD, "%s%*s", text, cells - text_cells(text), "");
    sheet->item = -1;
    sheet_add(sheet, ROLE_DIM, "]");
    sheet->hang = 2;
    sheet->glue = false;
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, " %s", unit);
    if (view->question)
        live_after(view, ROLE_DIM, "Enter to answer");
    sheet_end(sheet);
}

// ---- quizzes: showing ---------------------------------------------------------------------------------------

struct sign {
    enum role role;
    const char *in, *after; // in the brackets; words after the choice
};

static struct sign sign_of(const struct live_view *view, size_t choice)
{
    const struct question *question = view->question;
    bool utf8 = view->sheet->utf8, chosen = was_chosen(question, choice);
    if (question && !is_open(question) && quiz_choice_right(view->live, choice))
        return (struct sign){ ROLE_GOOD, glyph(utf8, GLYPH_DONE), "right" };
    if (question && chosen && !quiz_several(view->live))
        return (struct sign){ ROLE_BAD, glyph(utf8, GLYPH_WRONG), "not this" };
    if (question && is_open(question) && (question->chosen >> choice & 1))
        return (struct sign){ ROLE_TITLE, "x", "" };
    return (struct sign){ ROLE_TEXT, " ", "" };
}

// While a question is open, only the first of several wrong choices that have a reason tells it.
static bool tells_why(const struct live_view *view, size_t choice)
{
    bool only = quiz_several(view->live) && is_open(view->question);
    for (size_t i = 0; only && i < choice; i++)
        if (was_chosen(view->question, i) && !quiz_choice_right(view->live, i) && live_why_not(view->live, i))
            return false;
    return !quiz_choice_right(view->live, choice);
}

static void quiz_choice_line(const struct live_view *view, size_t choice)
{
    struct sign sign = sign_of(view, choice);
    bool chosen = was_chosen(view->question, choice);
    if (drawn_flat && !is_open(view->question))
        sign.in = chosen ? "x" : " ";
    char in_brackets[16];
    format_into(in_brackets, sizeof in_brackets, quiz_several(view->live) ? "[%s]" : "(%s)", sign.in);
    put_choice(view, choice, is_open(view->question), drawn_flat ? ROLE_TEXT : sign.role, in_brackets);
    if (*sign.after)
        live_after(view, sign.role, sign.after);
    sheet_end(view->sheet);
    if (chosen && tells_why(view, choice))
        why_not(view, live_why_not(view->live, choice));
}

static void typed_line(const struct live_view *view)
{
    const char *typed =
        view->question ? json_string_value(json_object_get(view->question->answered, "typed")) : NULL;
    struct sheet *sheet = view->sheet;
    if (!view->question || is_open(view->question)) {
        field_line(view);
        if (typed) {
            sheet_to(sheet, 2);
            sheet_hang(sheet, 2);
            sheet_flow(sheet, ROLE_BAD, "%s %s", glyph(sheet->utf8, GLYPH_WRONG), typed);
            live_after(view, ROLE_BAD, "not this");
            sheet_end(sheet);
            why_not(view, answer_why_not(view->live, view->question->answered));
        }
        return;
    }
    live_put(view, ROLE_GOOD, 4, "%s %s", glyph(sheet->utf8, GLYPH_DONE), live_field(view->live, "right"));
}

// What a wrong answer has right, which gives nothing away of the rest; until something else is chosen.
static void add_wrong(const struct live_view *view, struct text *out)
{
    const struct question *question = view->question;
    size_t chosen = 0, right = 0;
    unsigned bits = 0;
    for (size_t i = 0; quiz_several(view->live) && i < live_count(view->live, "choice"); i++) {
        bool was = was_chosen(question, i);
        bits |= (unsigned)was << i;
        chosen += was;
        right += was && quiz_choice_right(view->live, i);
    }
    text_add(out, "not right yet");
    if (!chosen || bits != question->chosen)
        return;
    if (chosen == 1)
        text_addf(out, ": the one you chose is %s", right ? "right, but not alone" : "wrong");
    else if (right == chosen)
        text_addf(out, ": your %zu are right, but not all of them", chosen);
    else if (right)
        text_addf(out, ": %zu of your %zu %s right", right, chosen, right == 1 ? "is" : "are");
    else
        text_addf(out, ": none of your %zu is right", chosen);
}

static void quiz_add(const struct live_view *view)
{
    struct text wrong = { 0 };
    size_t choices = live_count(view->live, "choice");
    bool open = is_open(view->question);
    if (view->question && view->question->answered)
        add_wrong(view, &wrong);
    put_head(view, text_string(&wrong));
    text_free(&wrong);
    live_ask(view, "ask");
    for (size_t i = 0; i < choices; i++)
        quiz_choice_line(view, i);
    if (!choices)
        typed_line(view);
    if (open && quiz_several(view->live))
        live_button(view, "Check", "answer %s done", view->live->id);
    if (open && view->question->answered)
        show_button(view);
    if (view->question && !open)
        live_ask(view, "because");
}

// ---- quizzes: answering -------------------------------------------------------------------------------------

static void keep_typed(struct app *app, struct question *question, const char *typed)
{
    if (!typed[strspn(typed, " ")]) {
        app_say(app, ROLE_NOTE, "Type an answer first.");
        return;
    }
    json_t *event = quiz_typed(question->live, typed);
    if (!event && answer_is_number(question->live))
        app_say(app, ROLE_NOTE, "Type a number.");
    else if (question_keep(app, question, false, event) && is_open(question))
        field_clear(&question->field); // what was wrong stands below it
}

static void tick(struct question *question, size_t choice)
{
    question->chosen ^= 1u << choice;
    question->asked = NULL;
}

// False: not yet.
static bool show(struct app *app, struct question *question)
{
    return question_asked_twice(app, question, "show",
                                "Once more shows it, and the workbook says that it was shown.") &&
           question_keep(app, question, false, json_pack("{s:b, s:b}", "right", 0, "shown", 1));
}

static void quiz_answer(struct app *app, struct question *question, const char *answer)
{
    const struct live *live = question->live;
    size_t choices = live_count(live, "choice"), choice;
    unsigned bits;
    if (!is_open(question))
        app_say(app, ROLE_DIM, "This one is answered.");
    else if (strcmp(answer, "show") == 0 && question->answered)
        show(app, question);
    else if (!choices)
        keep_typed(app, question, answer);
    else if (quiz_several(live) && strcmp(answer, "done") == 0)
        question_keep(app, question, false, quiz_chosen(live, question->chosen));
    else if (quiz_several(live) && strpbrk(answer, " ,") && quiz_choices_typed(live, answer, &bits))
        question_keep(app, question, false, quiz_chosen(live, question->chosen = bits));
    else if (!quiz_choice_typed(live, answer, &choice))
        app_say(app, ROLE_BAD, "The choices are 1 to %zu%s.", choices,
                quiz_several(live) ? "; several may be right: 1 2" : "");
    else if (quiz_several(live))
        tick(question, choice);
    else
        question_keep(app, question, false, quiz_chosen(live, 1u << choice));
}

const struct live_ops live_quiz = { .add = quiz_add, .answer = quiz_answer };

// ---- predictions: what came out of the runs -----------------------------------------------------------------

static bool fail_with(struct outcome *out, const char *place, const char *why)
{
    out->state = OUTCOME_FAILED;
    format_into(out->why, sizeof out->why, "%s: %.*s", place, (int)strcspn(why, "\n"), why);
    return false;
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
    run_origin(record, result->recorded, out->how[out->count]);
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

// What is known of the outcome: what the lesson says, what came out of the runs, or what the workbook remembers.
static struct outcome outcome_of_question(struct app *app, struct question *question)
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

// ---- predictions: running, and keeping what came out ----------------------------------------------------------

// Writes what came out into the workbook when it is first known; what could not be written, only when asked `again`.
static void predict_note(struct app *app, struct question *question, bool again)
{
    if (!question->predicted || question->answered || (question->unkept && app->workbook && !again))
        return;
    struct outcome outcome = outcome_of_question(app, question);
    if (outcome.state != OUTCOME_CAME)
        return;
    bool choices = live_count(question->live, "choice") > 0;
    double ratio = outcome_ratio(predict_number(question->live, question->predicted), outcome.values[0]);
    bool right = predict_right(question->live, question->predicted, &outcome);
    json_t *event = outcome_event(&outcome, right);
    if (event && isfinite(ratio) && outcome.count == 1 && (!choices || live_count(question->live, "run")))
        json_object_set_new(event, "ratio", json_real(ratio));
    question_keep(app, question, false, event);
}

static void predict_run(struct app *app, struct question *question)
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

// ---- predictions: showing -----------------------------------------------------------------------------------

static void predict_choice_line(const struct live_view *view, size_t choice, const struct outcome *outcome)
{
    const struct question *question = view->question;
    bool came = outcome->state == OUTCOME_CAME, right = came && outcome->right == (int)choice + 1;
    bool chosen = predict_chosen(question ? question->predicted : NULL) == (int)choice + 1;
    char brackets[16];
    format_into(brackets, sizeof brackets, "(%s)",
                right && !drawn_flat ? glyph(view->sheet->utf8, GLYPH_DONE)
                : chosen             ? glyph(view->sheet->utf8, GLYPH_POINT)
                                     : " ");
    put_choice(view, choice, question && !question->predicted, right && !drawn_flat ? ROLE_GOOD : ROLE_TEXT,
               brackets);
    const char *unit = live_field(view->live, "unit"), *words = live_nth(view->live, "choice", choice);
    if (unit && choice == 0 && isdigit((unsigned char)words[strlen(words) - 1])) // those below have it too
        live_after(view, ROLE_DIM, unit);
    if (right && drawn_flat)
        live_after(view, ROLE_GOOD, "right");
    bool counted = came && outcome->count > 1 && choice < outcome->count;
    if (counted) {
        char number[40];
        outcome_number(outcome->values[choice], live_field(view->live, "value"), number, sizeof number);
        live_after(view, ROLE_TITLE, number);
    }
    if (chosen)
        live_after(view, ROLE_NOTE, "your prediction");
    if (counted && !outcome_has_one_source(outcome))
        live_after(view, outcome_role(outcome->how[choice]), outcome->how[choice]);
    sheet_end(view->sheet);
    if (chosen && came && !right)
        why_not(view, live_why_not(view->live, choice));
}

static void outcome_lines(const struct live_view *view, const struct outcome *outcome)
{
    const char *id = view->live->id;
    bool utf8 = view->sheet->utf8;
    switch (outcome->state) {
    case OUTCOME_CAME:
        predict_came(view->sheet, view->live, view->question->predicted, outcome);
        if (!predict_right(view->live, view->question->predicted, outcome))
            why_not(view, answer_why_not(view->live, view->question->predicted));
        live_ask(view, "because");
        if (!view->question->answered)
            live_button(view, "Write it down again", "answer %s keep", id);
        break;
    case OUTCOME_WAITS:
        live_put(view, ROLE_NOTE, 2, "%s %s", glyph(utf8, GLYPH_ELLIPSIS), outcome->why);
        break;
    case OUTCOME_FAILED:
        live_put(view, ROLE_BAD, 2, "%s %s", glyph(utf8, GLYPH_WRONG), outcome->why);
        live_button(view, "Run it again", "answer %s run", id);
        break;
    default:
        live_put(view, ROLE_DIM, 2, "It did not run yet.");
        live_button(view, "Run it", "answer %s run", id);
    }
}

static void predict_add(const struct live_view *view)
{
    struct question *question = view->question;
    bool predicted = question && question->predicted;
    struct outcome outcome = { 0 };
    size_t choices = live_count(view->live, "choice");
    if (predicted) {
        predict_note(view->app, question, false);
        outcome = outcome_of_question(view->app, question);
    }
    put_head(view, "");
    live_ask(view, "ask");
    for (size_t i = 0; i < choices; i++)
        predict_choice_line(view, i, &outcome);
    if (!choices && !predicted)
        field_line(view);
    if (predicted)
        outcome_lines(view, &outcome);
}

// ---- predictions: answering ---------------------------------------------------------------------------------

static void predict_answer(struct app *app, struct question *question, const char *answer)
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

const struct live_ops live_predict = { .add = predict_add, .answer = predict_answer, .run = predict_run };

// ---- orders: their lines -----------------------------------------------------------------------------------------

// The lines that are not left out, in their order; returns how many.
static int kept_lines(const struct question *question, int kept[ORDER_MOST])
{
    int count = 0;
    for (int i = 0; i < question->order_count; i++)
        if (!question->left_out[i])
            kept[count++] = question->order[i];
    return count;
}

static void set_right(struct question *question)
{
    int lines = (int)live_count(question->live, "line");
    for (int i = 0; i < question->order_count; i++) {
        question->order[i] = i;
        question->left_out[i] = i >= lines;
    }
}

static void order_open(struct app *app, struct question *question)
{
    const struct live *live = question->live;
    question->order_count = (int)(live_count(live, "line") + live_count(live, "extra"));
    set_right(question);
    if (!is_open(question))
        return;
    memset(question->left_out, 0, sizeof question->left_out);
    order_start(live, question->order);
}

// ---- orders: showing ----------------------------------------------------------------------------------------

static void put_code(void *context, enum role role, const char *at, size_t bytes)
{
    sheet_add_n(context, role, at, bytes);
}

static void line_at(const struct live_view *view, int place, int number)
{
    const struct question *question = view->question;
    struct sheet *sheet = view->sheet;
    bool open = is_open(question), comment = false;
    const char *line = order_line(question->live, question->order[place]);
    if (!open && question->left_out[place])
        return;
    sheet_to(sheet, 2);
    if (open)
        sheet->item = links_add(view->links, "answer %s out %d", view->live->id, place + 1);
    if (question->left_out[place]) {
        sheet_add(sheet, ROLE_DIM, " -  %s  (left out)", line);
    } else {
        sheet_add(sheet, ROLE_DIM, "%2d  ", number);
        highlight_line(line, strlen(line), &comment, put_code, sheet);
    }
    sheet->item = -1;
    sheet_end(sheet);
}

static void paper_lines_of(const struct live_view *view)
{
    struct question question = { .live = view->live };
    order_open(NULL, &question);
    for (int i = 0; i < question.order_count; i++) {
        sheet_to(view->sheet, 2);
        sheet_add(view->sheet, ROLE_TEXT, "%c. %s", 'a' + i % 26, order_line(view->live, question.order[i]));
        sheet_end(view->sheet);
    }
}

static void order_hint(const struct live_view *view)
{
    char up[24], down[24];
    keys_name(&view->app->keys, "lesson", "move-up", up, sizeof up);
    keys_name(&view->app->keys, "lesson", "move-down", down, sizeof down);
    live_put(view, ROLE_DIM, 2, "%s and %s move the selected line%s.", up, down,
             live_count(view->live, "extra") ? "; Enter leaves it out or takes it in again" : "");
}

// Why the order that was checked is wrong, as far as the lesson says it, or else what can be said of any.
static void why_order_not(const struct live_view *view)
{
    const struct question *question = view->question;
    const char *why = answer_why_not(view->live, question->answered);
    int lines = (int)live_count(view->live, "line"), extra = 0, out = 0;
    for (int i = 0; i < question->order_count; i++) {
        extra += question->order[i] >= lines && !question->left_out[i];
        out += question->order[i] < lines && question->left_out[i];
    }
    bool runs = live_field(view->live, "file") != NULL; // which says more
    why_not(view, why || runs ? why
                  : out       ? "A line is left out that belongs there."
                  : extra     ? "A line is in it that does not belong there."
                              : "All lines are the right ones, but not in this order.");
}

// Whether lines are in it that are not needed, and do no harm: the simulator finds nothing wrong.
static bool has_needless(const struct question *question)
{
    int kept[ORDER_MOST];
    const struct judging *judging = question->judging;
    return judging && judging->came && judging->verdict.kind == VERDICT_ACCEPTED &&
           kept_lines(question, kept) > (int)live_count(question->live, "line");
}

static void order_add(const struct live_view *view)
{
    const struct question *question = view->question;
    char wrong[80] = "";
    if (question && question->wrong_from && has_needless(question))
        format_into(wrong, sizeof wrong, "nearly: not every line is needed");
    else if (question && question->wrong_from)
        format_into(wrong, sizeof wrong, "not right yet from line %d on", question->wrong_from);
    put_head(view, wrong);
    live_ask(view, "ask");
    if (!question) {
        paper_lines_of(view);
        return;
    }
    for (int i = 0, number = 0; i < question->order_count; i++) {
        number += !question->left_out[i];
        line_at(view, i, number);
    }
    if (!is_open(question)) {
        live_ask(view, "because");
        return;
    }
    if (question->wrong_from)
        why_order_not(view);
    judging_add(view,
                has_needless(question)
                    ? "In the simulator it comes out right, in this order. Leave out what it does not need."
                    : "In the simulator it comes out right, but another order is meant.");
    order_hint(view);
    live_button(view, "Check", "answer %s check", view->live->id);
    if (question->answered)
        show_button(view);
}

// ---- orders: answering --------------------------------------------------------------------------------------

// The order is another one than the last Check spoke of.
static void change(struct question *question)
{
    question->wrong_from = 0;
    question->asked = NULL;
    judging_close(question);
}

// A line goes past those that are left out beside it, so that each move changes its number.
static int order_move(struct question *question, int place, int by)
{
    int to = place + by, count = question->order_count;
    if (place < 0 || place >= count)
        return place;
    while (to >= 0 && to < count && question->left_out[to] && !question->left_out[place])
        to += by;
    if (to < 0 || to >= count)
        return place;
    change(question);
    int line = question->order[place];
    bool out = question->left_out[place];
    for (int at = place; at != to; at += by) {
        question->order[at] = question->order[at + by];
        question->left_out[at] = question->left_out[at + by];
    }
    question->order[to] = line;
    question->left_out[to] = out;
    return to;
}

// The line that holds `//@order`, where the first of the lines goes.
static int line_of_mark(const char *text)
{
    for (int line = 1; *text; line++) {
        if (string_starts(text + strspn(text, " \t"), "//@order"))
            return line;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return 0;
}

// A wrong order is run as it is, so that one sees what comes of it.
static void run_order(struct app *app, struct question *question)
{
    struct text text = { 0 }, whole = { 0 };
    struct error error;
    const char *file = live_field(question->live, "file");
    char *path = live_file(question->lesson, file);
    int lines[ORDER_MOST], count = kept_lines(question, lines);
    if (!file_read(path, &text, &error)) {
        app_say(app, ROLE_BAD, "%s", error.text);
    } else if (judge_order_text(question->live, text_string(&text), lines, count, &whole)) {
        struct own_lines own = { file, line_of_mark(text.data), count };
        judging_start(app, question, text_string(&whole), own, NULL);
    }
    text_free(&text);
    text_free(&whole);
    free(path);
}

static void check(struct app *app, struct question *question)
{
    bool whole;
    json_t *order = json_array();
    int kept[ORDER_MOST], count = kept_lines(question, kept);
    int right = order_fits(question->live, kept, count, &whole);
    for (int i = 0; i < count; i++)
        json_array_append_new(order, json_integer(kept[i] + 1));
    if (!question_keep(app, question, false, json_pack("{s:o, s:b}", "order", order, "right", whole)))
        return;
    question->wrong_from = whole ? 0 : right + 1;
    if (live_field(question->live, "file") && !whole)
        run_order(app, question);
}

static void order_answer(struct app *app, struct question *question, const char *answer)
{
    if (!is_open(question)) {
        app_say(app, ROLE_DIM, "This one is answered.");
    } else if (strcmp(answer, "check") == 0) {
        check(app, question);
    } else if (strcmp(answer, "show") == 0) {
        if (show(app, question)) {
            change(question);
            set_right(question);
        }
    } else if (string_starts(answer, "out ") && live_count(question->live, "extra")) {
        long place = strtol(answer + 4, NULL, 10);
        if (place < 1 || place > question->order_count)
            return;
        change(question);
        question->left_out[place - 1] = !question->left_out[place - 1];
    }
}

static void order_run(struct app *app, struct question *question)
{
    order_answer(app, question, "check");
}

const struct live_ops live_order = {
    .add = order_add, .open = order_open, .answer = order_answer, .run = order_run, .move = order_move
};
