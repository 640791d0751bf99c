// Live blocks that are read or looked up: what they name exists, and one answer is right.
#include "lessons/answer.h"
#include "tui/command/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1.5    // the right choice is off by less
#define APART 1.1   // the next one is farther off by this factor
#define DIFFER 1.03 // of several runs the best is so much better than the next

static void field_error(struct checking *check, const struct lesson *lesson, const struct live *live,
                        const char *key, size_t nth, const struct error *error)
{
    check_lesson_error(check, lesson, live_line(live, key, nth), live_nth(live, key, nth), "%.*s",
                       (int)strcspn(error->text, "\n"), error->text);
}

// ---- lab, widget --------------------------------------------------------------------------------------------------

static void check_shows(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    const char *place;
    for (size_t i = 0; (place = live_nth(live, "show", i)); i++)
        if (!place_check(place, &error))
            field_error(check, lesson, live, "show", i, &error);
}

static void check_widget(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    if (!explorer_check(live_field(live, "explore"), &error))
        field_error(check, lesson, live, "explore", 0, &error);
}

// ---- choices --------------------------------------------------------------------------------------------------------

static void check_choices(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    size_t count = live_count(live, "choice");
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "choice", i), live_nth(live, "choice", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "choice", i), NULL,
                                   "this choice stands there twice");
    for (size_t i = 1; i < live_count(live, "right"); i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "right", i), live_nth(live, "right", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "right", i), NULL,
                                   "this choice is right already");
}

static void check_right_number(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *right = live_field(live, "right");
    char *end;
    if (!right || live_count(live, "choice"))
        return;
    strtod(right, &end);
    if (end == right || end[strspn(end, " ")])
        check_lesson_error(check, lesson, live_line(live, "right", 0), right,
                           "a prediction without choices is a number");
}

// ---- what a run says ------------------------------------------------------------------------------------------------

struct prediction {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    double values[OUTCOME_MOST];
    size_t count;
};

// False: an error was said, or nothing can be said here.
static bool run_value(struct prediction *p, size_t run, const struct lesson_run *trial)
{
    struct error error;
    const json_t *record;
    const char *value = live_field(p->live, "value");
    check_progress(p->check, "%s: %s", p->lesson->name, trial->place);
    enum told told = check_run(p->check, trial, &record, &error);
    if (told == TOLD && !live_value(value, record, &p->values[run])) {
        error_set(&error, EXIT_WRONG, "the run does not say %s", value);
        told = TOLD_WRONG;
    }
    if (told == TOLD_NOT_RUN)
        check_not_run(p->check, p->lesson, trial->place, &error);
    else if (told == TOLD_WRONG)
        field_error(p->check, p->lesson, p->live, "run", run, &error);
    return told == TOLD;
}

// How far a choice is from being right; the least is.
static double distance(const struct prediction *p, size_t choice)
{
    const char *best = live_field(p->live, "best");
    if (p->count == 1)
        return outcome_ratio(strtod(live_nth(p->live, "choice", choice), NULL), p->values[0]);
    return best && strcmp(best, "most") == 0 ? 1 / p->values[choice] : p->values[choice];
}

static void one_is_right(const struct prediction *p)
{
    size_t count = live_count(p->live, "choice"), right = 0;
    double next = INFINITY;
    for (size_t i = 1; i < count; i++)
        if (distance(p, i) < distance(p, right))
            right = i;
    for (size_t i = 0; i < count; i++)
        if (i != right && distance(p, i) < next)
            next = distance(p, i);
    if (!count)
        return;
    int line = live_line(p->live, "choice", right);
    if (p->count == 1 && distance(p, right) > NEAR)
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "%.4g comes out, and no choice is near it; this one is nearest", p->values[0]);
    else if (next < distance(p, right) * (p->count == 1 ? APART : DIFFER))
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "this choice and another are as near to what comes out (%.4g)",
                           p->values[p->count == 1 ? 0 : right]);
}

static void check_predict(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct prediction p = { .check = check, .lesson = lesson, .live = live };
    struct error error;
    const char *run;
    bool known = true;
    check_right_number(check, lesson, live);
    for (size_t i = 0; (run = live_nth(live, "run", i)); i++) {
        struct lesson_run trial;
        if (!lesson_run_read(&trial, run, false, &error)) {
            field_error(check, lesson, live, "run", i, &error);
            return;
        }
        known &= run_value(&p, i, &trial);
        lesson_run_free(&trial);
        p.count++;
    }
    if (known && p.count)
        one_is_right(&p);
}

void check_live(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    check_choices(check, lesson, live);
    switch (live->kind) {
    case LIVE_LAB:
        check_shows(check, lesson, live);
        break;
    case LIVE_WIDGET:
        check_widget(check, lesson, live);
        break;
    case LIVE_PREDICT:
        check_predict(check, lesson, live);
        break;
    case LIVE_ORDER:
        check_order(check, lesson, live);
        break;
    case LIVE_EXERCISE:
    case LIVE_BUGHUNT:
        check_task(check, lesson, live);
        break;
    default:
        break;
    }
}
