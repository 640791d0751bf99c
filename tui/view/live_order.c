// order: lines that are moved until their order is right. They start in an order that is the same for everybody; lines
// that do not belong there are left out.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

// As order_fits: of those that are not left out.
static int right_lines(const struct question *question, bool *whole)
{
    int kept[ORDER_MOST], count = 0;
    for (int i = 0; i < question->order_count; i++)
        if (!question->left_out[i])
            kept[count++] = question->order[i];
    return order_fits(question->live, kept, count, whole);
}

static void set_right(struct question *question)
{
    int lines = (int)live_count(question->live, "line");
    for (int i = 0; i < question->order_count; i++) {
        question->order[i] = i;
        question->left_out[i] = i >= lines;
    }
}

void order_open(struct question *question)
{
    const struct live *live = question->live;
    question->order_count = (int)(live_count(live, "line") + live_count(live, "extra"));
    set_right(question);
    if (live_solved(question) || live_shown(question))
        return;
    memset(question->left_out, 0, sizeof question->left_out);
    order_start(live, question->order);
}

// ---- showing --------------------------------------------------------------------------------------------------------------

static void put_code(void *context, enum role role, const char *at, size_t bytes)
{
    sheet_add_n(context, role, at, bytes);
}

static void line_at(const struct live_view *view, int place, int number)
{
    const struct question *question = view->question;
    struct sheet *sheet = view->sheet;
    bool open = !live_solved(question) && !live_shown(question), comment = false;
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
    order_open(&question);
    for (int i = 0; i < question.order_count; i++) {
        sheet_to(view->sheet, 2);
        sheet_add(view->sheet, ROLE_TEXT, "%c. %s", 'a' + i % 26, order_line(view->live, question.order[i]));
        sheet_end(view->sheet);
    }
}

static void hint(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    char up[24], down[24];
    keys_name(&view->app->keys, "lesson", "move-up", up, sizeof up);
    keys_name(&view->app->keys, "lesson", "move-down", down, sizeof down);
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM, "%s and %s move the selected line%s.", up, down,
               live_count(view->live, "extra") ? "; Enter leaves it out or takes it in again" : "");
    sheet_end(sheet);
}

static void head(const struct live_view *view)
{
    const struct question *question = view->question;
    char words[80] = "";
    if (question && question->wrong_from)
        format_into(words, sizeof words, "not right yet from line %d on", question->wrong_from);
    if (live_solved(question))
        live_head(view, "Put in order", ROLE_GOOD, GLYPH_DONE, "right");
    else if (live_shown(question))
        live_head(view, "Put in order", ROLE_NOTE, GLYPH_HALF, "answer shown");
    else
        live_head(view, "Put in order", ROLE_BAD, GLYPH_WRONG, words);
}

void order_add(const struct live_view *view)
{
    const struct question *question = view->question;
    head(view);
    live_ask(view, "ask");
    if (!question) {
        paper_lines_of(view);
        return;
    }
    for (int i = 0, number = 0; i < question->order_count; i++) {
        number += !question->left_out[i];
        line_at(view, i, number);
    }
    if (live_solved(question) || live_shown(question)) {
        live_ask(view, "because");
        return;
    }
    judging_add(view, "Run in the simulator it comes out right all the same, but another order is meant.");
    hint(view);
    live_button(view, "Check", "answer %s check", view->live->id);
    if (question->answered)
        live_button(view, "Show the answer", "answer %s show", view->live->id);
}

// ---- answering --------------------------------------------------------------------------------------------------------------

// What the last Check said was about another order.
static void change(struct question *question)
{
    question->wrong_from = 0;
    judging_close(question);
}

int order_move(struct question *question, int place, int by)
{
    int to = place + by;
    if (place < 0 || to < 0 || to >= question->order_count || place >= question->order_count)
        return place;
    change(question);
    int line = question->order[place];
    bool out = question->left_out[place];
    question->order[place] = question->order[to];
    question->left_out[place] = question->left_out[to];
    question->order[to] = line;
    question->left_out[to] = out;
    return to;
}

// The line that `//@order` stands in, where the first of the lines goes.
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
    const char *file = live_field(question->live, "file"), *slash = strrchr(question->lesson->path, '/');
    int lines[ORDER_MOST], count = 0;
    text_addf(&whole, "%.*s%s", slash ? (int)(slash - question->lesson->path) + 1 : 0, question->lesson->path,
              file);
    bool read = file_read(whole.data, &text, &error);
    whole.length = 0;
    for (int i = 0; i < question->order_count; i++)
        if (!question->left_out[i])
            lines[count++] = question->order[i];
    if (!read) {
        app_say(app, ROLE_BAD, "%s", error.text);
    } else if (judge_order_text(question->live, text_string(&text), lines, count, &whole)) {
        judging_start(app, question, file, text_string(&whole), NULL);
        judging_own(question, line_of_mark(text.data), count);
    }
    text_free(&text);
    text_free(&whole);
}

static void check(struct app *app, struct question *question)
{
    bool whole;
    json_t *order = json_array();
    int right = right_lines(question, &whole);
    for (int i = 0; i < question->order_count; i++)
        if (!question->left_out[i])
            json_array_append_new(order, json_integer(question->order[i] + 1));
    if (!question_keep(app, question, false, json_pack("{s:o, s:b}", "order", order, "right", whole)))
        return;
    question->wrong_from = whole ? 0 : right + 1;
    if (live_field(question->live, "file") && !whole)
        run_order(app, question);
}

void order_answer(struct app *app, struct question *question, const char *answer)
{
    if (live_solved(question) || live_shown(question)) {
        app_say(app, ROLE_DIM, "This one is answered.");
    } else if (strcmp(answer, "check") == 0) {
        check(app, question);
    } else if (strcmp(answer, "show") == 0) {
        if (question_keep(app, question, false, json_pack("{s:b, s:b}", "right", 0, "shown", 1))) {
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
