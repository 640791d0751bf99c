// quiz: answered at once. What is not right can be tried again, or shown.
#include "tui/view/live.h"

#include <string.h>

// Whether the last answer holds this choice.
static bool was_chosen(const struct question *question, size_t choice)
{
    const json_t *chosen = question ? json_object_get(question->answered, "chosen") : NULL;
    for (size_t i = 0; i < json_array_size(chosen); i++)
        if (json_integer_value(json_array_get(chosen, i)) == (json_int_t)choice + 1)
            return true;
    return false;
}

static bool is_open(const struct question *question)
{
    return question && !live_solved(question) && !live_shown(question);
}

// ---- showing --------------------------------------------------------------------------------------------------------

struct sign {
    enum role role;
    const char *in, *behind; // in the brackets; words behind the choice
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

static void choice_line(const struct live_view *view, size_t choice)
{
    struct sheet *sheet = view->sheet;
    struct sign sign = sign_of(view, choice);
    const char *brackets = quiz_several(view->live) ? "[]" : "()";
    sheet_to(sheet, 2);
    if (is_open(view->question))
        sheet->item = links_add(view->links, "answer %s %zu", view->live->id, choice + 1);
    sheet_add(sheet, sign.role, "%c%s%c ", brackets[0], sign.in, brackets[1]);
    sheet_hang(sheet, sheet->used);
    typeset_text(sheet, ROLE_TEXT, live_nth(view->live, "choice", choice), NULL);
    sheet->item = -1;
    if (*sign.behind)
        live_behind(view, sign.role, sign.behind);
    sheet_end(sheet);
}

static void head(const struct live_view *view)
{
    const struct question *question = view->question;
    if (!question || !question->answered)
        live_head(view, "Question", ROLE_TEXT, GLYPH_OPEN, "");
    else if (live_solved(question))
        live_head(view, "Question", ROLE_GOOD, GLYPH_DONE, "right");
    else if (live_shown(question))
        live_head(view, "Question", ROLE_NOTE, GLYPH_HALF, "answer shown");
    else
        live_head(view, "Question", ROLE_BAD, GLYPH_WRONG, "not right yet");
}

static void typed_line(const struct live_view *view)
{
    const char *typed =
        view->question ? json_string_value(json_object_get(view->question->answered, "typed")) : NULL;
    struct sheet *sheet = view->sheet;
    if (!view->question || is_open(view->question)) {
        live_field_line(view);
        if (typed) {
            sheet_to(sheet, 2);
            sheet_hang(sheet, 2);
            sheet_flow(sheet, ROLE_BAD, "%s %s", glyph(sheet->utf8, GLYPH_WRONG), typed);
            live_behind(view, ROLE_BAD, "not this");
            sheet_end(sheet);
        }
        return;
    }
    sheet_to(sheet, 2);
    sheet_hang(sheet, 4);
    sheet_flow(sheet, ROLE_GOOD, "%s %s", glyph(sheet->utf8, GLYPH_DONE), live_field(view->live, "right"));
    sheet_end(sheet);
}

void quiz_add(const struct live_view *view)
{
    size_t choices = live_count(view->live, "choice");
    bool open = is_open(view->question);
    head(view);
    live_ask(view, "ask");
    for (size_t i = 0; i < choices; i++)
        choice_line(view, i);
    if (!choices)
        typed_line(view);
    if (open && quiz_several(view->live))
        live_button(view, "These are all", "answer %s done", view->live->id);
    if (open && view->question->answered)
        live_button(view, "Show the answer", "answer %s show", view->live->id);
    if (view->question && !open)
        live_ask(view, "because");
}

// ---- answering --------------------------------------------------------------------------------------------------------

static void keep_typed(struct app *app, struct question *question, const char *typed)
{
    if (!typed[strspn(typed, " ")]) {
        app_say(app, ROLE_NOTE, "Type an answer first.");
        return;
    }
    json_t *event = quiz_typed(question->live, typed);
    if (!event && answer_is_number(question->live))
        app_say(app, ROLE_NOTE, "Type a number.");
    else
        question_keep(app, question, false, event);
}

void quiz_answer(struct app *app, struct question *question, const char *answer)
{
    const struct live *live = question->live;
    size_t choices = live_count(live, "choice"), choice;
    unsigned bits;
    if (!is_open(question))
        app_say(app, ROLE_DIM, "This one is answered.");
    else if (strcmp(answer, "show") == 0 && question->answered)
        question_keep(app, question, false, json_pack("{s:b, s:b}", "right", 0, "shown", 1));
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
        question->chosen ^= 1u << choice;
    else
        question_keep(app, question, false, quiz_chosen(live, 1u << choice));
}
