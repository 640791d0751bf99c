// One question of a review: asked with what its lesson shows above it, judged as on the lesson page, and written into
// the workbook.
#include "tui/command/review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MOST = 200 };

// ---- the question -----------------------------------------------------------------------------------------------

// The lesson's blocks from the heading above the question up to it.
static size_t section_of(const struct lesson *lesson, const struct live *live, size_t *count)
{
    size_t from = 0, at = 0;
    for (; at < lesson->block_count && &lesson->blocks[at].live != live; at++)
        if (lesson->blocks[at].kind == BLOCK_HEADING)
            from = at;
    *count = at - from;
    return from;
}

// "this kernel" in a question is one that stands above it. What is explained there is left out: it is to be remembered.
static void add_section(struct sheet *sheet, const struct lesson *lesson, const struct live *live)
{
    size_t count, from = section_of(lesson, live, &count);
    for (size_t i = from; i < from + count; i++) {
        const struct block *block = &lesson->blocks[i];
        if (block->kind == BLOCK_CODE || block->kind == BLOCK_TABLE) {
            sheet_gap(sheet);
            typeset_block(sheet, NULL, block, NULL);
        }
    }
    sheet_gap(sheet);
}

static void add_head(struct sheet *sheet, const struct lesson *lesson, const struct live *live,
                     const char *place)
{
    size_t count, from = section_of(lesson, live, &count);
    const struct block *head = &lesson->blocks[from];
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM, "%s %s ", place, glyph(sheet->utf8, GLYPH_DOT));
    sheet_flow(sheet, ROLE_TITLE, "Lesson %d: %s", lesson->number, lesson->title);
    if (count && head->kind == BLOCK_HEADING) {
        sheet_flow(sheet, ROLE_DIM, " %s ", glyph(sheet->utf8, GLYPH_DOT));
        typeset_pieces(sheet, ROLE_DIM, head->pieces, head->piece_count, NULL);
    }
    sheet_end(sheet);
}

static void add_choices(struct sheet *sheet, const struct live *live)
{
    for (size_t i = 0; i < live_count(live, "choice"); i++) {
        sheet_add(sheet, ROLE_TITLE, "  %zu  ", i + 1);
        sheet_hang(sheet, sheet->used);
        typeset_text(sheet, ROLE_TEXT, live_nth(live, "choice", i), NULL);
        sheet_end(sheet);
    }
}

// In the order that they start with on the page, which is the same for everybody.
static void add_lines(struct sheet *sheet, const struct live *live)
{
    int order[ORDER_MOST], count = order_start(live, order);
    for (int i = 0; i < count; i++) {
        sheet_add(sheet, ROLE_TITLE, " %2d  ", i + 1);
        sheet_add(sheet, ROLE_CODE, "%s", order_line(live, order[i]));
        sheet_end(sheet);
    }
}

static void show(const struct reviewing *reviewing, const struct lesson *lesson, const struct live *live,
                 const char *place)
{
    struct sheet sheet = sheet_new(reviewing->paper.width, reviewing->paper.utf8);
    sheet_end(&sheet);
    add_head(&sheet, lesson, live, place);
    add_section(&sheet, lesson, live);
    typeset_text(&sheet, ROLE_TEXT, live_field(live, "ask"), NULL);
    sheet_end(&sheet);
    add_choices(&sheet, live);
    if (live->kind == LIVE_ORDER)
        add_lines(&sheet, live);
    sheet_print(&reviewing->paper, &sheet);
    sheet_free(&sheet);
}

// ---- the answer -------------------------------------------------------------------------------------------------

static void put_prompt(const struct reviewing *reviewing, const struct live *live)
{
    const char *unit = live_field(live, "unit");
    size_t choices = live_count(live, "choice");
    if (live->kind == LIVE_ORDER)
        paper_put(&reviewing->paper, ROLE_TITLE, "The numbers in order%s: ",
                  live_count(live, "extra") ? ", without lines that do not belong" : "");
    else if (quiz_several(live))
        paper_put(&reviewing->paper, ROLE_TITLE, "All that are right, of 1 to %zu: ", choices);
    else if (choices)
        paper_put(&reviewing->paper, ROLE_TITLE, "Your choice, 1 to %zu: ", choices);
    else if (unit)
        paper_put(&reviewing->paper, ROLE_TITLE, "Your answer, in %s: ", unit);
    else
        paper_put(&reviewing->paper, ROLE_TITLE, "Your answer: ");
    fflush(reviewing->paper.file);
}

// The next line without blanks around it; the caller frees. NULL: there is none.
static char *read_answer(const struct reviewing *reviewing)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length = getline(&line, &size, stdin);
    if (length < 0) {
        paper_put(&reviewing->paper, ROLE_TEXT, "\n");
        free(line);
        return NULL;
    }
    size_t from = strspn(line, " \t"), to = strlen(line);
    while (to > from && strchr(" \t\r\n", line[to - 1]))
        to--;
    char *answer = mem_copy_n(line + from, to - from);
    free(line);
    if (reviewing->echo)
        paper_put(&reviewing->paper, ROLE_TEXT, "%.*s\n", ANSWER_MOST, answer);
    return answer;
}

// NULL: it is no answer, which was said.
static json_t *event_of(const struct reviewing *reviewing, const struct live *live, const char *typed)
{
    unsigned bits;
    size_t choices = live_count(live, "choice"), choice;
    json_t *event = NULL;
    if (strcmp(typed, "?") == 0)
        return json_pack("{s:b, s:b}", "right", 0, "shown", 1);
    if (live->kind == LIVE_ORDER)
        event = order_typed(live, typed);
    else if (live->kind == LIVE_PREDICT)
        event = predict_typed(live, typed);
    else if (!choices && strlen(typed) <= ANSWER_MOST)
        event = quiz_typed(live, typed);
    else if (quiz_several(live) && quiz_choices_typed(live, typed, &bits))
        event = quiz_chosen(live, bits);
    else if (!quiz_several(live) && choices && quiz_choice_typed(live, typed, &choice))
        event = quiz_chosen(live, 1u << choice);
    if (!event && live->kind == LIVE_ORDER)
        paper_put(&reviewing->paper, ROLE_NOTE, "Type numbers of lines, each once: 2 1 3\n");
    else if (!event && choices)
        paper_put(&reviewing->paper, ROLE_NOTE, "The choices are 1 to %zu%s.\n", choices,
                  quiz_several(live) ? "; several may be right: 1 2" : "");
    else if (!event && answer_is_number(live) && strlen(typed) <= ANSWER_MOST)
        paper_put(&reviewing->paper, ROLE_NOTE, "Type a number.\n");
    else if (!event)
        paper_put(&reviewing->paper, ROLE_NOTE, "An answer has at most %d bytes, and is UTF-8.\n",
                  ANSWER_MOST);
    return event;
}

// NULL: enough.
static json_t *listen_to(const struct reviewing *reviewing, const struct live *live)
{
    for (;;) {
        put_prompt(reviewing, live);
        char *typed = read_answer(reviewing);
        bool enough = !typed || !*typed || strcmp(typed, "q") == 0;
        json_t *event = enough ? NULL : event_of(reviewing, live, typed);
        free(typed);
        if (event || enough)
            return event;
    }
}

// ---- one question -----------------------------------------------------------------------------------------------

static bool keep(struct reviewing *reviewing, const struct given *given)
{
    struct error error;
    json_t *event = json_deep_copy(given->question.predicted);
    json_object_set_new(event, "lesson", json_string(given->question.lesson->name));
    json_object_set_new(event, "id", json_string(given->question.live->id));
    json_object_set_new(event, "right", json_boolean(given->right));
    json_object_set_new(event, "review", json_true());
    if (workbook_add(reviewing->workbook, "answer", event, &error))
        return true;
    fail(&error);
    return false;
}

static void judge_given(struct given *given)
{
    given->shown = json_is_true(json_object_get(given->question.predicted, "shown"));
    if (given->question.live->kind == LIVE_PREDICT)
        given->right =
            !given->shown && predict_right(given->question.live, given->question.predicted, &given->outcome);
    else
        given->right = json_is_true(json_object_get(given->question.predicted, "right"));
}

enum asked review_ask(struct reviewing *reviewing, const struct live *live, const char *place)
{
    const struct review_item *item = review_find(&reviewing->review, live);
    struct given given = { .question = { .live = live } };
    if (!item || (live->kind == LIVE_PREDICT && !outcome_known(live, item->outcome, &given.outcome)))
        return ASKED_ANSWERED; // somewhere else, or its events are gone: the file was changed meanwhile
    given.question.lesson = item->lesson;
    given.due = item->due;
    show(reviewing, item->lesson, live, place);
    given.question.predicted = listen_to(reviewing, live);
    if (!given.question.predicted)
        return ASKED_ENOUGH;
    judge_given(&given);
    bool kept = keep(reviewing, &given);
    if (kept) {
        review_again(reviewing);
        reviewing->right += given.right;
        reviewing->wrong += !given.right;
        review_tell(reviewing, &given);
    }
    json_decref(given.question.predicted);
    return kept ? ASKED_ANSWERED : ASKED_FAILED;
}

void review_name(const struct reviewing *reviewing, const struct live *live)
{
    const struct review_item *item = review_find(&reviewing->review, live);
    struct text words = { 0 };
    char day[20];
    if (!item)
        return; // the file was changed meanwhile
    show(reviewing, item->lesson, live, live->kind == LIVE_BUGHUNT ? "Bug hunt" : "Exercise");
    text_add(&words, "'warpbook open ");
    lesson_opens_by(&reviewing->lessons, item->lesson, &words);
    text_addf(&words, "' opens it; its name there is %s. Begin anew: it counts when it is accepted",
              live->id);
    review_date(item->due, day, sizeof day);
    if (item->due > reviewing->today)
        text_addf(&words, " on %s or later", day);
    text_add(&words, ".");
    paper_wrap(&reviewing->paper, ROLE_DIM, 2, words.data);
    text_free(&words);
}
