// What the lesson page folds until it is answered, and how one reads on all the same.
#include "tui/view/lesson.h"

#include <stdlib.h>
#include <string.h>

// What was answered since folds nothing any more; false: nothing is folded.
static bool anew(struct lesson_page *state)
{
    struct question *question = state->questions;
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        if (state->lesson->blocks[i].kind != BLOCK_LIVE || !question)
            continue;
        if (question_is_answered(question))
            state->folds[i] &= (unsigned char)~FOLD_WAITS;
        question++->waits = state->folds[i] & FOLD_WAITS;
    }
    return folds_spread(state->lesson, state->folds);
}

// Reads on past a question or into a section, and says so in the workbook.
static void read_on(struct app *app, struct lesson_page *state, size_t block)
{
    char *name = fold_name(&state->lesson->blocks[block]);
    state->folds[block] ^= state->folds[block] & FOLD_WAITS ? FOLD_WAITS : FOLD_AHEAD;
    app_keep(app, "unfold",
             json_pack("{s:s, s:s, s:s}", "lesson", state->lesson->name, "id", name, "text", "read on"));
    free(name);
}

static void all(struct app *app, struct lesson_page *state)
{
    for (size_t i = 0; i < state->lesson->block_count; i++)
        state->folds[i] &= (unsigned char)~FOLD_WAITS;
    app_keep(app, "unfold",
             json_pack("{s:s, s:s, s:s}", "lesson", state->lesson->name, "id", FOLD_ALL, "text", "read on"));
}

// A question that folds what follows it, or a section that is folded: whether it can be unfolded.
static bool is_fold(const struct lesson_page *state, size_t block)
{
    bool section = lesson_starts_section(&state->lesson->blocks[block]);
    return state->folds[block] & FOLD_WAITS || (section && state->folds[block] & FOLD_HIDES);
}

static char *heading_words(const struct lesson_block *block)
{
    char *name = fold_name(block), *words = mem_copy(name + strspn(name, "#") + 1);
    free(name);
    return words;
}

// Where others lead to is opened ahead.
static void open_section(struct app *app, struct lesson_page *state, const char *heading)
{
    anew(state);
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        bool section = lesson_starts_section(&state->lesson->blocks[i]) && state->folds[i] & FOLD_HIDES;
        char *words = section ? heading_words(&state->lesson->blocks[i]) : NULL;
        if (words && strcmp(words, heading) == 0)
            read_on(app, state, i);
        free(words);
    }
}

// What comes after a question gets most of the screen, and a section all of it. A page above this one leaves it where it
// is.
static void read_from(struct page *page, size_t block)
{
    struct lesson_page *state = page->state;
    const struct lesson_block *from = &state->lesson->blocks[block];
    size_t rows = (size_t)state->reader.rows;
    if (page != page->app->page)
        return;
    if (from->kind == BLOCK_HEADING) {
        free(state->section);
        state->section = heading_words(from);
    }
    for (size_t i = 0; state->questions && i < state->question_count; i++)
        if (state->questions[i].live == &from->live &&
            state->text.ends[i] + rows * 2 / 3 > state->reader.top + rows)
            state->reader.top = state->text.ends[i] + rows * 2 / 3 - rows;
}

static int named(struct page *page, const char *name)
{
    struct lesson_page *state = page->state;
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        char *called = is_fold(state, i) ? fold_name(&state->lesson->blocks[i]) : NULL;
        bool found = called && strcmp(called, name) == 0;
        free(called);
        if (!found)
            continue;
        read_on(page->app, state, i);
        read_from(page, i);
        return DONE;
    }
    return app_refuse(page->app, "Nothing in this lesson is folded by that name.");
}

// Where the part begins that is read; what is open before it folds nothing of it.
static size_t part_line(const struct lesson_page *state)
{
    size_t part = lesson_where.part(state), line = 0;
    for (size_t i = 0; part && i < state->text.section_count; i++)
        if (state->text.sections[i].opens && state->text.sections[i].part == part)
            line = state->text.sections[i].line;
    return part > 1 ? line : 0;
}

// The open question of the part that is nearest before the end of what is shown; the first one after it, where none is.
static int here(struct page *page)
{
    struct lesson_page *state = page->state;
    size_t end = state->reader.top + (size_t)state->reader.rows, live = 0, at = SIZE_MAX, last = SIZE_MAX,
           from = part_line(state);
    struct question *selected = owner_of(state, state->reader.selected);
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        const struct lesson_block *block = &state->lesson->blocks[i];
        if (block->kind != BLOCK_LIVE)
            continue;
        bool waits = (state->folds[i] & (FOLD_WAITS | FOLD_HIDES)) == FOLD_WAITS;
        last = waits ? i : last;
        if (waits && state->text.starts[live] >= from && (at == SIZE_MAX || state->text.starts[live] < end))
            at = i;
        if (waits && selected == &state->questions[live])
            break;
        live++;
    }
    at = at == SIZE_MAX ? last : at;
    if (at == SIZE_MAX) {
        app_say(page->app, ROLE_DIM, "Nothing is folded here.");
        return DONE_FAILED;
    }
    read_on(page->app, state, at);
    read_from(page, at);
    return DONE;
}

static int unfold(struct page *page, const struct words *words)
{
    struct lesson_page *state = page->state;
    struct text name = { 0 };
    int done = DONE;
    if (!state->lesson || !state->reader.rows)
        return app_refuse(page->app, "This is the list of lessons; nothing in it is folded.");
    words_add(words, 1, &name);
    if (words->count < 2)
        done = here(page);
    else if (strcmp(name.data, FOLD_ALL) == 0)
        all(page->app, state);
    else
        done = named(page, name.data);
    text_free(&name);
    anew(state);
    return done;
}

const struct lesson_fold lesson_fold = { .anew = anew,
                                         .read_on = read_on,
                                         .named = named,
                                         .unfold = unfold,
                                         .heading = heading_words,
                                         .open = open_section };
