// How far somebody is in a lesson, from the workbook.
#include "lessons/answer.h"

#include <string.h>

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
