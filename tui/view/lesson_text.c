// A lesson as a sheet: its head, its text, and the live blocks in their places; and the list of all lessons.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

// ---- parts ----------------------------------------------------------------------------------------------------------

static void add_section(struct lesson_text *text, const char *words)
{
    text->sections = array_room(text->sections, text->section_count, sizeof *text->sections);
    text->sections[text->section_count++] =
        (struct section){ .line = text->sheet.line_count, .words = mem_copy(words) };
}

static void add_front(struct lesson_text *text, const struct lesson *lesson)
{
    struct sheet *sheet = &text->sheet;
    struct text title = { 0 };
    add_section(text, lesson->title);
    text_addf(&title, "%d  %s", lesson->number, lesson->title);
    typeset_heading(sheet, 1, title.data);
    text_free(&title);
    sheet_flow(sheet, ROLE_DIM, "%d minutes. Afterwards you can", lesson->minutes);
    sheet_end(sheet);
    for (size_t i = 0; i < lesson->after_count; i++) {
        sheet_add(sheet, ROLE_DIM, " %s ", glyph(sheet->utf8, GLYPH_BULLET));
        sheet_hang(sheet, 3);
        typeset_text(sheet, ROLE_TEXT, lesson->after[i], NULL);
        sheet_end(sheet);
    }
}

static void add_heading(struct lesson_text *text, const struct lesson_block *before,
                        const struct lesson_block *block)
{
    struct text words = { 0 };
    typeset_block(&text->sheet, before, block, &text->links);
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&words, block->pieces[i].text);
    if (block->level <= 2) {
        add_section(text, text_string(&words));
        while (text->sections[text->section_count - 1].line > 0 && // where the heading starts
               text->sheet.lines[text->sections[text->section_count - 1].line - 1].count)
            text->sections[text->section_count - 1].line--;
    }
    text_free(&words);
}

static void add_note(struct sheet *sheet, const struct lesson_block *block)
{
    sheet_gap(sheet);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_NOTE, "Instructor:");
    sheet_flow(sheet, ROLE_TEXT, " %s", block->text);
    sheet_end(sheet);
}

struct text_making {
    const struct lesson *lesson;
    const struct lesson_setting *setting;
    struct lesson_text *text;
    size_t lives, owned; // live blocks so far; items whose owner is known
    bool folds;          // a row of folded sections stands before
};

// The items that were added since belong to `owner`.
static void own(struct text_making *making, int owner)
{
    struct lesson_text *text = making->text;
    for (; making->owned < text->links.count; making->owned++) {
        text->owner = array_room(text->owner, making->owned, sizeof *text->owner);
        text->owner[making->owned] = owner;
    }
}

static void add_live(struct text_making *making, const struct lesson_block *block, bool hidden)
{
    struct lesson_text *text = making->text;
    struct question *questions = making->setting->questions,
                    *question = questions ? &questions[making->lives] : NULL;
    struct live_view view = { .sheet = &text->sheet,
                              .links = &text->links,
                              .app = question ? making->setting->app : NULL,
                              .lesson = making->lesson,
                              .live = &block->live,
                              .question = question,
                              .all = questions,
                              .all_count = making->setting->question_count };
    struct section *section = &text->sections[text->section_count - 1];
    own(making, -1);
    if (!hidden)
        sheet_gap(&text->sheet);
    text->starts = array_room(text->starts, making->lives, sizeof *text->starts);
    text->starts[making->lives] = text->sheet.line_count;
    if (!hidden)
        live_add(&view);
    text->ends = array_room(text->ends, making->lives, sizeof *text->ends);
    text->ends[making->lives] = text->sheet.line_count;
    own(making, (int)making->lives++);
    section->asked += live_asks(block->live.kind);
    section->done += question && live_asks(block->live.kind) && live_solved(question);
}

static bool has_notes(const struct lesson *lesson)
{
    for (size_t i = 0; i < lesson->block_count; i++)
        if (lesson->blocks[i].kind == BLOCK_NOTE)
            return true;
    return false;
}

// After the text: where the notes are that are not shown.
static void add_way_to_notes(struct lesson_text *text, const struct lessons *lessons,
                             const struct lesson *lesson)
{
    struct sheet *sheet = &text->sheet;
    sheet_gap(sheet);
    sheet_gap(sheet);
    struct text words = { 0 };
    lesson_opens_by(lessons, lesson, &words);
    sheet_flow(sheet, ROLE_DIM, "For an instructor: ");
    sheet->item = links_add(&text->links, "%s --notes", text_string(&words));
    sheet_flow(sheet, ROLE_LINK, " :%s --notes", text_string(&words));
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
}

// ---- what is folded --------------------------------------------------------------------------------------------------

// A row that reads on; on paper only its words.
static void fold_row(struct text_making *making, const struct lesson_block *block, int column,
                     const char *words)
{
    struct sheet *sheet = &making->text->sheet;
    char *name = fold_name(block);
    if (column)
        sheet_to(sheet, column);
    if (making->setting->app)
        sheet->item = links_add(&making->text->links, "unfold %s", name);
    sheet_hang(sheet, column + 2);
    sheet_flow(sheet, making->setting->app ? ROLE_LINK : ROLE_DIM, "%s %s", glyph(sheet->utf8, GLYPH_RIGHT),
               words);
    sheet->item = -1;
    sheet_end(sheet);
    making->folds = true;
    free(name);
}

// After an open question: how to go on, by an answer or without one.
static void add_fold(struct text_making *making, const struct lesson_block *block)
{
    const struct app *app = making->setting->app;
    struct text words = { 0 };
    char key[24] = "";
    if (app)
        keys_name(&app->keys, "lesson", "unfold", key, sizeof key);
    text_add(&words, "What follows is folded until this is answered");
    if (*key)
        text_addf(&words, "; %s reads on all the same", key);
    text_add(&words, ".");
    sheet_gap(&making->text->sheet);
    fold_row(making, block, 0, words.data);
    text_free(&words);
}

static void add_folded_section(struct text_making *making, const struct lesson_block *block)
{
    struct text words = { 0 };
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&words, block->pieces[i].text);
    if (!making->folds)
        sheet_gap(&making->text->sheet);
    add_section(making->text, text_string(&words));
    making->text->sections[making->text->section_count - 1].folded = true;
    fold_row(making, block, 2, text_string(&words));
    text_free(&words);
}

static void add_block(struct text_making *making, size_t index)
{
    static const struct lesson_block front = { .kind = BLOCK_PARAGRAPH };
    const struct lesson *lesson = making->lesson;
    const struct lesson_block *block = &lesson->blocks[index], *before = index ? block - 1 : &front;
    const unsigned char *folds = making->setting->folds;
    bool hidden = folds && folds[index] & FOLD_HIDES;
    making->text->lines[index] = making->text->sheet.line_count;
    if (block->kind == BLOCK_LIVE)
        add_live(making, block, hidden);
    else if (hidden && lesson_starts_section(block))
        add_folded_section(making, block);
    else if (!hidden && block->kind == BLOCK_HEADING)
        add_heading(making->text, before, block);
    else if (!hidden && block->kind == BLOCK_NOTE && making->setting->notes)
        add_note(&making->text->sheet, block);
    else if (!hidden)
        typeset_block(&making->text->sheet, before, block, &making->text->links);
    if (!hidden)
        making->folds = false;
    if (folds && !hidden && folds[index] & FOLD_WAITS && index + 1 < lesson->block_count &&
        folds[index + 1] & FOLD_HIDES)
        add_fold(making, block);
}

struct lesson_text lesson_text_new(const struct lesson *lesson, const struct lesson_setting *setting)
{
    int width = setting->width;
    struct lesson_text text = { .sheet = sheet_new(width < TEXT_MOST ? width : TEXT_MOST, setting->utf8) };
    text.links.addresses = !setting->app;
    int room = setting->app ? width + 1 : width; // on the page the right margin too
    text.sheet.room = room < CODE_MOST ? room : CODE_MOST;
    struct text_making making = { .lesson = lesson, .setting = setting, .text = &text };
    text.lines = mem_new((lesson->block_count + 1) * sizeof *text.lines);
    add_front(&text, lesson);
    for (size_t i = 0; i < lesson->block_count; i++)
        if (i || lesson->blocks[i].kind != BLOCK_HEADING || lesson->blocks[i].level != 1) // the title says it
            add_block(&making, i);
    if (setting->app && !setting->notes && has_notes(lesson))
        add_way_to_notes(&text, app_lessons(setting->app), lesson);
    own(&making, -1);
    return text;
}

void lesson_text_free(struct lesson_text *text)
{
    sheet_free(&text->sheet);
    links_free(&text->links);
    for (size_t i = 0; i < text->section_count; i++)
        free((char *)text->sections[i].words);
    free(text->sections);
    free(text->owner);
    free(text->lines);
    free(text->starts);
    free(text->ends);
    *text = (struct lesson_text){ 0 };
}

// ---- all lessons --------------------------------------------------------------------------------------------------------

static void list_row(struct lesson_text *text, const struct lessons *lessons, const struct lesson *lesson,
                     const struct workbook *workbook)
{
    struct text opens = { 0 };
    struct sheet *sheet = &text->sheet;
    struct progress progress = progress_of(workbook, lesson);
    bool done = progress.asked && progress.done == progress.asked;
    enum glyph sign = done ? GLYPH_DONE : progress.opened || progress.done ? GLYPH_HALF : GLYPH_OPEN;
    lesson_opens_by(lessons, lesson, &opens);
    sheet->item = links_add(&text->links, "%s", text_string(&opens));
    sheet_add(sheet, done ? ROLE_GOOD : ROLE_DIM, " %s", glyph(sheet->utf8, sign));
    sheet_add(sheet, ROLE_DIM, " %2d  ", lesson->number);
    sheet_hang(sheet, sheet->used);
    sheet_flow(sheet, ROLE_TITLE, "%s", lesson->title);
    sheet->item = -1;
    sheet_end(sheet);
    sheet_to(sheet, 7);
    sheet_hang(sheet, 7);
    sheet_flow(sheet, ROLE_DIM, "%d minutes", lesson->minutes);
    if (progress.asked)
        sheet_flow(sheet, ROLE_DIM, ", %d of %d answered", progress.done, progress.asked);
    if (lesson_is_own(lesson))
        sheet_flow(sheet, ROLE_DIM, ", %s", lesson->name);
    sheet_end(sheet);
    text_free(&opens);
}

// One's own that cannot be read, with why.
static void broken_row(struct sheet *sheet, const struct broken_lesson *broken)
{
    sheet_add(sheet, ROLE_BAD, " %s", glyph(sheet->utf8, GLYPH_WRONG));
    sheet_to(sheet, 7);
    sheet_hang(sheet, 7);
    sheet_flow(sheet, ROLE_TITLE, "%s", broken->name);
    sheet_end(sheet);
    live_words(sheet, 7, 7, broken->words, NULL);
}

struct lesson_text lesson_text_list(const struct lessons *lessons, const struct workbook *workbook, int width,
                                    bool utf8)
{
    struct lesson_text text = { .sheet = sheet_new(width < TEXT_MOST ? width : TEXT_MOST, utf8) };
    typeset_heading(&text.sheet, 1, "Lessons");
    for (size_t i = 0; i < lessons->count; i++)
        list_row(&text, lessons, &lessons->list[i], workbook);
    for (size_t i = 0; i < lessons->broken_count; i++)
        broken_row(&text.sheet, &lessons->broken[i]);
    if (!lessons->count)
        sheet_paragraph(&text.sheet, ROLE_DIM, 0, "There are no lessons.");
    return text;
}
