// What the workbook says of a learner: how far a lesson has been done, and what is asked again, and when.
//
// A question that was answered wrong comes back after 1 day. Answered right on the day it is due or later, it comes back
// after 3 days, then after 7, then after 21, and after that no more. Answered wrong at any time, it starts over. A right
// answer before the day does not count: it may only be remembered. A task comes back in the same way when it was rejected or
// its solution was asked for; accepted is right.
#include "lessons/answer.h"
#include "lessons/lessons.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- How far a learner has got in a lesson ----------------------------------------------------------------

static bool is_asked(enum live_kind kind)
{
    return kind == LIVE_PREDICT || kind == LIVE_QUIZ || kind == LIVE_ORDER || kind == LIVE_EXERCISE ||
           kind == LIVE_BUGHUNT;
}

// Answered, whatever it was: a prediction cannot be wrong, a quiz is done when it is right.
static bool is_done(const struct workbook *workbook, const struct lesson *lesson, const struct live *live)
{
    if (live->kind == LIVE_PREDICT)
        return workbook_find(workbook, "predict", lesson->name, live->id) != NULL;
    const json_t *answer = workbook_find(workbook, "answer", lesson->name, live->id);
    return answer && json_is_true(json_object_get(answer, "right"));
}

struct progress progress_of(const struct workbook *workbook, const struct lesson *lesson)
{
    struct progress progress = { 0 };
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind != BLOCK_LIVE || !is_asked(block->live.kind))
            continue;
        progress.asked++;
        progress.done += workbook && is_done(workbook, lesson, &block->live);
    }
    progress.opened = workbook && workbook_find(workbook, "lesson", lesson->name, NULL) != NULL;
    return progress;
}

const struct lesson *progress_next(const struct lessons *lessons, const struct workbook *workbook)
{
    const struct lesson *fresh = NULL;
    for (size_t i = 0; i < lessons->count; i++) {
        struct progress progress = progress_of(workbook, &lessons->list[i]);
        bool open = progress.done < progress.asked || !progress.asked;
        if (open && (progress.opened || progress.done) && progress.asked)
            return &lessons->list[i];
        if (open && !fresh && !progress.opened)
            fresh = &lessons->list[i];
    }
    return fresh;
}

// ---- What is asked again ----------------------------------------------------------------------------------

const int review_days[REVIEW_STEPS] = { 1, 3, 7, 21 };

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

static const struct live *live_of(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        bool asks =
            block->kind == BLOCK_LIVE && block->live.kind != LIVE_LAB && block->live.kind != LIVE_WIDGET;
        if (asks && block->live.id && strcmp(block->live.id, id) == 0)
            return &block->live;
    }
    return NULL;
}

bool review_is_task(const struct live *live)
{
    return live->kind == LIVE_EXERCISE || live->kind == LIVE_BUGHUNT;
}

// The question that an event is about; false: the lessons no longer have it.
static bool question_of(const struct lessons *lessons, const json_t *event, struct review_item *out)
{
    const char *lesson = json_string_value(json_object_get(event, "lesson"));
    const char *id = json_string_value(json_object_get(event, "id"));
    for (size_t i = 0; lesson && id && i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, lesson) == 0) {
            *out =
                (struct review_item){ .lesson = &lessons->list[i], .live = live_of(&lessons->list[i], id) };
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
    return item->live->kind != LIVE_PREDICT || live_field(item->live, "right") || item->outcome;
}

// ---- the rule ---------------------------------------------------------------------------------------------

static void answered_wrong(struct review_item *item, long day)
{
    item->step = 0;
    item->wrong++;
    item->due = day + review_days[0];
}

static void answered_right(struct review_item *item, long day)
{
    if (item->step == REVIEW_STEPS || day < item->due)
        return;
    item->step++;
    item->due = item->step < REVIEW_STEPS ? day + review_days[item->step] : LONG_MAX;
}

// NULL: the event is about nothing that is or becomes one. What was only ever right becomes none.
static struct review_item *item_about(struct review *review, const struct lessons *lessons,
                                      const json_t *event, bool right)
{
    struct review_item asked;
    if (!question_of(lessons, event, &asked))
        return NULL;
    struct review_item *item = item_of(review, asked.live);
    if (item || right)
        return item;
    review->list = array_room(review->list, review->count, sizeof *review->list);
    item = &review->list[review->count++];
    *item = asked;
    return item;
}

static void take_answer(struct review *review, const struct lessons *lessons, const json_t *event)
{
    const json_t *right = json_object_get(event, "right");
    struct review_item *item;
    long day;
    if (!json_is_boolean(right) || !event_day(event, &day) ||
        !(item = item_about(review, lessons, event, json_is_true(right))))
        return;
    if (says_outcome(item->live, event))
        item->outcome = event;
    if (json_is_true(right))
        answered_right(item, day);
    else
        answered_wrong(item, day);
}

// A task is given up once: hints that come later only say again that it was.
static void take_hint(struct review *review, const struct lessons *lessons, const json_t *event)
{
    struct review_item *item;
    long day;
    if (!json_is_true(json_object_get(event, "asked_solution")) || !event_day(event, &day) ||
        !(item = item_about(review, lessons, event, false)) || item->told)
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

// A right answer to what was never wrong changes nothing: most of a workbook need not be read for a review.
static bool matters(const struct review *review, const struct workbook *workbook, size_t event)
{
    bool known = !(workbook_marks(workbook, event) & EVENT_RIGHT);
    for (size_t i = 0; i < review->count && !known; i++)
        known = workbook_about(workbook, event, review->list[i].lesson->name, review->list[i].live->id);
    return known;
}

void review_read(const struct workbook *workbook, const struct lessons *lessons, struct review *out)
{
    *out = (struct review){ 0 };
    for (size_t i = 0; i < workbook_count(workbook); i++)
        if (workbook_is(workbook, i, "answer") && matters(out, workbook, i))
            take_answer(out, lessons, workbook_event(workbook, i));
        else if (workbook_is(workbook, i, "hint") && workbook_marks(workbook, i) & EVENT_TOLD)
            take_hint(out, lessons, workbook_event(workbook, i));
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

struct review_count review_now(const struct workbook *workbook, const struct lessons *lessons)
{
    struct review review;
    review_read(workbook, lessons, &review);
    struct review_count due = review_count(&review, 0, review_due(&review, review_day(time(NULL))));
    review_free(&review);
    return due;
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
