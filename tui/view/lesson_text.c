// A lesson as a sheet: its head, its text, and the live blocks in their places; and the list of all lessons.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

// ---- the front ----------------------------------------------------------------------------------------------------------

static enum glyph sign_of(struct progress progress)
{
    bool done = progress.asked && progress.done == progress.asked;
    return done ? GLYPH_DONE : progress.opened || progress.done ? GLYPH_HALF : GLYPH_OPEN;
}

// Flush in a column at the right, or in a line of its own where that has no room.
static void add_minutes(struct sheet *sheet, int indent, int minutes, struct progress progress)
{
    enum { COLUMN = 54, CELLS = 24 }; // "50 minutes, 12 of 17"
    if (sheet->used >= COLUMN || sheet->width < COLUMN + CELLS) {
        sheet_end(sheet);
        sheet_to(sheet, indent);
    } else {
        sheet_to(sheet, COLUMN);
    }
    sheet_add(sheet, ROLE_DIM, "%2d minutes", minutes);
    if (progress.asked)
        sheet_add(sheet, ROLE_DIM, ", %2d of %d", progress.done, progress.asked);
    sheet_end(sheet);
}

// opens: its words; "": on paper.
static void part_row(struct lesson_text *text, const struct lesson *lesson, size_t number,
                     const struct workbook *workbook, int indent, const char *opens)
{
    struct sheet *sheet = &text->sheet;
    const struct lesson_part *part = &lesson->parts[number - 1];
    struct progress progress = progress_of(workbook, lesson, number);
    progress.opened = false; // that is known of the lesson alone
    enum glyph sign = sign_of(progress);
    sheet_to(sheet, indent);
    if (*opens)
        sheet->item = links_add(&text->links, "%s", opens);
    sheet_add(sheet, sign == GLYPH_DONE ? ROLE_GOOD : ROLE_DIM, "%s", glyph(sheet->utf8, sign));
    sheet_add(sheet, ROLE_DIM, " %d.%zu  ", lesson->number, number);
    sheet_hang(sheet, sheet->used);
    sheet_flow(sheet, ROLE_TEXT, "%s", part->title);
    sheet->item = -1;
    add_minutes(sheet, indent + 2, part->minutes, progress);
}

static void add_section(struct lesson_text *text, size_t part, const char *words)
{
    text->sections = array_room(text->sections, text->section_count, sizeof *text->sections);
    text->sections[text->section_count++] =
        (struct section){ .line = text->sheet.line_count, .words = mem_copy(words), .part = part };
}

static int task_minutes(const struct lesson *lesson, size_t from, size_t end)
{
    double minutes = 0;
    for (size_t i = from; i < end; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        bool task = block->kind == BLOCK_LIVE &&
                    (block->live.kind == LIVE_EXERCISE || block->live.kind == LIVE_BUGHUNT);
        minutes += task ? lesson_minutes(lesson, i, i + 1) : 0;
    }
    return (int)(minutes + 0.5);
}

// What a plan can leave out.
static void add_task_minutes(struct sheet *sheet, const struct lesson *lesson)
{
    if (!task_minutes(lesson, 0, lesson->block_count))
        return;
    sheet_gap(sheet);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_NOTE, "Instructor:");
    sheet_flow(sheet, ROLE_TEXT, " exercises and bug hunts take");
    for (size_t i = 0; i < lesson->part_count; i++)
        sheet_flow(sheet, ROLE_TEXT, "%s %d of the %d minutes of part %zu", i ? "," : "",
                   task_minutes(lesson, lesson->parts[i].from, lesson->parts[i].end),
                   lesson->parts[i].minutes, i + 1);
    if (!lesson->part_count)
        sheet_flow(sheet, ROLE_TEXT, " %d of these minutes", task_minutes(lesson, 0, lesson->block_count));
    sheet_flow(sheet, ROLE_TEXT, ". Bets, talk and breaks come on top.");
    sheet_end(sheet);
}

static void add_front(struct lesson_text *text, const struct lesson *lesson,
                      const struct lesson_setting *setting)
{
    struct sheet *sheet = &text->sheet;
    struct text title = { 0 };
    add_section(text, lesson_part_of(lesson, 0), lesson->title);
    text_addf(&title, "%d  %s", lesson->number, lesson->title);
    typeset_heading(sheet, 1, title.data);
    text_free(&title);
    if (setting->part > 1)
        return;
    if (lesson->part_count)
        sheet_flow(sheet, ROLE_DIM, "%d minutes in %zu parts. Afterwards you can", lesson->minutes,
                   lesson->part_count);
    else
        sheet_flow(sheet, ROLE_DIM, "%d minutes. Afterwards you can", lesson->minutes);
    sheet_end(sheet);
    for (size_t i = 0; i < lesson->after_count; i++) {
        sheet_add(sheet, ROLE_DIM, " %s ", glyph(sheet->utf8, GLYPH_BULLET));
        sheet_hang(sheet, 3);
        typeset_text(sheet, ROLE_TEXT, lesson->after[i], NULL);
        sheet_end(sheet);
    }
    if (lesson->part_count)
        sheet_gap(sheet);
    for (size_t i = 1; i <= lesson->part_count; i++) {
        char opens[40] = "";
        // Whoever opens a lesson for the first time is led into its text, and not past it.
        if (setting->app && (i == 1 || progress_of(setting->workbook, lesson, 0).done))
            format_into(opens, sizeof opens, "part %zu", i);
        part_row(text, lesson, i, setting->workbook, 1, opens);
    }
    if (setting->notes)
        add_task_minutes(sheet, lesson);
}

// Notes where the heading that was just set starts.
static void section_starts(struct lesson_text *text)
{
    struct section *section = &text->sections[text->section_count - 1];
    while (section->line > 0 && text->sheet.lines[section->line - 1].count)
        section->line--;
}

static void add_heading(struct lesson_text *text, size_t part, const struct lesson_block *before,
                        const struct lesson_block *block)
{
    struct text words = { 0 };
    typeset_block(&text->sheet, before, block, &text->links);
    for (size_t i = 0; i < block->piece_count; i++)
        text_add(&words, block->pieces[i].text);
    if (block->level <= 2) {
        add_section(text, part, text_string(&words));
        section_starts(text);
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
    size_t part;         // that the block belongs to, from 1; 0: the lesson has none
    bool folds;          // a row of folded sections precedes it
    bool flows;          // such a row is not ended yet
};

// A reader who only turns pages must not come upon a hint or a solution, choose an answer, or leave the lesson by the Enter
// that was meant for a question: of a task the edit is marked first, of a question its head or the field that one types into,
// and the rest by going on from there.
static bool passes(const struct live *live, const char *opens)
{
    if (!live)
        return string_starts(opens, "lesson ");
    if (review_is_task(live))
        return !string_starts(opens, "answer ") || !string_ends(opens, " edit");
    const char *field = string_starts(opens, "answer ") ? opens + strlen("answer ") : NULL;
    return field && strchr(field, ' ') && !string_ends(field, " run") && !string_ends(field, " keep");
}

// The items that were added since belong to `owner`, which is `live`.
static void own(struct text_making *making, int owner, const struct live *live)
{
    struct lesson_text *text = making->text;
    for (; making->owned < text->links.count; making->owned++) {
        text->owner = array_room(text->owner, making->owned, sizeof *text->owner);
        text->owner[making->owned] = owner;
        text->passed = array_room(text->passed, making->owned, sizeof *text->passed);
        text->passed[making->owned] = passes(live, text->links.opens[making->owned]);
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
    own(making, -1, NULL);
    if (!hidden)
        sheet_gap(&text->sheet);
    text->starts = array_room(text->starts, making->lives, sizeof *text->starts);
    text->starts[making->lives] = text->sheet.line_count;
    if (!hidden)
        live_add(&view);
    text->ends = array_room(text->ends, making->lives, sizeof *text->ends);
    text->ends[making->lives] = text->sheet.line_count;
    own(making, (int)making->lives++, &block->live);
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
    lesson_opens_by(lessons, lesson, 0, &words);
    sheet_flow(sheet, ROLE_DIM, "For an instructor: ");
    sheet->item = links_add(&text->links, "%s --notes", text_string(&words));
    sheet_flow(sheet, ROLE_LINK, " :%s --notes", text_string(&words));
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
}

// ---- what is folded --------------------------------------------------------------------------------------------------

static void end_flow(struct text_making *making)
{
    if (making->flows)
        sheet_end(&making->text->sheet);
    making->flows = false;
}

// A row that reads on; on paper only its words. On the page sections follow each other in one: what is folded should not
// push the text away.
static void fold_row(struct text_making *making, const struct lesson_block *block, int column,
                     const char *words)
{
    struct sheet *sheet = &making->text->sheet;
    char *name = fold_name(block);
    bool page = making->setting->app, flows = page && column && !drawn_flat;
    if (column && !making->flows) {
        sheet_to(sheet, column);
        sheet_hang(sheet, flows ? column : column + 2);
    } else if (!column) {
        sheet_hang(sheet, 2);
    }
    if (making->flows)
        sheet_flow(sheet, ROLE_TEXT, " ");
    if (page)
        sheet->item = links_add(&making->text->links, "unfold %s", name);
    sheet_flow(sheet, page ? ROLE_LINK : ROLE_DIM, "%s %s", glyph(sheet->utf8, GLYPH_RIGHT), words);
    sheet->item = -1;
    making->flows = flows;
    if (!flows)
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
        text_addf(&words, "; %s reads on anyway", key);
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
    add_section(making->text, making->part, text_string(&words));
    making->text->sections[making->text->section_count - 1].folded = true;
    fold_row(making, block, 2, text_string(&words));
    text_free(&words);
}

// ---- parts ------------------------------------------------------------------------------------------------------------

// "6.2  Turning strides round"
static void part_name(const struct text_making *making, struct text *out)
{
    text_addf(out, "%d.%zu  %s", making->lesson->number, making->part,
              making->lesson->parts[making->part - 1].title);
}

static void add_folded_part(struct text_making *making, const struct lesson_block *block)
{
    struct lesson_text *text = making->text;
    const struct lesson_part *part = &making->lesson->parts[making->part - 1];
    struct text words = { 0 };
    part_name(making, &words);
    text_addf(&words, ", %d minutes", part->minutes);
    sheet_gap(&text->sheet);
    add_section(text, making->part, part->title);
    text->sections[text->section_count - 1].opens = text->sections[text->section_count - 1].folded = true;
    fold_row(making, block, 0, words.data);
    text_free(&words);
}

// A question or task, by which one comes back to it.
static void open_row(struct text_making *making, const struct live *live)
{
    struct sheet *sheet = &making->text->sheet;
    struct text words = { 0 };
    char *ask = live_plain_ask(live);
    text_addf(&words, "%s: %s", live_title(live->kind), ask);
    sheet_to(sheet, 1);
    sheet->item = links_add(&making->text->links, "question %s", live->id);
    sheet_add(sheet, ROLE_DIM, "%s ", glyph(sheet->utf8, GLYPH_OPEN));
    sheet_add_cut(sheet, ROLE_LINK, words.data);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
    free(ask);
}

// What is open in these blocks. What a folded one asks could tell what is asked before it, so that those are only counted.
static void add_open(struct text_making *making, size_t from, size_t end)
{
    const struct lesson *lesson = making->lesson;
    const unsigned char *folds = making->setting->folds;
    struct sheet *sheet = &making->text->sheet;
    size_t live = 0, shown = 0, folded = 0;
    for (size_t i = 0; i < end; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind != BLOCK_LIVE)
            continue;
        const struct question *question = &making->setting->questions[live++];
        if (i < from || !live_asks(block->live.kind) || question_is_answered(question))
            continue;
        bool hidden = folds && folds[i] & FOLD_HIDES;
        folded += hidden;
        if (!hidden && !shown++) {
            sheet_flow(sheet, ROLE_TEXT, "Still open in it:");
            sheet_end(sheet);
        }
        if (!hidden)
            open_row(making, &block->live);
    }
    if (folded) {
        sheet_flow(sheet, ROLE_DIM, "%zu %squestion%s or task%s still folded.", folded, shown ? "more " : "",
                   folded == 1 ? "" : "s", folded == 1 ? " is" : "s are");
        sheet_end(sheet);
    }
}

// A row that leads on.
static void on_row(struct text_making *making, const char *opens, const char *words)
{
    struct sheet *sheet = &making->text->sheet;
    sheet->item = links_add(&making->text->links, "%s", opens);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_LINK, "%s %s", glyph(sheet->utf8, GLYPH_RIGHT), words);
    sheet->item = -1;
    sheet_end(sheet);
}

// Between two parts: what is left of the one, and the way to the other.
static void add_rest(struct text_making *making)
{
    struct sheet *sheet = &making->text->sheet;
    const struct lesson_part *past = &making->lesson->parts[making->part - 2], *next = past + 1;
    char opens[40], *words = text_format("On to part %d.%zu: %s, %d minutes", making->lesson->number,
                                         making->part, next->title, next->minutes);
    sheet_gap(sheet);
    sheet_rule(sheet);
    sheet_flow(sheet, ROLE_DIM, "That was part %zu of %zu. You can stop here; H leads home.",
               making->part - 1, making->lesson->part_count);
    sheet_end(sheet);
    add_open(making, past->from, past->end);
    format_into(opens, sizeof opens, "part %zu", making->part);
    on_row(making, opens, words);
    sheet_gap(sheet);
    free(words);
}

// After a lesson: what is left of it, and the way to the next one.
static void add_end(struct text_making *making)
{
    struct sheet *sheet = &making->text->sheet;
    const struct lesson *lesson = making->lesson;
    const struct lesson *next = lesson_beside(app_lessons(making->setting->app), lesson, 1);
    sheet_gap(sheet);
    sheet_rule(sheet);
    sheet_flow(sheet, ROLE_DIM, "That was lesson %d. %s", lesson->number,
               next ? "You can stop here; H leads home." : "It is the last one.");
    sheet_end(sheet);
    add_open(making, 0, lesson->block_count);
    if (!next)
        return;
    char *words = text_format("On to lesson %d: %s, %d minutes", next->number, next->title, next->minutes);
    on_row(making, "part-next", words);
    free(words);
}

static void add_part(struct text_making *making)
{
    struct lesson_text *text = making->text;
    const struct lesson_part *part = &making->lesson->parts[making->part - 1];
    struct text words = { 0 };
    if (making->part > 1 && making->setting->app)
        add_rest(making);
    else
        sheet_gap(&text->sheet);
    add_section(text, making->part, part->title);
    text->sections[text->section_count - 1].opens = true;
    part_name(making, &words);
    typeset_heading(&text->sheet, 1, words.data);
    text_free(&words);
    sheet_flow(&text->sheet, ROLE_DIM, "Part %zu of %zu, %d minutes", making->part,
               making->lesson->part_count, part->minutes);
    sheet_end(&text->sheet);
    sheet_gap(&text->sheet);
}

// ---- all blocks --------------------------------------------------------------------------------------------------------

static void add_block(struct text_making *making, size_t index)
{
    static const struct lesson_block front = { .kind = BLOCK_PARAGRAPH };
    const struct lesson *lesson = making->lesson;
    const struct lesson_block *block = &lesson->blocks[index], *before = index ? block - 1 : &front;
    const unsigned char *folds = making->setting->folds;
    bool hidden = folds && folds[index] & FOLD_HIDES;
    size_t next = making->part < lesson->part_count ? lesson->parts[making->part].heading : SIZE_MAX;
    bool opens_part = making->part && (index == next || index == lesson->parts[0].heading);
    making->part += index == next;
    if (!hidden || opens_part)
        end_flow(making);
    making->text->lines[index] = making->text->sheet.line_count;
    if (block->kind == BLOCK_LIVE)
        add_live(making, block, hidden);
    else if (opens_part && hidden)
        add_folded_part(making, block);
    else if (opens_part)
        add_part(making);
    else if (hidden && lesson_starts_section(block))
        add_folded_section(making, block);
    else if (!hidden && block->kind == BLOCK_HEADING)
        add_heading(making->text, making->part, before, block);
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
    size_t from = setting->part ? lesson->parts[setting->part - 1].from : 0;
    size_t end = setting->part ? lesson->parts[setting->part - 1].end : lesson->block_count;
    struct text_making making = { .lesson = lesson, .setting = setting, .text = &text };
    making.part = setting->part > 1 ? setting->part - 1 : lesson_part_of(lesson, 0);
    text.lines = mem_new((lesson->block_count + 1) * sizeof *text.lines);
    add_front(&text, lesson, setting);
    for (size_t i = from; i < end; i++)
        if (i || lesson->blocks[i].kind != BLOCK_HEADING || lesson->blocks[i].level != 1) // the title says it
            add_block(&making, i);
    end_flow(&making);
    bool folded = setting->folds && end && setting->folds[end - 1] & FOLD_HIDES;
    if (setting->app && !folded)
        add_end(&making);
    if (setting->app && !setting->notes && has_notes(lesson))
        add_way_to_notes(&text, app_lessons(setting->app), lesson);
    own(&making, -1, NULL);
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
    free(text->passed);
    free(text->lines);
    free(text->starts);
    free(text->ends);
    *text = (struct lesson_text){ 0 };
}

// ---- all lessons --------------------------------------------------------------------------------------------------------

static void list_parts(struct lesson_text *text, const struct lessons *lessons, const struct lesson *lesson,
                       const struct workbook *workbook)
{
    for (size_t i = 1; i <= lesson->part_count; i++) {
        struct text opens = { 0 };
        lesson_opens_by(lessons, lesson, i, &opens);
        part_row(text, lesson, i, workbook, 7, text_string(&opens));
        text_free(&opens);
    }
}

static void list_row(struct lesson_text *text, const struct lessons *lessons, const struct lesson *lesson,
                     const struct workbook *workbook)
{
    struct text opens = { 0 };
    struct sheet *sheet = &text->sheet;
    struct progress progress = progress_of(workbook, lesson, 0);
    enum glyph sign = sign_of(progress);
    lesson_opens_by(lessons, lesson, 0, &opens);
    sheet->item = links_add(&text->links, "%s", text_string(&opens));
    sheet_add(sheet, sign == GLYPH_DONE ? ROLE_GOOD : ROLE_DIM, " %s", glyph(sheet->utf8, sign));
    sheet_add(sheet, ROLE_DIM, " %2d  ", lesson->number);
    sheet_hang(sheet, sheet->used);
    sheet_flow(sheet, ROLE_TITLE, "%s", lesson->title);
    sheet->item = -1;
    add_minutes(sheet, 7, lesson->minutes, progress);
    if (lesson_is_own(lesson)) {
        sheet_to(sheet, 7);
        sheet_hang(sheet, 7);
        sheet_flow(sheet, ROLE_DIM, "%s", lesson->name);
        sheet_end(sheet);
    }
    list_parts(text, lessons, lesson, workbook);
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
