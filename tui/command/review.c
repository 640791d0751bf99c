// warpbook review asks again what was answered, on the day that it comes back: what was wrong first, mixed over the
// lessons, with numbers drawn anew where the lesson says how they are computed. Tasks to do again are named.
#include "lessons/answer.h"
#include "tui/command/again.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- the state of a review --------------------------------------------------------------------------------

struct reviewing {
    struct paper paper;
    struct lessons lessons;
    struct workbook *workbook;
    struct review review; // by what the workbook says
    long today;
    bool echo; // answers do not show by themselves: they come from a pipe
    size_t right, wrong;
    struct client *client; // for answers that are run; NULL: none was
};
enum review_asked { ASKED_ANSWERED, ASKED_ENOUGH, ASKED_FAILED };
// An answer just given, with what was known of the question before.
struct review_answer {
    struct {
        const struct lesson *lesson;
        const struct live *live;
        json_t *predicted; // or answered
    } question;
    struct outcome outcome; // of a prediction
    struct drawn drawn;     // numbers drawn anew; not answered: the question is as in the lesson
    bool right, shown;
    long due;
};

// Reads the workbook's events and the clock anew.
static void read_again(struct reviewing *reviewing)
{
    review_free(&reviewing->review);
    review_read(reviewing->workbook, &reviewing->lessons, &reviewing->review);
    reviewing->today = review_day(time(NULL));
}

// "tomorrow, 2026-11-22", "in 3 days, on 2026-11-24"
static void add_when_due(const struct reviewing *reviewing, long due, struct text *out)
{
    char date[20];
    long days = due - reviewing->today;
    review_date(due, date, sizeof date);
    if (days <= 0)
        text_addf(out, "today");
    else if (days == 1)
        text_addf(out, "tomorrow, %s", date);
    else
        text_addf(out, "in %ld days, on %s", days, date);
}

// The words of a text from a lesson without their marks, on one line.
static void add_plain_words(const char *text, struct text *out)
{
    size_t count;
    struct inline_piece *pieces = pieces_read(text, &count);
    for (size_t i = 0; i < count; i++)
        for (const char *c = pieces[i].kind == INLINE_BREAK ? " " : pieces[i].text; *c; c++)
            text_add_n(out, *c == '\n' ? " " : c, 1);
    pieces_free(pieces, count);
}

// ---- replies to an answer ---------------------------------------------------------------------------------

static void begin_right(struct sheet *sheet)
{
    sheet_add(sheet, ROLE_TEXT, "  right: ");
    sheet_hang(sheet, sheet->used);
}

static void add_right_choices(struct sheet *sheet, const struct review_answer *given)
{
    const struct live *live = given->question.live;
    for (size_t i = 0; i < live_count(live, "choice"); i++) {
        bool right =
            live->kind == LIVE_PREDICT ? given->outcome.right == (int)i + 1 : quiz_choice_right(live, i);
        if (!right)
            continue;
        begin_right(sheet);
        sheet_add(sheet, ROLE_TITLE, "%zu  ", i + 1);
        sheet_hang(sheet, sheet->used);
        typeset_text(sheet, ROLE_TEXT, live_nth(live, "choice", i), NULL);
        sheet_end(sheet);
    }
}

static void add_right_number(struct sheet *sheet, const struct review_answer *given)
{
    const struct live *live = given->question.live;
    const char *value = live_field(live, "value"), *unit = live_field(live, "unit");
    char number[40];
    outcome_number(given->outcome.values[0], value ? value : "", number, sizeof number);
    begin_right(sheet);
    sheet_flow(sheet, ROLE_TITLE, "%s", number);
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, " %s", unit);
    sheet_end(sheet);
}

// Adds the lines of an order in the right order, with the numbers that they had in the question.
static void add_right_order(struct sheet *sheet, const struct live *live)
{
    int order[ORDER_MOST], count = order_start(live, order);
    sheet_add(sheet, ROLE_TEXT, "  right:");
    sheet_end(sheet);
    for (int line = 0; line < (int)live_count(live, "line"); line++)
        for (int i = 0; i < count; i++)
            if (order[i] == line) {
                sheet_add(sheet, ROLE_TITLE, " %2d  ", i + 1);
                sheet_add(sheet, ROLE_CODE, "%s", order_line(live, line));
                sheet_end(sheet);
            }
}

static void add_right_drawn(struct sheet *sheet, const struct review_answer *given)
{
    const char *unit = live_field(given->question.live, "unit");
    char number[40];
    outcome_number(value_as_real(given->drawn.answer), "", number, sizeof number);
    begin_right(sheet);
    sheet_flow(sheet, ROLE_TITLE, "%s", number);
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, " %s", unit);
    sheet_end(sheet);
}

// Adds the right answer, unless the learner's is right.
static void add_right(struct sheet *sheet, const struct review_answer *given)
{
    const struct live *live = given->question.live;
    if (given->right)
        return;
    if (given->drawn.answered) {
        add_right_drawn(sheet, given);
    } else if (live->kind == LIVE_ORDER) {
        add_right_order(sheet, live);
    } else if (live_count(live, "choice")) {
        add_right_choices(sheet, given);
    } else if (live->kind == LIVE_QUIZ) {
        begin_right(sheet);
        sheet_flow(sheet, ROLE_TITLE, "%s", live_field(live, "right"));
        sheet_end(sheet);
    } else if (given->shown) {
        add_right_number(sheet, given);
    }
}

static void add_verdict(struct sheet *sheet, const struct review_answer *given)
{
    if (given->shown)
        return;
    if (given->question.live->kind == LIVE_PREDICT && !given->drawn.answered) {
        predict_came(sheet, given->question.live, given->question.predicted, &given->outcome);
        return;
    }
    sheet_add(sheet, given->right ? ROLE_GOOD : ROLE_BAD, "  %s %s",
              glyph(sheet->utf8, given->right ? GLYPH_DONE : GLYPH_WRONG),
              given->right ? "right" : "not right");
    sheet_end(sheet);
}

static void add_when(struct sheet *sheet, const struct reviewing *reviewing,
                     const struct review_answer *given)
{
    const struct review_item *item = review_find(&reviewing->review, given->question.live);
    struct text words = { 0 };
    if (!item)
        return;
    if (item->step == REVIEW_STEPS) {
        text_add(&words, "You have learned this; it does not come again.");
    } else {
        bool early = given->right && given->due > reviewing->today;
        text_add(&words,
                 early ? "That was before its day and does not count: it comes again " : "It comes again ");
        add_when_due(reviewing, item->due, &words);
        text_add(&words, ".");
    }
    sheet_paragraph(sheet, ROLE_DIM, 0, words.data);
    text_free(&words);
}

static bool was_chosen(const struct review_answer *given, size_t choice)
{
    const json_t *chosen = json_object_get(given->question.predicted, "chosen"), *one;
    size_t i;
    bool found = json_integer_value(chosen) == (json_int_t)choice + 1;
    json_array_foreach(chosen, i, one) found |= json_integer_value(one) == (json_int_t)choice + 1;
    return found;
}

static void add_reason(struct sheet *sheet, const char *wrong, const char *why)
{
    if (!why)
        return;
    sheet_add(sheet, ROLE_NOTE, "  not %s: ", wrong);
    sheet_hang(sheet, sheet->used);
    typeset_text(sheet, ROLE_NOTE, why, NULL);
    sheet_end(sheet);
}

// Why each wrong choice, or what was typed, is wrong, as the lesson says it: of numbers that are drawn it says nothing.
static void add_why_not(struct sheet *sheet, const struct review_answer *given)
{
    const struct live *live = given->question.live;
    size_t choices = given->right || given->shown || given->drawn.answered ? 0 : live_count(live, "choice");
    for (size_t i = 0; i < choices; i++) {
        char number[24];
        format_into(number, sizeof number, "%zu", i + 1);
        if (was_chosen(given, i))
            add_reason(sheet, number, live_why_not(live, i));
    }
    if (!choices && !given->right && !given->drawn.answered)
        add_reason(sheet, "this", answer_why_not(live, given->question.predicted));
}

// The explanation with the numbers of this draw.
static void add_so(struct sheet *sheet, const struct review_answer *given)
{
    const char *so = live_field(given->question.live, "so");
    struct text words = { 0 };
    struct error unused;
    if (so && drawn_text(&given->drawn, so, &words, &unused)) {
        typeset_text(sheet, ROLE_TEXT, words.data, NULL);
        sheet_end(sheet);
    }
    text_free(&words);
}

static void tell(const struct reviewing *reviewing, struct review_answer *given)
{
    struct sheet sheet = sheet_new(reviewing->paper.width, reviewing->paper.utf8);
    add_verdict(&sheet, given);
    add_why_not(&sheet, given);
    add_right(&sheet, given);
    if (given->drawn.answered)
        add_so(&sheet, given);
    else
        typeset_field(&sheet, given->question.live, "because", NULL);
    add_when(&sheet, reviewing, given);
    sheet_print(&reviewing->paper, &sheet);
    sheet_free(&sheet);
}

// ---- one question -----------------------------------------------------------------------------------------

enum { ANSWER_MOST = 200 };

// ---- the question -----------------------------------------------------------------------------------------

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

// "this kernel" in a question is one that is above it. What is explained there is left out: it is to be remembered.
static void add_section(struct sheet *sheet, const struct lesson *lesson, const struct live *live)
{
    size_t count, from = section_of(lesson, live, &count);
    for (size_t i = from; i < from + count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
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
    const struct lesson_block *head = &lesson->blocks[from];
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

// Adds the lines in the order that they have on the page at first, which is the same for all learners.
static void add_lines(struct sheet *sheet, const struct live *live)
{
    int order[ORDER_MOST], count = order_start(live, order);
    for (int i = 0; i < count; i++) {
        sheet_add(sheet, ROLE_TITLE, " %2d  ", i + 1);
        sheet_add(sheet, ROLE_CODE, "%s", order_line(live, order[i]));
        sheet_end(sheet);
    }
}

// `drawn`: not answered or NULL, the question is as in the lesson.
static void show(const struct reviewing *reviewing, const struct lesson *lesson, const struct live *live,
                 const char *place, const struct drawn *drawn)
{
    struct sheet sheet = sheet_new(reviewing->paper.width, reviewing->paper.utf8);
    struct text again = { 0 };
    struct error unused;
    sheet_end(&sheet);
    add_head(&sheet, lesson, live, place);
    if (drawn && drawn->answered && drawn_text(drawn, live_field(live, "again"), &again, &unused)) {
        sheet_gap(&sheet);
        typeset_text(&sheet, ROLE_TEXT, again.data, NULL);
        sheet_end(&sheet);
        sheet_print(&reviewing->paper, &sheet);
        sheet_free(&sheet);
        text_free(&again);
        return;
    }
    add_section(&sheet, lesson, live);
    typeset_text(&sheet, ROLE_TEXT, live_field(live, "ask"), NULL);
    sheet_end(&sheet);
    add_choices(&sheet, live);
    if (live->kind == LIVE_ORDER)
        add_lines(&sheet, live);
    sheet_print(&reviewing->paper, &sheet);
    sheet_free(&sheet);
}

// ---- the answer -------------------------------------------------------------------------------------------

static void put_prompt(const struct reviewing *reviewing, const struct live *live, bool drawn)
{
    const char *unit = live_field(live, "unit");
    size_t choices = drawn ? 0 : live_count(live, "choice");
    if (live->kind == LIVE_ORDER)
        paper_put(&reviewing->paper, ROLE_TITLE, "The numbers in order%s: ",
                  live_count(live, "extra") ? ", without lines that do not belong" : "");
    else if (quiz_several(live) && choices)
        paper_put(&reviewing->paper, ROLE_TITLE, "All right choices, of 1 to %zu: ", choices);
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
static json_t *event_of(const struct reviewing *reviewing, const struct live *live, const struct drawn *drawn,
                        const char *typed)
{
    unsigned bits;
    size_t choices = drawn->answered ? 0 : live_count(live, "choice"), choice;
    json_t *event = NULL;
    if (strcmp(typed, "?") == 0)
        return json_pack("{s:b, s:b}", "right", 0, "shown", 1);
    if (drawn->answered)
        event = strlen(typed) <= ANSWER_MOST ? drawn_typed(live, drawn, typed) : NULL;
    else if (live->kind == LIVE_ORDER)
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
    else if (!event && (drawn->answered || answer_is_number(live)) && strlen(typed) <= ANSWER_MOST)
        paper_put(&reviewing->paper, ROLE_NOTE, "Type a number.\n");
    else if (!event)
        paper_put(&reviewing->paper, ROLE_NOTE, "An answer has at most %d bytes, and is UTF-8.\n",
                  ANSWER_MOST);
    return event;
}

// NULL: enough.
static json_t *listen_to(const struct reviewing *reviewing, const struct live *live,
                         const struct drawn *drawn)
{
    for (;;) {
        put_prompt(reviewing, live, drawn->answered);
        char *typed = read_answer(reviewing);
        bool enough = !typed || !*typed || strcmp(typed, "q") == 0;
        json_t *event = enough ? NULL : event_of(reviewing, live, drawn, typed);
        free(typed);
        if (event || enough)
            return event;
    }
}

// ---- one question -----------------------------------------------------------------------------------------

static bool keep(struct reviewing *reviewing, const struct review_answer *given)
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

static void judge_given(struct review_answer *given)
{
    given->shown = json_is_true(json_object_get(given->question.predicted, "shown"));
    if (given->question.live->kind == LIVE_PREDICT && !given->drawn.answered)
        given->right =
            !given->shown && predict_right(given->question.live, given->question.predicted, &given->outcome);
    else
        given->right = json_is_true(json_object_get(given->question.predicted, "right"));
}

// Other numbers each day and after each answer. A question whose answer cannot be computed here is asked as it is.
static void draw_numbers(struct reviewing *reviewing, const struct review_item *item, struct drawn *out)
{
    const long changing[] = { reviewing->today, (long)item->answers };
    const char *of[] = { item->lesson->name, item->live->id };
    struct error unused;
    struct drawn own;
    uint64_t chance = hash_bytes(changing, sizeof changing);
    *out = (struct drawn){ 0 };
    for (size_t i = 0; i < 2; i++)
        chance = hash_more(chance, of[i], strlen(of[i]));
    if (!live_field(item->live, "again") || !drawn_read(item->live, 0, &own, &unused))
        return;
    bool read = drawn_read(item->live, chance % own.others + 1, out, &unused);
    if (read && memcmp(out->numbers, own.numbers, sizeof own.numbers) == 0)
        read = drawn_read(item->live, (chance + 1) % own.others + 1, out, &unused);
    if (read)
        again_answer(item->live, out, &reviewing->client, waiting_quietly, &unused);
}

static enum review_asked ask_question(struct reviewing *reviewing, const struct live *live, const char *place)
{
    const struct review_item *item = review_find(&reviewing->review, live);
    struct review_answer given = { .question = { .live = live } };
    if (!item)
        return ASKED_ANSWERED; // its events are gone: the file was changed meanwhile
    draw_numbers(reviewing, item, &given.drawn);
    bool came = live->kind != LIVE_PREDICT || outcome_known(live, item->outcome, &given.outcome);
    if (!came && !given.drawn.answered)
        return ASKED_ANSWERED;
    given.question.lesson = item->lesson;
    given.due = item->due;
    show(reviewing, item->lesson, live, place, &given.drawn);
    given.question.predicted = listen_to(reviewing, live, &given.drawn);
    if (!given.question.predicted)
        return ASKED_ENOUGH;
    judge_given(&given);
    bool kept = keep(reviewing, &given);
    if (kept) {
        read_again(reviewing);
        reviewing->right += given.right;
        reviewing->wrong += !given.right;
        tell(reviewing, &given);
    }
    json_decref(given.question.predicted);
    return kept ? ASKED_ANSWERED : ASKED_FAILED;
}

static void name_task(const struct reviewing *reviewing, const struct live *live)
{
    const struct review_item *item = review_find(&reviewing->review, live);
    struct text words = { 0 };
    char day[20];
    if (!item)
        return; // the file was changed meanwhile
    show(reviewing, item->lesson, live, live->kind == LIVE_BUGHUNT ? "Bug hunt" : "Exercise", NULL);
    text_add(&words, "'warpbook open ");
    lesson_opens_by(&reviewing->lessons, item->lesson, 0, &words);
    text_addf(&words, "' opens it; its name there is %s. Start again: it counts when it is accepted",
              live->id);
    review_date(item->due, day, sizeof day);
    if (item->due > reviewing->today)
        text_addf(&words, " on %s or later", day);
    text_add(&words, ".");
    paper_wrap(&reviewing->paper, ROLE_DIM, 2, words.data);
    text_free(&words);
}

// ---- the state of a review --------------------------------------------------------------------------------

static bool begin(struct reviewing *reviewing, struct error *error)
{
    *reviewing = (struct reviewing){ .paper = paper_open(stdout), .echo = !isatty(STDIN_FILENO) };
    if (!lessons_read(NULL, &reviewing->lessons, error))
        return false;
    reviewing->workbook = workbook_open(NULL, error);
    if (!reviewing->workbook) {
        lessons_free(&reviewing->lessons);
        return false;
    }
    lessons_recall(&reviewing->lessons, reviewing->workbook);
    keep_warn(reviewing->workbook);
    read_again(reviewing);
    return true;
}

static void end(struct reviewing *reviewing)
{
    client_free(reviewing->client);
    review_free(&reviewing->review);
    workbook_close(reviewing->workbook);
    lessons_free(&reviewing->lessons);
}

// ---- words ------------------------------------------------------------------------------------------------

// Prints the words and empties them.
static void print_words(const struct reviewing *reviewing, enum role role, struct text *words)
{
    paper_wrap(&reviewing->paper, role, 0, text_string(words));
    text_free(words);
}

static void say_nothing_left(const struct reviewing *reviewing)
{
    struct text words = { 0 };
    size_t learned = reviewing->review.count;
    if (learned) {
        text_add(&words, "Nothing is left to review: all ");
        review_count_words(review_count(&reviewing->review, 0, learned), &words);
        text_addf(&words, " %s learned.", learned == 1 ? "is" : "are");
    } else {
        text_add(&words, "There is nothing to review yet. What is wrong in a lesson comes back the next day: "
                         "a question, a prediction, an order, a kernel that was rejected or given up. A "
                         "question that is right at once comes back after a week.");
    }
    print_words(reviewing, ROLE_TEXT, &words);
}

// Nothing is due: says when the next question comes.
static void say_next(const struct reviewing *reviewing)
{
    const struct review *review = &reviewing->review;
    struct text words = { 0 };
    size_t left = review_left(review);
    if (!left) {
        say_nothing_left(reviewing);
        return;
    }
    struct review_count count = review_count(review, 0, left);
    text_add(&words, "Nothing is due today. ");
    if (left == 1)
        text_addf(&words, "One %s", count.tasks ? "task" : "question");
    else
        review_count_words(count, &words);
    text_add(&words, left == 1 ? " comes again " : " come again, the next one ");
    add_when_due(reviewing, review->list[0].due, &words);
    text_add(&words, ". 'warpbook review --all' asks now.");
    print_words(reviewing, ROLE_TEXT, &words);
}

static void say_start(const struct reviewing *reviewing, size_t count, size_t due, size_t asked)
{
    struct text words = { 0 };
    struct review_count counts = review_count(&reviewing->review, 0, count);
    review_count_words(counts, &words);
    text_addf(&words, " %s %s", count == 1 ? "is" : "are", due == count ? "due." : "not learned, ");
    if (due < count && due)
        text_addf(&words, "%zu of them due.", due);
    else if (due < count)
        text_addf(&words, "none of them due today.");
    if (asked < counts.questions)
        text_addf(&words, " %zu of them are asked now, first those that you had wrong.", asked);
    if (due < count)
        text_add(&words, " A right answer before its day does not count.");
    if (counts.questions)
        text_add(&words, " '?' shows the answer and counts as wrong; an empty line or q ends.");
    print_words(reviewing, ROLE_DIM, &words);
}

static void say_end(const struct reviewing *reviewing)
{
    size_t done = reviewing->right + reviewing->wrong;
    size_t due = review_due(&reviewing->review, reviewing->today);
    size_t stay = review_count(&reviewing->review, 0, due).questions;
    struct text words = { 0 };
    paper_put(&reviewing->paper, ROLE_TEXT, "\n");
    if (done)
        text_addf(&words, "%zu answered: %zu right, %zu wrong.", done, reviewing->right, reviewing->wrong);
    else
        text_add(&words, "Nothing was answered.");
    if (stay)
        text_addf(&words, " %zu question%s due; 'warpbook review' goes on.", stay,
                  stay == 1 ? " stays" : "s stay");
    print_words(reviewing, ROLE_TITLE, &words);
    if (!due && review_left(&reviewing->review))
        say_next(reviewing);
}

// ---- asking -----------------------------------------------------------------------------------------------

// A task stays due until it is accepted in its lesson.
static void name_tasks(const struct reviewing *reviewing, const struct live *const *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        name_task(reviewing, tasks[i]);
}

// The events move when one is added, so that each question is known by its place in the lessons.
static int ask(struct reviewing *reviewing, bool all)
{
    const struct review *review = &reviewing->review;
    size_t due = review_due(review, reviewing->today), count = all ? review_left(review) : due;
    const struct live **asked = mem_new((count + 1) * sizeof *asked);
    size_t questions = review_sitting(review, count, all ? count : REVIEW_SITTING, asked);
    size_t tasks = review_count(review, 0, count).tasks;
    enum review_asked how = ASKED_ANSWERED;
    if (count)
        say_start(reviewing, count, due, questions);
    else
        say_next(reviewing);
    for (size_t i = 0; i < questions && how == ASKED_ANSWERED; i++) {
        char place[40];
        format_into(place, sizeof place, "%zu of %zu", i + 1, questions);
        how = ask_question(reviewing, asked[i], place);
    }
    if (how != ASKED_FAILED)
        name_tasks(reviewing, asked + questions, tasks);
    if (questions && how != ASKED_FAILED)
        say_end(reviewing);
    free(asked);
    return how == ASKED_FAILED ? EXIT_MISSING : EXIT_RIGHT;
}

// ---- the list ---------------------------------------------------------------------------------------------

static void list_row(const struct reviewing *reviewing, const struct review_item *item, int name_cells)
{
    const struct paper *paper = &reviewing->paper;
    enum { DATE = 10, WHEN = 10, APART = 3 };
    char date[20], when[30];
    long days = item->due - reviewing->today;
    struct text words = { 0 };
    review_date(item->due, date, sizeof date);
    format_into(when, sizeof when, days <= 0 ? "due" : days == 1 ? "tomorrow" : "in %ld days", days);
    add_plain_words(live_field(item->live, "ask"), &words);
    int rest = paper->width - DATE - WHEN - name_cells - APART;
    size_t fits = text_fit(text_string(&words), rest > 10 ? rest : 10);
    bool cut = fits < words.length;
    if (cut)
        fits = text_fit(text_string(&words),
                        (rest > 10 ? rest : 10) - text_cells(glyph(paper->utf8, GLYPH_ELLIPSIS)));
    paper_cell(paper, days <= 0 ? ROLE_NOTE : ROLE_TEXT, DATE, "%s", date);
    paper_cell(paper, days <= 0 ? ROLE_NOTE : ROLE_DIM, WHEN, "%s", when);
    paper_cell(paper, ROLE_TITLE, name_cells, "%s", lesson_folder(item->lesson));
    paper_put(paper, ROLE_TEXT, "%.*s%s\n", (int)fits, text_string(&words),
              cut ? glyph(paper->utf8, GLYPH_ELLIPSIS) : "");
    text_free(&words);
}

static int list(const struct reviewing *reviewing)
{
    const struct review *review = &reviewing->review;
    size_t left = review_left(review), due = review_due(review, reviewing->today);
    size_t learned = review->count - left;
    int name_cells = 0;
    struct text words = { 0 };
    for (size_t i = 0; i < left; i++) {
        int cells = text_cells(lesson_folder(review->list[i].lesson));
        name_cells = cells > name_cells ? cells : name_cells;
    }
    for (size_t i = 0; i < left; i++)
        list_row(reviewing, &review->list[i], name_cells);
    if (!left) {
        say_nothing_left(reviewing);
        return EXIT_RIGHT;
    }
    paper_put(&reviewing->paper, ROLE_TEXT, "\n");
    text_addf(&words, "%zu of %zu due", due, left);
    if (learned)
        text_addf(&words, ", %zu learned", learned);
    text_addf(&words, ". 'warpbook review%s' asks.", due ? "" : " --all");
    print_words(reviewing, ROLE_DIM, &words);
    return EXIT_RIGHT;
}

int command_review(const struct arguments *arguments)
{
    struct reviewing reviewing;
    struct error error;
    if (!begin(&reviewing, &error))
        return fail(&error);
    int status = arguments_has(arguments, "--list") ? list(&reviewing)
                                                    : ask(&reviewing, arguments_has(arguments, "--all"));
    end(&reviewing);
    return status;
}
