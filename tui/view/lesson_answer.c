// Answers on the lesson page: chosen, or typed into the field in place.
#include "tui/view/lesson.h"

#include <stdlib.h>
#include <string.h>

// ---- items ---------------------------------------------------------------------------------------------------------

const char *lesson_opens(const struct lesson_page *state, int item)
{
    return item >= 0 && (size_t)item < state->text.links.count ? state->text.links.opens[item] : "";
}

struct question *lesson_owner(const struct lesson_page *state, int item)
{
    int owner = item >= 0 && (size_t)item < state->text.links.count && state->text.owner
                    ? state->text.owner[item]
                    : -1;
    return owner >= 0 ? &state->questions[owner] : NULL;
}

int lesson_item(const struct lesson_text *text, const char *words, int owner)
{
    for (size_t i = 0; i < text->links.count; i++)
        if (text->owner[i] == owner && strcmp(text->links.opens[i], words) == 0)
            return (int)i;
    return -1;
}

bool lesson_in_sight(const struct reader *reader, int line)
{
    return line >= (int)reader->top && line < (int)reader->top + reader->rows;
}

// ---- answers -------------------------------------------------------------------------------------------------------

static struct question *find_question(const struct lesson_page *state, const char *id)
{
    for (size_t i = 0; i < state->question_count; i++)
        if (state->questions[i].live->id && strcmp(state->questions[i].live->id, id) == 0)
            return &state->questions[i];
    return NULL;
}

// What comes of an answer is shown: where the end of its question is in sight, and where nothing of it is. Only a
// question that begins on the screen and ends below it is left where it stands.
static void keep_in_sight(struct lesson_page *state, size_t index)
{
    const struct lesson_text *text = &state->text;
    if (text->starts && (lesson_in_sight(&state->reader, (int)text->ends[index] - 1) ||
                         !lesson_in_sight(&state->reader, (int)text->starts[index])))
        state->follow = (int)index;
}

static void give(struct page *page, struct question *question, const char *answer)
{
    keep_in_sight(page->state, (size_t)(question - ((struct lesson_page *)page->state)->questions));
    switch (question->live->kind) {
    case LIVE_PREDICT:
        predict_answer(page->app, question, answer);
        break;
    case LIVE_QUIZ:
        quiz_answer(page->app, question, answer);
        break;
    case LIVE_ORDER:
        order_answer(page->app, question, answer);
        break;
    case LIVE_EXERCISE:
    case LIVE_BUGHUNT:
        task_answer(page->app, question, answer);
        break;
    default:
        app_say(page->app, ROLE_DIM, "This is not answered here.");
    }
}

static bool has_field(const struct lesson_page *state, const struct question *question)
{
    char words[80];
    format_into(words, sizeof words, "answer %s", question->live->id ? question->live->id : "");
    return lesson_item(&state->text, words, (int)(question - state->questions)) >= 0;
}

int lesson_answer(struct page *page, const struct words *words)
{
    struct lesson_page *state = page->state;
    struct question *question = words->count > 1 ? find_question(state, words->word[1]) : NULL;
    struct text text = { 0 };
    if (!question) {
        app_say(page->app, ROLE_BAD, "answer takes the name of a question in this lesson, and the answer.");
        return DONE_FAILED;
    }
    words_add(words, 2, &text);
    if (words->count > 2)
        give(page, question, text_string(&text));
    else if (has_field(state, question))
        state->editing = (int)(question - state->questions);
    else
        app_say(page->app, ROLE_BAD, "answer takes the answer behind the name.");
    text_free(&text);
    return DONE;
}

static bool is_field(const struct lesson_page *state, int item)
{
    const struct question *question = lesson_owner(state, item);
    char words[80];
    if (!question || !question->live->id)
        return false;
    format_into(words, sizeof words, "answer %s", question->live->id);
    return strcmp(lesson_opens(state, item), words) == 0;
}

static bool starts_typing(const struct lesson_page *state, const struct event *event)
{
    bool number =
        event->kind == EVENT_KEY && event->key < 128 && strchr("0123456789.", event->key) && event->key;
    return is_field(state, state->reader.selected) && (number || event->kind == EVENT_PASTE);
}

bool lesson_type(struct page *page, const struct event *event)
{
    enum { CONTROL_C = 3, CONTROL_G = 7 };
    struct lesson_page *state = page->state;
    if (state->editing == NO_QUESTION && starts_typing(state, event)) {
        state->editing = (int)(lesson_owner(state, state->reader.selected) - state->questions);
        state->questions[state->editing].field = (struct field){ 0 }; // Enter goes on with what is there
    }
    if (state->editing == NO_QUESTION)
        return false;
    struct question *question = &state->questions[state->editing];
    if (field_type(&question->field, event))
        return true;
    state->editing = NO_QUESTION;
    if (event->kind != EVENT_KEY)
        return false;
    if (event->key == PRESS_ENTER)
        give(page, question, question->field.text);
    return event->key == PRESS_ENTER || event->key == PRESS_ESCAPE || event->key == CONTROL_C ||
           event->key == CONTROL_G;
}
