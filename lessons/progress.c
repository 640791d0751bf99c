// What the workbook says of a learner: how far each lesson has been done, and what comes next.
#include "lessons/answer.h"

#include <stdlib.h>
#include <string.h>

struct progress progress_of(const struct workbook *workbook, const struct lesson *lesson, size_t part)
{
    struct progress progress = { 0 };
    size_t from = part ? lesson->parts[part - 1].from : 0;
    size_t end = part ? lesson->parts[part - 1].end : lesson->block_count;
    for (size_t i = from; i < end; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind != BLOCK_LIVE || !live_asks(block->live.kind))
            continue;
        progress.asked++;
        progress.done += live_is_done(workbook, lesson, &block->live);
        progress.open += live_is_open(workbook, lesson, &block->live);
    }
    progress.opened = workbook && workbook_find(workbook, "lesson", lesson->name, NULL) != NULL;
    return progress;
}

struct lesson_progress *progress_read(const struct workbook *workbook, const struct lessons *lessons)
{
    struct lesson_progress *read = mem_new((lessons->count + 1) * sizeof *read);
    for (size_t i = 0; i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        read[i].parts = mem_new((lesson->part_count + 1) * sizeof *read[i].parts);
        if (!lesson->part_count)
            read[i].all = progress_of(workbook, lesson, 0);
        for (size_t part = 1; part <= lesson->part_count; part++) {
            struct progress progress = progress_of(workbook, lesson, part);
            read[i].parts[part - 1] = progress;
            read[i].all.asked += progress.asked;
            read[i].all.done += progress.done;
            read[i].all.open += progress.open;
            read[i].all.opened |= progress.opened;
        }
    }
    return read;
}

void progress_free(struct lesson_progress *read, const struct lessons *lessons)
{
    for (size_t i = 0; read && i < lessons->count; i++)
        free(read[i].parts);
    free(read);
}

size_t progress_left(const struct workbook *workbook, const struct lesson *lesson)
{
    const json_t *event = workbook ? workbook_find(workbook, "left", lesson->name, NULL) : NULL;
    json_int_t block = json_integer_value(json_object_get(event, "block"));
    return block > 0 && (size_t)block < lesson->block_count ? (size_t)block : 0;
}

// ---- what comes next --------------------------------------------------------------------------------------

// The lesson that was answered in last, without a review; NULL: none.
static const char *answered_last(const struct workbook *workbook)
{
    for (size_t i = workbook ? workbook_count(workbook) : 0; i-- > 0;)
        if ((workbook_is(workbook, i, "answer") || workbook_is(workbook, i, "predict")) &&
            !(workbook_marks(workbook, i) & EVENT_REVIEW))
            return json_string_value(json_object_get(workbook_event(workbook, i), "lesson"));
    return NULL;
}

// The one that was answered in last, or else the first that is begun, or else the first that is not: each as far as
// something is open in it.
static size_t next_lesson(const struct lessons *lessons, const struct lesson_progress *read, const char *last)
{
    size_t begun = SIZE_MAX, fresh = SIZE_MAX;
    for (size_t i = 0; i < lessons->count; i++) {
        const struct progress *progress = &read[i].all;
        if (progress->open && last && strcmp(lessons->list[i].name, last) == 0)
            return i;
        if (begun == SIZE_MAX && progress->open && (progress->opened || progress->done))
            begun = i;
        if (fresh == SIZE_MAX && !progress->opened && (progress->open || !progress->asked))
            fresh = i;
    }
    return begun != SIZE_MAX ? begun : fresh;
}

// The first part with something open, or that asks nothing and was left in its middle; where none is, the one that was
// left.
static size_t next_part(const struct lesson *lesson, const struct progress *parts, size_t left)
{
    for (size_t part = 1; part <= lesson->part_count; part++)
        if (parts[part - 1].open || (part == left && !parts[part - 1].asked))
            return part;
    return left;
}

static const struct live *first_open(const struct workbook *workbook, const struct lesson *lesson,
                                     size_t part)
{
    for (size_t i = lesson->parts[part - 1].from; i < lesson->parts[part - 1].end; i++)
        if (lesson->blocks[i].kind == BLOCK_LIVE && live_asks(lesson->blocks[i].live.kind) &&
            live_is_open(workbook, lesson, &lesson->blocks[i].live))
            return &lesson->blocks[i].live;
    return NULL;
}

struct next progress_next(const struct workbook *workbook, const struct lessons *lessons,
                          const struct lesson_progress *read)
{
    struct next next = { 0 };
    size_t at = next_lesson(lessons, read, answered_last(workbook));
    if (at == SIZE_MAX)
        return next;
    next.lesson = &lessons->list[at];
    next.left = lesson_part_of(next.lesson, progress_left(workbook, next.lesson));
    next.part = next_part(next.lesson, read[at].parts, next.left);
    if (next.part < next.left)
        next.open = first_open(workbook, next.lesson, next.part);
    return next;
}
