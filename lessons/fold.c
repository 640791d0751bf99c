// What is folded of a lesson, so that no answer stands below its question: the rest of the section that holds an open
// question, and the sections after it. Reading on all the same is written into the workbook.
#include "lessons/lessons.h"

#include <stdlib.h>
#include <string.h>

// Above this level a heading begins a section.
enum { SECTION_LEVEL = 2 };

bool lesson_starts_section(const struct lesson_block *block)
{
    return block->kind == BLOCK_HEADING && block->level <= SECTION_LEVEL;
}

static bool can_fold(const struct lesson_block *block)
{
    enum live_kind kind = block->live.kind;
    return block->kind == BLOCK_LIVE && (kind == LIVE_QUIZ || kind == LIVE_PREDICT || kind == LIVE_ORDER);
}

char *fold_name(const struct lesson_block *block)
{
    struct text name = { 0 };
    if (block->kind == BLOCK_LIVE)
        return mem_copy_if(block->live.id);
    text_add(&name, "## "); // which no question is called
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&name, block->pieces[i].text);
    return text_take(&name);
}

static bool is_answered(const struct workbook *workbook, const struct lesson *lesson, const struct live *live)
{
    if (live->kind == LIVE_PREDICT)
        return workbook_find(workbook, "predict", lesson->name, live->id) != NULL;
    const json_t *answer = workbook_find(workbook, "answer", lesson->name, live->id);
    return json_is_true(json_object_get(answer, "right")) || json_is_true(json_object_get(answer, "shown"));
}

unsigned char *folds_read(const struct workbook *workbook, const struct lesson *lesson)
{
    unsigned char *folds = mem_new(lesson->block_count + 1);
    bool all = workbook && workbook_find(workbook, "unfold", lesson->name, FOLD_ALL);
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        bool asks = can_fold(block);
        if (!asks && !lesson_starts_section(block))
            continue;
        char *name = fold_name(block);
        bool read_on = all || (workbook && workbook_find(workbook, "unfold", lesson->name, name));
        if (asks && !read_on && !(workbook && is_answered(workbook, lesson, &block->live)))
            folds[i] = FOLD_WAITS;
        else if (!asks && read_on)
            folds[i] = FOLD_AHEAD;
        free(name);
    }
    return folds;
}

bool folds_spread(const struct lesson *lesson, unsigned char *folds)
{
    bool waits = false, hides = false, any = false;
    for (size_t i = 0; i < lesson->block_count; i++) {
        if (lesson_starts_section(&lesson->blocks[i]))
            hides = waits && !(folds[i] & FOLD_AHEAD);
        folds[i] = (unsigned char)(hides ? folds[i] | FOLD_HIDES : folds[i] & ~FOLD_HIDES);
        any |= hides;
        waits |= (folds[i] & FOLD_WAITS) != 0;
        hides |= (folds[i] & FOLD_WAITS) != 0;
    }
    return any;
}
