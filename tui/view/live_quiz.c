// quiz: answered at once. What is not right can be tried again, or shown.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

bool choice_right(const struct live *live, size_t choice)
{
    const char *right;
    for (size_t i = 0; (right = live_nth(live, "right", i)); i++)
        if (strtol(right, NULL, 10) == (long)choice + 1)
            return true;
    return false;
}

static bool several(const struct live *live)
{
    return live_count(live, "right") > 1;
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
    if (question && !is_open(question) && choice_right(view->live, choice))
        return (struct sign){ ROLE_GOOD, glyph(utf8, GLYPH_DONE), "right" };
    if (question && chosen && !several(view->live))
        return (struct sign){ ROLE_BAD, glyph(utf8, GLYPH_WRONG), "not this" };
    if (question && is_open(question) && (question->chosen >> choice & 1))
        return (struct sign){ ROLE_TITLE, "x", "" };
    return (struct sign){ ROLE_TEXT, " ", "" };
}

static void choice_line(const struct live_view *view, size_t choice)
{
    struct sheet *sheet = view->sheet;
    struct sign sign = sign_of(view, choice);
    const char *brackets = several(view->live) ? "[]" : "()";
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
    if (open && several(view->live))
        live_button(view, "These are all", "answer %s done", view->live->id);
    if (open && view->question->answered)
        live_button(view, "Show the answer", "answer %s show", view->live->id);
    if (view->question && !open)
        live_ask(view, "because");
}

// ---- answering --------------------------------------------------------------------------------------------------------

static json_t *chosen_of(unsigned bits)
{
    json_t *chosen = json_array();
    for (int i = 0; i < 32; i++)
        if (bits >> i & 1)
            json_array_append_new(chosen, json_integer(i + 1));
    return chosen;
}

static void keep_chosen(struct app *app, struct question *question, unsigned bits)
{
    bool right = true;
    for (size_t i = 0; i < live_count(question->live, "choice"); i++)
        right &= (bits >> i & 1) == choice_right(question->live, i);
    question_keep(app, question, false, json_pack("{s:o, s:b}", "chosen", chosen_of(bits), "right", right));
}

// "16", "16.0" and " 16 " are one number; words are compared without case.
bool answer_same(const char *typed, const char *right)
{
    char *end_typed, *end_right;
    double one = strtod(typed, &end_typed), other = strtod(right, &end_right);
    bool numbers = end_typed != typed && end_right != right && !end_typed[strspn(end_typed, " ")] &&
                   !end_right[strspn(end_right, " ")];
    if (numbers)
        return one == other;
    typed += strspn(typed, " ");
    size_t length = strlen(typed);
    while (length && typed[length - 1] == ' ')
        length--;
    return length == strlen(right) && strncasecmp(typed, right, length) == 0;
}

static void keep_typed(struct app *app, struct question *question, const char *typed)
{
    bool right = answer_same(typed, live_field(question->live, "right"));
    if (!typed[strspn(typed, " ")]) {
        app_say(app, ROLE_NOTE, "Type an answer first.");
        return;
    }
    question_keep(app, question, false, json_pack("{s:s, s:b}", "typed", typed, "right", right));
}

void quiz_answer(struct app *app, struct question *question, const char *answer)
{
    size_t choices = live_count(question->live, "choice");
    char *end;
    long choice = strtol(answer, &end, 10);
    bool fits = !*end && choice >= 1 && choice <= (long)choices;
    if (!is_open(question))
        app_say(app, ROLE_DIM, "This one is answered.");
    else if (strcmp(answer, "show") == 0 && question->answered)
        question_keep(app, question, false, json_pack("{s:b, s:b}", "right", 0, "shown", 1));
    else if (!choices)
        keep_typed(app, question, answer);
    else if (several(question->live) && strcmp(answer, "done") == 0)
        keep_chosen(app, question, question->chosen);
    else if (!fits)
        app_say(app, ROLE_BAD, "The choices are 1 to %zu.", choices);
    else if (several(question->live))
        question->chosen ^= 1u << (choice - 1);
    else
        keep_chosen(app, question, 1u << (choice - 1));
}
