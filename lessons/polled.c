// A question of a lesson as a poll of a room. What is right stays here: the poll names the question, and learners have the
// lesson themselves.
#include "lessons/answer.h"

#include <stdlib.h>
#include <string.h>

static const struct live *question_of(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind == BLOCK_LIVE && block->live.id && strcmp(block->live.id, id) == 0)
            return &block->live;
    }
    return NULL;
}

// What can be voted on: one of a few choices is right.
static bool can_be_polled(const struct live *live)
{
    size_t choices = live_count(live, "choice");
    return (live->kind == LIVE_QUIZ || live->kind == LIVE_PREDICT) && choices >= 2 &&
           choices <= POLL_CHOICES && !quiz_several(live);
}

static bool no_question(const struct lesson *lesson, const char *id, struct error *error)
{
    const char **ids = NULL;
    size_t count = 0;
    for (size_t i = 0; i < lesson->block_count; i++)
        if (lesson->blocks[i].kind == BLOCK_LIVE && lesson->blocks[i].live.id &&
            can_be_polled(&lesson->blocks[i].live)) {
            ids = array_room(ids, count, sizeof *ids);
            ids[count++] = lesson->blocks[i].live.id;
        }
    const char *near = string_nearest(id, ids, count);
    struct text all = { 0 };
    for (size_t i = 0; i < count; i++)
        text_addf(&all, "%s%s", i ? ", " : "; these can be: ", ids[i]);
    if (near)
        error_set(error, EXIT_USAGE, "Lesson %s has no question '%.60s'. Did you mean %s?", lesson->name, id,
                  near);
    else
        error_set(error, EXIT_USAGE, "Lesson %s has no question '%.60s' that one can vote on%s.",
                  lesson->name, id, text_string(&all));
    text_free(&all);
    free(ids);
    return false;
}

bool poll_from_lesson(struct lessons *lessons, const char *place, struct poll *out, struct error *error)
{
    const char *slash = strrchr(place, '/');
    if (!slash || slash == place || !slash[1])
        return error_set(error, EXIT_USAGE,
                         "A question of a lesson is named LESSON/QUESTION, as in "
                         "06-coalescing/sectors-of-stride-2, not '%.80s'.",
                         place);
    const struct lesson *lesson;
    size_t part;
    char *name = text_format("%.*s", (int)(slash - place), place);
    bool found = lessons_open(lessons, name, &lesson, &part, error);
    free(name);
    if (!found)
        return false;
    const struct live *live = question_of(lesson, slash + 1);
    if (!live)
        return no_question(lesson, slash + 1, error);
    if (!can_be_polled(live))
        return error_set(error, EXIT_USAGE,
                         "%s of lesson %s cannot be voted on: a vote takes a question with 2 to %d choices, "
                         "one of them right.",
                         live->id, lesson->name, POLL_CHOICES);
    *out = (struct poll){ .number = 0 };
    if (strlen(lesson->name) >= sizeof out->lesson || strlen(live->id) >= sizeof out->id)
        return error_set(error, EXIT_USAGE, "The name of %s/%s is too long for a poll.", lesson->name,
                         live->id);
    format_into(out->lesson, sizeof out->lesson, "%s", lesson->name);
    format_into(out->id, sizeof out->id, "%s", live->id);
    return true;
}

static const struct live *polled(const struct lessons *lessons, const struct poll *poll)
{
    for (size_t i = 0; *poll->lesson && i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, poll->lesson) == 0)
            return question_of(&lessons->list[i], poll->id);
    return NULL;
}

int poll_right(const struct lessons *lessons, const struct workbook *workbook, const struct poll *poll)
{
    const struct live *live = polled(lessons, poll);
    if (!live)
        return -1;
    if (live->kind == LIVE_QUIZ) {
        for (size_t i = 0; i < live_count(live, "choice"); i++)
            if (quiz_choice_right(live, i))
                return (int)i;
        return -1;
    }
    struct outcome outcome;
    bool known = outcome_known(live, NULL, &outcome);
    for (size_t i = workbook ? workbook_count(workbook) : 0;
         !known && i-- > 0;) // what came of the instructor's own run
        known = workbook_is(workbook, i, "answer") && workbook_about(workbook, i, poll->lesson, poll->id) &&
                outcome_known(live, workbook_event(workbook, i), &outcome);
    return known ? outcome.right - 1 : -1;
}
