// One lesson: how wide it is, where its links lead, whether every kernel file belongs to it, and its live blocks.
#include "tui/command/check.h"
#include "tui/view/live.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_INDENT = 2 };

// ---- what a page shows ----------------------------------------------------------------------------------------

static int widest(const struct sheet *sheet, size_t from, size_t to)
{
    int most = 0;
    for (size_t i = from; i < to && i < sheet->line_count; i++) {
        struct text line = { 0 };
        int cells = text_cells(sheet_line_text(sheet, i, &line));
        most = cells > most ? cells : most;
        text_free(&line);
    }
    return most;
}

static void fits(struct checking *check, const struct lesson *lesson, const struct block *block, int line,
                 int cells)
{
    static const char *const what[] = { [BLOCK_CODE] = "code", [BLOCK_TABLE] = "table" };
    const char *name = block->kind == BLOCK_LIVE                                       ? "block"
                       : block->kind < sizeof what / sizeof *what && what[block->kind] ? what[block->kind]
                                                                                       : "text";
    if (cells > TEXT_CELLS)
        check_lesson_error(check, lesson, line, NULL,
                           "this %s is %d columns wide on a page; %d fit on 80 columns", name, cells,
                           TEXT_CELLS);
}

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

// Code that is too wide goes on over the next line, where nobody can read it.
static int widest_code(const char *text)
{
    int most = 0;
    for (const char *at = text; *at; at = line_next(at)) {
        int cells = CODE_INDENT + text_cells_n(at, strcspn(at, "\n"));
        most = cells > most ? cells : most;
    }
    return most;
}

// Where a table starts: the first line from there on that starts with '|'; 0: none.
static int line_of_table(const char *text, int line)
{
    enum { FAR = 60 };
    int at = 1;
    for (; at < line && *text; at++)
        text = line_next(text);
    for (; at < line + FAR && *text; at++, text = line_next(text))
        if (*text == '|')
            return at;
    return 0;
}

// A table is as wide as its text: cells that have no room are broken.
static int widest_row(const char *text, int line)
{
    int most = 0;
    for (int i = 1; i < line && *text; i++)
        text = line_next(text);
    for (; line && *text == '|'; text = line_next(text)) {
        int cells = text_cells_n(text, strcspn(text, "\r\n"));
        most = cells > most ? cells : most;
    }
    return most;
}

static void check_page(struct checking *check, const struct lesson *lesson)
{
    struct lesson_text text = lesson_text_new(NULL, lesson, NULL, TEXT_CELLS, true, true);
    size_t live = 0;
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct block *block = &lesson->blocks[i];
        if (block->kind == BLOCK_LIVE) {
            fits(check, lesson, block, block->line, widest(&text.sheet, text.starts[live], text.ends[live]));
            live++;
        } else if (block->kind == BLOCK_TABLE) {
            int line = line_of_table(lesson->text, block->line);
            fits(check, lesson, block, line, widest_row(lesson->text, line));
        } else if (block->kind == BLOCK_CODE) {
            fits(check, lesson, block, block->line, widest_code(block->text));
        } else if (block->kind != BLOCK_NOTE) {
            struct sheet sheet = sheet_new(TEXT_CELLS, true);
            typeset_block(&sheet, NULL, block, NULL);
            sheet_end(&sheet);
            fits(check, lesson, block, block->line, widest(&sheet, 0, sheet.line_count));
            sheet_free(&sheet);
        }
    }
    lesson_text_free(&text);
}

// ---- files ------------------------------------------------------------------------------------------------------

static bool names_file(const struct lesson *lesson, const char *file)
{
    size_t length = strlen(file);
    for (size_t b = 0; b < lesson->block_count; b++) {
        const struct live *live = &lesson->blocks[b].live;
        for (size_t i = 0; lesson->blocks[b].kind == BLOCK_LIVE && i < live->field_count; i++) {
            const char *value = live->fields[i].value;
            if (string_starts(value, file) && (!value[length] || value[length] == ' '))
                return true;
        }
    }
    return false;
}

static int is_kernel(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends(entry->d_name, ".cu");
}

static void check_files(struct checking *check, const struct lesson *lesson)
{
    struct dirent **entries = NULL;
    struct error error;
    const char *slash = strrchr(lesson->path, '/');
    char *folder = mem_copy_n(lesson->path, slash ? (size_t)(slash - lesson->path) : 0);
    int count = scandir(folder, &entries, is_kernel, alphasort);
    for (int i = 0; i < count; i++) {
        struct text text = { 0 };
        char *path = path_join(folder, entries[i]->d_name);
        if (!file_read(path, &text, &error))
            check_said(check, &error);
        else
            check_widths(check, path, text_string(&text));
        bool named = check->partial ? strstr(lesson->text, entries[i]->d_name) != NULL
                                    : names_file(lesson, entries[i]->d_name);
        if (!named)
            check_error(check, path, text_string(&text), 1, NULL, "no block of lesson.md names this file");
        text_free(&text);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(folder);
}

// ---- the lesson ---------------------------------------------------------------------------------------------------

static void count_live(struct check_counts *counts, enum live_kind kind)
{
    counts->questions += kind == LIVE_PREDICT || kind == LIVE_QUIZ;
    counts->exercises += kind == LIVE_EXERCISE;
    counts->hunts += kind == LIVE_BUGHUNT;
    counts->orders += kind == LIVE_ORDER;
}

static void add_counts(struct check_counts *to, const struct check_counts *from)
{
    to->lessons++;
    to->questions += from->questions;
    to->exercises += from->exercises;
    to->hunts += from->hunts;
    to->orders += from->orders;
    to->minutes += from->minutes;
}

static void print_head(const struct paper *paper)
{
    paper_put(paper, ROLE_DIM, "%-24s %9s %9s %9s %6s %7s\n", "lesson", "questions", "exercises", "bug hunts",
              "orders", "minutes");
}

static void print_row(struct checking *check, const struct lesson *lesson, const struct check_counts *counts,
                      size_t errors, size_t not_run)
{
    const struct paper *paper = &check->paper;
    check_progress_end(check);
    paper_cell(paper, ROLE_TITLE, 24, "%s", lesson->name);
    paper_cell(paper, ROLE_TEXT, -9, "%zu", counts->questions);
    paper_cell(paper, ROLE_TEXT, -9, "%zu", counts->exercises);
    paper_cell(paper, ROLE_TEXT, -9, "%zu", counts->hunts);
    paper_cell(paper, ROLE_TEXT, -6, "%zu", counts->orders);
    paper_cell(paper, ROLE_TEXT, -7, "%d", counts->minutes);
    if (errors)
        paper_put(paper, ROLE_BAD, " %zu wrong\n", errors);
    else if (not_run)
        paper_put(paper, ROLE_NOTE, " %zu not run\n", not_run);
    else
        paper_put(paper, ROLE_GOOD, " sound\n");
    fflush(paper->file);
}

void check_lesson(struct checking *check, const struct lesson *lesson, size_t errors)
{
    struct check_counts counts = { .minutes = lesson->minutes };
    size_t not_run = check->not_run.count;
    if (!check->counts.lessons)
        print_head(&check->paper);
    check_progress(check, "%s", lesson->name);
    check_widths(check, lesson->path, lesson->text);
    check_page(check, lesson);
    check_links(check, lesson->path, lesson->text, lesson->blocks, lesson->block_count);
    check_files(check, lesson);
    for (size_t i = 0; i < lesson->block_count && !waiting_stopped(); i++) {
        const struct live *live = &lesson->blocks[i].live;
        if (lesson->blocks[i].kind != BLOCK_LIVE)
            continue;
        count_live(&counts, live->kind);
        check_live(check, lesson, live);
    }
    if (waiting_stopped()) // nobody knows what else is wrong with it
        return;
    add_counts(&check->counts, &counts);
    print_row(check, lesson, &counts, check->errors - errors, check->not_run.count - not_run);
}
