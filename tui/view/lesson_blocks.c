// What is done with the live blocks of a lesson: they are answered, run, edited, watched, and their lines are moved.
#include "tui/view/lesson.h"

#include <stdlib.h>

// ---- answers -------------------------------------------------------------------------------------------------------

static struct question *find_question(const struct lesson_page *state, const char *id)
{
    for (size_t i = 0; state->questions && i < state->question_count; i++)
        if (state->questions[i].live->id && strcmp(state->questions[i].live->id, id) == 0)
            return &state->questions[i];
    return NULL;
}

// The task whose copy is watched; NULL: none.
static struct question *watched(const struct lesson_page *state)
{
    for (size_t i = 0; i < state->question_count; i++)
        if (state->questions[i].watch.path)
            return &state->questions[i];
    return NULL;
}

// The whole block with its verdict comes into sight; once it is answered, what comes next is selected.
static void give(struct page *page, struct question *question, const char *answer)
{
    struct lesson_page *state = page->state;
    size_t index = (size_t)(question - state->questions);
    bool was_answered = question_is_answered(question);
    state->headed = NO_QUESTION;
    if (drawn_flat)
        *page->app->message = 0;                                                   // of an answer before
    if (state->text.starts && state->text.ends[index] > state->text.starts[index]) // not folded
        state->follow = (int)index;
    if (live_ops_of(question->live)->answer)
        live_ops_of(question->live)->answer(page->app, question, answer);
    else
        app_say(page->app, ROLE_DIM, "This is not answered here.");
    state->answered = state->follow == (int)index && !was_answered;
    if (drawn_flat && !*page->app->message && question->answered && !question->judging)
        app_say(page->app, ROLE_TEXT,
                live_solved(question)  ? "Right."
                : live_shown(question) ? "The answer is shown."
                                       : "Not right.");
}

// The item of the question's field; -1: it has none.
static int field_of(const struct lesson_page *state, const struct question *question)
{
    char words[80];
    if (!question || !question->live->id)
        return -1;
    format_into(words, sizeof words, "answer %s", question->live->id);
    return item_of(&state->text, words, (int)(question - state->questions));
}

static int answer(struct page *page, const struct words *words)
{
    struct lesson_page *state = page->state;
    struct question *question = words->count > 1 ? find_question(state, words->word[1]) : NULL;
    struct text text = { 0 };
    if (!question)
        return app_refuse(page->app, "answer takes the name of a question in this lesson, and the answer.");
    words_add(words, 2, &text);
    if (words->count > 2)
        give(page, question, text_string(&text));
    else if (field_of(state, question) >= 0)
        state->editing = (int)(question - state->questions);
    else
        app_say(page->app, ROLE_BAD, "answer takes the answer after the name.");
    text_free(&text);
    return DONE;
}

static bool is_digit(const struct event *event)
{
    return event->kind == EVENT_KEY && event->key >= '0' && event->key <= '9';
}

// The only quiz or prediction that is answered, or open: the one of what is selected, or else, where that asks nothing, one
// in sight. NULL: none, or several.
static struct question *asked_here(const struct lesson_page *state, bool answered)
{
    const struct question *owner = owner_of(state, state->reader.selected);
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    struct question *only = NULL;
    if (owner && !live_asks(owner->live->kind)) // a picture, a lab
        owner = NULL;
    if (!state->lesson || state->outlines || !state->text.starts)
        return NULL;
    for (size_t i = 0; state->questions && i < state->question_count; i++) {
        struct question *question = &state->questions[i];
        size_t start = state->text.starts[i], to = state->text.ends[i];
        bool asks = question->live->kind == LIVE_QUIZ || question->live->kind == LIVE_PREDICT;
        bool here = owner ? owner == question : start < end && to > top;
        if (!asks || !here || to == start || question_is_answered(question) != answered)
            continue;
        if (only)
            return NULL;
        only = question;
    }
    return only;
}

static bool is_answered_here(const struct lesson_page *state)
{
    return !asked_here(state, false) && asked_here(state, true);
}

// What is typed goes into the field that is selected, and a digit into that of the question here. NULL: into none.
static struct question *typed_into(const struct lesson_page *state, const struct event *event)
{
    int selected = state->reader.selected;
    struct question *owner = owner_of(state, selected),
                    *asked = is_digit(event) ? asked_here(state, false) : NULL;
    bool begins = event->kind == EVENT_PASTE || (event->kind == EVENT_KEY && event->key == '.');
    if (asked)
        return field_of(state, asked) >= 0 ? asked : NULL;
    return begins && owner && field_of(state, owner) == selected ? owner : NULL;
}

// Enter goes on with what is in a field, and a character begins anew.
static void begin_typing(struct lesson_page *state, struct question *question)
{
    state->editing = (int)(question - state->questions);
    field_clear(&question->field);
    if (state->reader.selected != field_of(state, question))
        reader_choose(&state->reader, field_of(state, question));
}

// A digit goes to the line of that number, where a line of this order is selected. False: none has it.
static bool chooses_line(struct lesson_page *state, const struct event *event)
{
    struct question *owner = owner_of(state, state->reader.selected);
    int number = 0, place = 0;
    char words[80];
    if (!is_digit(event) || !owner || owner->live->kind != LIVE_ORDER || question_is_answered(owner))
        return false;
    for (; place < owner->order_count && number < event->key - '0'; place++)
        number += !owner->left_out[place];
    format_into(words, sizeof words, "answer %s out %d", owner->live->id, place);
    int item = number ? item_of(&state->text, words, (int)(owner - state->questions)) : -1;
    if (item >= 0 && number == event->key - '0')
        reader_choose(&state->reader, item);
    return item >= 0 && number == event->key - '0';
}

// A digit goes to that choice, and is not how often a key acts. False: no choices are here.
static bool chooses(struct page *page, const struct event *event)
{
    struct lesson_page *state = page->state;
    if (chooses_line(state, event))
        return true;
    const struct question *question = is_digit(event) ? asked_here(state, false) : NULL;
    size_t choices = question ? live_count(question->live, "choice") : 0;
    if (!choices)
        return false;
    char words[80];
    format_into(words, sizeof words, "answer %s %c", question->live->id, event->key);
    int item = item_of(&state->text, words, (int)(question - state->questions));
    const char *chosen = live_nth(question->live, "choice", (size_t)(event->key - '1'));
    if (item >= 0)
        reader_choose(&state->reader, item);
    else
        app_say(page->app, ROLE_NOTE, "The choices are 1 to %zu.", choices);
    if (item >= 0 && chosen && atoi(chosen) > 0 &&
        atoi(chosen) != event->key - '0') // 4 for 4 of 4, 8, 16, 32?
        app_say(page->app, ROLE_NOTE, "Choice %c is %.40s; Enter answers it.", event->key, chosen);
    lesson_where.look(state, true);
    return true;
}

// A box that is selected is ticked by Space, as in every form. False: none is.
static bool ticks(struct page *page, const struct event *event)
{
    struct lesson_page *state = page->state;
    int selected = state->reader.selected;
    struct question *question = selected < 0 ? NULL : owner_of(state, selected);
    if (!question || !question->live->id || question->live->kind != LIVE_QUIZ ||
        !quiz_several(question->live) || question_is_answered(question) || event->kind != EVENT_KEY ||
        event->key != ' ')
        return false;
    const char *opens = opens_of(state, selected), *choice = strrchr(opens, ' ');
    if (!string_starts(opens, "answer ") || !choice || choice[1] < '1' || choice[1] > '9')
        return false;
    char *given = mem_copy(choice + 1);
    give(page, question, given);
    free(given);
    return true;
}

static bool type(struct page *page, const struct event *event)
{
    enum { CONTROL_C = 3, CONTROL_G = 7, FIELD_MOST = 60 };
    struct lesson_page *state = page->state;
    struct question *into = state->editing == NO_QUESTION ? typed_into(state, event) : NULL;
    if (into)
        begin_typing(state, into);
    if (state->editing == NO_QUESTION)
        return ticks(page, event) || chooses(page, event);
    struct question *question = &state->questions[state->editing];
    if (field_type(&question->field, event, FIELD_MOST))
        return true;
    state->editing = NO_QUESTION;
    if (event->kind != EVENT_KEY)
        return false;
    if (event->key == PRESS_ENTER)
        give(page, question, text_string(&question->field.text));
    return event->key == PRESS_ENTER || event->key == PRESS_ESCAPE || event->key == CONTROL_C ||
           event->key == CONTROL_G;
}

// ---- the block at hand ---------------------------------------------------------------------------------------------

// `selected`: one that was selected, and does not only happen to be in sight.
static bool can_run(const struct question *question, bool selected)
{
    bool waits = (question->live->kind == LIVE_PREDICT && !question->predicted) ||
                 (question->live->kind == LIVE_ORDER && !question_is_answered(question));
    return live_ops_of(question->live)->run && (selected || !waits);
}

static bool can_edit(const struct question *question, bool selected)
{
    return review_is_task(question->live);
}

// The selected live block, or the first one that begins in sight (`partly`: or ends there); NULL: none that can.
static struct question *block_at_hand(struct lesson_page *state, bool partly,
                                      bool (*can)(const struct question *question, bool selected))
{
    struct question *question = owner_of(state, state->reader.selected);
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    if (question && can(question, true))
        return question;
    for (size_t i = 0; state->questions && i < state->question_count; i++) {
        if (state->text.ends[i] == state->text.starts[i])
            continue; // folded
        bool after = partly ? state->text.ends[i] > top : state->text.starts[i] >= top;
        if (after && state->text.starts[i] < end && can(&state->questions[i], false))
            return &state->questions[i];
    }
    return NULL;
}

static bool is_lab(const struct question *question, bool selected)
{
    return question->live->kind == LIVE_LAB;
}

// The first block at hand that can.
static int run_block(struct page *page, bool partly,
                     bool (*can)(const struct question *question, bool selected), const char *none)
{
    struct lesson_page *state = page->state;
    struct question *question = block_at_hand(state, partly, can);
    struct question *aside =
        question || !state->lesson ? NULL : lesson_where.beside(state, state->aside_cols);
    if (aside && can(aside, false)) { // it stays where it is
        live_ops_of(aside->live)->run(page->app, aside);
        return DONE;
    }
    if (!question) {
        app_say(page->app, ROLE_DIM, "%s", none);
        return DONE_FAILED;
    }
    live_ops_of(question->live)->run(page->app, question);
    state->follow = (int)(question - state->questions);
    return DONE;
}

static int run(struct page *page)
{
    return run_block(page, false, can_run, "Nothing in sight runs here: labs, predictions and exercises do.");
}

// The rows of a lab.
static int run_all(struct page *page)
{
    return run_block(page, true, is_lab, "There is no lab in sight; r runs predictions and exercises.");
}

// The task that a selected row of "Still open" leads to; NULL: another thing is selected, or it is folded.
static struct question *task_linked(struct lesson_page *state)
{
    const char *opens = opens_of(state, state->reader.selected);
    bool links = !owner_of(state, state->reader.selected) && string_starts(opens, "question ");
    struct question *task = links ? find_question(state, opens + strlen("question ")) : NULL;
    size_t at = task ? (size_t)(task - state->questions) : 0;
    return task && can_edit(task, true) && state->text.ends[at] > state->text.starts[at] ? task : NULL;
}

static void go_to_task(struct lesson_page *state, struct question *task)
{
    size_t at = (size_t)(task - state->questions);
    int item = item_below(state, state->text.starts[at]);
    if (item >= 0 && owner_of(state, item) == task)
        state->reader.selected = item;
    state->follow = (int)at;
}

// Says which one is at hand where more are in sight and none of them is selected.
static void say_first(const struct lesson_page *state, const struct question *task, char *which, size_t size)
{
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    for (size_t i = (size_t)(task - state->questions) + 1; i < state->question_count; i++)
        if (state->text.starts[i] < end && state->text.ends[i] > top &&
            can_edit(&state->questions[i], false) && owner_of(state, state->reader.selected) != task)
            format_into(which, size, "Of the tasks in sight this is %s.", live_field(task->live, "file"));
}

// The task at hand, or else the next one after what is in sight, or the last one before it, which is then selected; what is
// folded is no task yet. *which is empty, or says which one it is that was not in sight.
static struct question *task_at_hand(struct lesson_page *state, char *which, size_t size)
{
    struct question *linked = task_linked(state), *task = block_at_hand(state, true, can_edit);
    size_t nearest = SIZE_MAX, top = state->reader.top;
    bool folded = false;
    *which = 0;
    if (linked) {
        go_to_task(state, linked);
        return linked;
    }
    if (task)
        say_first(state, task, which, size);
    for (size_t i = 0; !task && state->questions && i < state->question_count; i++) {
        bool before = state->text.starts[i] < top;
        bool can = state->text.ends[i] > state->text.starts[i] && can_edit(&state->questions[i], false);
        if (can && (before || nearest == SIZE_MAX || state->text.starts[nearest] < top))
            nearest = i;
        folded |= !can && can_edit(&state->questions[i], false);
    }
    if (!task && folded && nearest != SIZE_MAX && state->text.starts[nearest] < top &&
        question_is_answered(&state->questions[nearest]))
        return NULL; // the next one is folded, and back to what is solved is not where the reader goes
    if (task || nearest == SIZE_MAX)
        return task;
    task = &state->questions[nearest];
    go_to_task(state, task);
    format_into(which, size, "No task was in sight: this is the %s one, %s.",
                state->text.starts[nearest] < top ? "previous" : "next", live_field(task->live, "file"));
    return task;
}

static void say_no_task(struct app *app, const struct lesson_page *state)
{
    bool folded = false;
    for (size_t i = 0; state->questions && i < state->question_count; i++)
        folded |= can_edit(&state->questions[i], false);
    app_say(app, ROLE_DIM, folded ? "The tasks here are still folded." : "There is no task here.");
}

// Before what the block itself says.
static void say_which(struct app *app, const char *which)
{
    enum role role = *app->message ? app->message_role : ROLE_NOTE;
    char *said = mem_copy(app->message);
    app_say(app, role, "%s%s%s", which, *said ? " " : "", said);
    free(said);
}

// "edit" or "watch".
static int work_on(struct page *page, const char *how)
{
    struct lesson_page *state = page->state;
    char which[160] = "";
    struct question *question = strcmp(how, "watch") == 0 ? watched(state) : NULL;
    question = question ? question : task_at_hand(state, which, sizeof which);
    if (!question) {
        say_no_task(page->app, state);
        return DONE_FAILED;
    }
    *page->app->message = 0;
    live_ops_of(question->live)->answer(page->app, question, how);
    if (*which)
        say_which(page->app, which);
    if (strcmp(how, "edit") == 0)
        state->follow = (int)(question - state->questions);
    return DONE;
}

static void tick(struct page *page)
{
    struct lesson_page *state = page->state;
    struct question *question = watched(state);
    if (question && watch_saw(&question->watch)) {
        *page->app->message = 0; // of a save before
        live_ops_of(question->live)->run(page->app, question);
        state->follow = (int)(question - state->questions);
        page->app->dirty = true;
    } else if (question && watch_lost(&question->watch, page->app)) {
        page->app->dirty = true;
    }
}

static int move_line(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    struct question *question = owner_of(state, state->reader.selected);
    const char *words = opens_of(state, state->reader.selected), *out = strstr(words, " out ");
    if (!question || !live_ops_of(question->live)->move || !out) {
        app_say(page->app, ROLE_DIM, "Select a line of an ordering task first.");
        return DONE_FAILED;
    }
    int place = (int)strtol(out + 5, NULL, 10) - 1,
        to = live_ops_of(question->live)->move(question, place, by);
    char fresh[100];
    format_into(fresh, sizeof fresh, "answer %s out %d", question->live->id, to + 1);
    int item = item_of(&state->text, fresh, (int)(question - state->questions));
    if (item >= 0)
        state->reader.selected = item;
    return DONE;
}

static int act_block(struct page *page, enum act act, const struct words *words)
{
    switch (act) {
    case ACT_ANSWER:
        return answer(page, words);
    case ACT_RUN:
        return run(page);
    case ACT_RUN_ALL:
        return run_all(page);
    case ACT_EDIT:
        return work_on(page, "edit");
    case ACT_WATCH:
        return work_on(page, "watch");
    case ACT_MOVE_UP:
        return move_line(page, -1);
    case ACT_MOVE_DOWN:
        return move_line(page, 1);
    default:
        return DONE_NOT;
    }
}

const struct lesson_blocks lesson_blocks = { .act = act_block,
                                             .type = type,
                                             .field = field_of,
                                             .named = find_question,
                                             .watched = watched,
                                             .answered_here = is_answered_here,
                                             .tick = tick };
