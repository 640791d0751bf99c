// What is folded of a lesson, so that no answer is shown below its question: the rest of the section that holds an open
// question, and the sections after it. Reading on all the same, past a question, into a section or a part, is written into
// the workbook.
#include "lessons/answer.h"

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
    text_add(&name, block->level == 1 ? "# " : "## "); // which no question is called
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&name, block->pieces[i].text);
    return text_take(&name);
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
        if (asks && !read_on && live_is_open(workbook, lesson, &block->live))
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
    size_t part = 0; // that begin before this block
    for (size_t i = 0; i < lesson->block_count; i++) {
        bool opens_part = part < lesson->part_count && lesson->parts[part].heading == i;
        part += opens_part;
        if (opens_part && folds[i] & FOLD_AHEAD)
            waits = false;
        if (lesson_starts_section(&lesson->blocks[i]))
            hides = waits && !(folds[i] & FOLD_AHEAD);
        folds[i] = (unsigned char)(hides ? folds[i] | FOLD_HIDES : folds[i] & ~FOLD_HIDES);
        any |= hides;
        waits |= (folds[i] & FOLD_WAITS) != 0;
        hides |= (folds[i] & FOLD_WAITS) != 0;
    }
    return any;
}
