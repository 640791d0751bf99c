// What the workbook says is asked a learner again, and when.
//
// A question that was answered wrong comes back after 1 day. Answered right on the day it is due or later, it comes back
// after 3 days, then after 7, then after 21, and after that no more. Answered wrong at any time, it starts over. A right
// answer before the day does not count: it may only be remembered. A task comes back in the same way when it was rejected or
// its solution was asked for; accepted is right.
//
// A question that was right at once enters at the third step: it comes back after 7 days, then after 21. A task that was
// accepted at once does not come back.
#include "lessons/answer.h"
#include "lessons/lessons.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- What is asked again ----------------------------------------------------------------------------------

static const int review_days[REVIEW_STEPS] = { 1, 3, 7, 21 };

long review_day(time_t at)
{
    struct tm local;
    if (!localtime_r(&at, &local))
        return 0;
    struct tm day = { .tm_year = local.tm_year, .tm_mon = local.tm_mon, .tm_mday = local.tm_mday };
    return (long)(timegm(&day) / 86400);
}

void review_date(long day, char *out, size_t size)
{
    time_t at = (time_t)day * 86400;
    struct tm date;
    format_into(out, size, "?");
    if (gmtime_r(&at, &date))
        strftime(out, size, "%Y-%m-%d", &date);
}

static bool event_day(const json_t *event, long *day)
{
    struct tm utc = { 0 };
    const char *date = json_string_value(json_object_get(event, "date"));
    const char *end = date ? strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;
    if (!end || *end)
        return false;
    *day = review_day(timegm(&utc));
    return true;
}

// ---- questions --------------------------------------------------------------------------------------------

// The question of this lesson that an event is about; NULL: the lesson no longer has it.
static const struct live *live_of(const struct lesson *lesson, const struct workbook *workbook, size_t event)
{
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind == BLOCK_LIVE && live_asks(block->live.kind) && block->live.id &&
            workbook_about(workbook, event, lesson->name, block->live.id))
            return &block->live;
    }
    return NULL;
}

bool review_is_task(const struct live *live)
{
    return live->kind == LIVE_EXERCISE || live->kind == LIVE_BUGHUNT || live->kind == LIVE_CHALLENGE;
}

// False: the lessons have no such question.
static bool question_of(const struct lessons *lessons, const struct workbook *workbook, size_t event,
                        struct review_item *out)
{
    for (size_t i = 0; i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        if (!workbook_about(workbook, event, lesson->name, NULL))
            continue;
        *out = (struct review_item){ .lesson = lesson, .live = live_of(lesson, workbook, event) };
        return out->live != NULL;
    }
    return false;
}

static struct review_item *item_of(const struct review *review, const struct live *live)
{
    for (size_t i = 0; i < review->count; i++)
        if (review->list[i].live == live)
            return &review->list[i];
    return NULL;
}

// Whether an answer says what came out of all runs that the lesson has now.
static bool says_outcome(const struct live *live, const json_t *event)
{
    size_t runs = live_count(live, "run");
    return runs && json_array_size(json_object_get(event, "came")) == runs &&
           json_is_string(json_object_get(event, "how"));
}

static bool can_be_judged(const struct review_item *item)
{
    return item->live->kind != LIVE_PREDICT || live_field(item->live, "right") ||
           live_field(item->live, "again") || item->outcome;
}

// ---- the rule ---------------------------------------------------------------------------------------------

enum { AT_ONCE = 2 }; // the step at which a question enters that was never wrong

static void answered_wrong(struct review_item *item, long day)
{
    item->step = 0;
    item->wrong++;
    item->due = day + review_days[0];
}

static void answered_right(struct review_item *item, long day)
{
    if (item->answers == 1 && !item->wrong) { // right at once
        item->step = AT_ONCE;
        item->due = day + review_days[AT_ONCE];
        return;
    }
    if (item->step == REVIEW_STEPS || day < item->due)
        return;
    item->step++;
    item->due = item->step < REVIEW_STEPS ? day + review_days[item->step] : LONG_MAX;
}

// NULL: the event is about nothing that is or becomes one. A task that was only ever right becomes none.
static struct review_item *item_about(struct review *review, const struct lessons *lessons,
                                      const struct workbook *workbook, size_t event, bool right)
{
    struct review_item asked;
    if (!question_of(lessons, workbook, event, &asked))
        return NULL;
    struct review_item *item = item_of(review, asked.live);
    if (item || (right && review_is_task(asked.live)))
        return item;
    review->list = array_room(review->list, review->count, sizeof *review->list);
    item = &review->list[review->count++];
    *item = asked;
    return item;
}

static void take_answer(struct review *review, const struct lessons *lessons, const struct workbook *workbook,
                        size_t index)
{
    const json_t *event = workbook_event(workbook, index);
    const json_t *right = json_object_get(event, "right");
    struct review_item *item;
    long day;
    if (!json_is_boolean(right) || !event_day(event, &day) ||
        !(item = item_about(review, lessons, workbook, index, json_is_true(right))))
        return;
    item->answers++;
    if (says_outcome(item->live, event))
        item->outcome = event;
    if (json_is_true(right))
        answered_right(item, day);
    else
        answered_wrong(item, day);
}

// A task is given up once: hints that come later only say again that it was.
static void take_hint(struct review *review, const struct lessons *lessons, const struct workbook *workbook,
                      size_t index)
{
    const json_t *event = workbook_event(workbook, index);
    struct review_item *item;
    long day;
    if (!json_is_true(json_object_get(event, "asked_solution")) || !event_day(event, &day) ||
        !(item = item_about(review, lessons, workbook, index, false)) || item->told)
        return;
    item->told = true;
    answered_wrong(item, day);
}

static int by_day(const void *one, const void *other)
{
    const struct review_item *a = one, *b = other;
    if (a->due != b->due)
        return a->due < b->due ? -1 : 1;
    if (a->lesson->number != b->lesson->number)
        return a->lesson->number - b->lesson->number;
    return a->live->line - b->live->line;
}

void review_read(const struct workbook *workbook, const struct lessons *lessons, struct review *out)
{
    *out = (struct review){ 0 };
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (workbook_is(workbook, i, "answer"))
            take_answer(out, lessons, workbook, i);
        else if (workbook_is(workbook, i, "hint") && workbook_marks(workbook, i) & EVENT_TOLD)
            take_hint(out, lessons, workbook, i);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (can_be_judged(&out->list[i]))
            out->list[kept++] = out->list[i];
    out->count = kept;
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, by_day);
}

size_t review_due(const struct review *review, long today)
{
    size_t due = 0;
    while (due < review->count && review->list[due].due <= today)
        due++;
    return due;
}

size_t review_left(const struct review *review)
{
    size_t left = 0;
    while (left < review->count && review->list[left].step < REVIEW_STEPS)
        left++;
    return left;
}

const struct review_item *review_find(const struct review *review, const struct live *live)
{
    return item_of(review, live);
}

// ---- one sitting ------------------------------------------------------------------------------------------

struct turn {
    const struct live *live;
    size_t nth; // of its lesson in this sitting
    size_t at;  // among all
};

static int by_turn(const void *one, const void *other)
{
    const struct turn *a = one, *b = other;
    if (a->nth != b->nth)
        return a->nth < b->nth ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

// The first of each lesson, then the second of each, so that questions of one lesson are kept apart.
static void mix(struct turn *turns, const struct lesson *const *lessons, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            turns[i].nth += lessons[j] == lessons[i];
    if (count)
        qsort(turns, count, sizeof *turns, by_turn);
}

// The questions that were wrong, or the others, mixed, up to `most`; returns how many.
static size_t add_turns(const struct review *review, size_t count, bool wrong, size_t most,
                        const struct live **out)
{
    struct turn *turns = mem_new((count + 1) * sizeof *turns);
    const struct lesson **lessons = mem_new((count + 1) * sizeof *lessons);
    size_t questions = 0;
    for (size_t i = 0; i < count; i++) {
        const struct review_item *item = &review->list[i];
        if (review_is_task(item->live) || (item->wrong > 0) != wrong)
            continue;
        lessons[questions] = item->lesson;
        turns[questions] = (struct turn){ item->live, 0, questions };
        questions++;
    }
    mix(turns, lessons, questions);
    questions = questions < most ? questions : most;
    for (size_t i = 0; i < questions; i++)
        out[i] = turns[i].live;
    free(lessons);
    free(turns);
    return questions;
}

size_t review_sitting(const struct review *review, size_t count, size_t most, const struct live **out)
{
    size_t questions = add_turns(review, count, true, most, out);
    questions += add_turns(review, count, false, most - questions, out + questions);
    for (size_t i = 0, at = questions; i < count; i++)
        if (review_is_task(review->list[i].live))
            out[at++] = review->list[i].live;
    return questions;
}

void review_free(struct review *review)
{
    free(review->list);
    *review = (struct review){ 0 };
}

struct review_count review_count(const struct review *review, size_t from, size_t to)
{
    struct review_count count = { 0, 0 };
    for (size_t i = from; i < to; i++) {
        bool task = review_is_task(review->list[i].live);
        count.tasks += task;
        count.questions += !task;
    }
    return count;
}

void review_count_words(struct review_count count, struct text *out)
{
    if (count.questions || !count.tasks)
        text_addf(out, "%zu question%s", count.questions, count.questions == 1 ? "" : "s");
    if (count.tasks)
        text_addf(out, "%s%zu task%s", count.questions ? " and " : "", count.tasks,
                  count.tasks == 1 ? "" : "s");
}

void review_sitting_words(struct review_count due, struct text *out)
{
    if (due.questions > REVIEW_SITTING)
        text_addf(out, "%d of ", REVIEW_SITTING);
    review_count_words(due, out);
}

bool review_waits(const struct workbook *workbook, const struct lessons *lessons, const struct live *live)
{
    struct review review;
    review_read(workbook, lessons, &review);
    const struct review_item *item = review_find(&review, live);
    bool waits = item && item->due <= review_day(time(NULL));
    review_free(&review);
    return waits;
}
