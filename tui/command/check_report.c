// What a check says: errors with their places, and what it does now.
#include "tui/command/check.h"

#include <stdlib.h>
#include <string.h>

void name_add(struct name_list *names, const char *name)
{
    names->list = array_room(names->list, names->count, sizeof *names->list);
    names->list[names->count++] = mem_copy(name);
}

void names_free(struct name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct name_list){ 0 };
}

// ---- errors -------------------------------------------------------------------------------------------------

// The first line in red, the rest as it is.
void check_said(struct checking *check, const struct error *error)
{
    size_t length = strcspn(error->text, "\n");
    check_progress_end(check);
    paper_put(&check->paper, ROLE_BAD, "%.*s", (int)length, error->text);
    paper_put(&check->paper, ROLE_TEXT, "%s\n", error->text + length);
    check->errors++;
}

static void error_v(struct checking *check, const struct source *source, int line, const char *word,
                    const char *format, va_list args)
{
    struct lesson file = { .path = (char *)source->file, .text = (char *)source->text };
    struct text message = { 0 };
    struct error error;
    text_addv(&message, format, args);
    lesson_error(&file, line, word, &error, "%s", text_string(&message));
    text_free(&message);
    check_said(check, &error);
}

void check_error(struct checking *check, const char *path, const char *text, int line, const char *word,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_v(check, &(struct source){ path, text }, line, word, format, args);
    va_end(args);
}

void check_lesson_error(struct checking *check, const struct lesson *lesson, int line, const char *word,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_v(check, &(struct source){ lesson->path, lesson->text }, line, word, format, args);
    va_end(args);
}

void check_detail(struct checking *check, const char *text)
{
    if (text && *text)
        paper_lines(&check->paper, ROLE_TEXT, 4, text);
}

void check_not_run(struct checking *check, const struct lesson *lesson, const char *file,
                   const struct error *error)
{
    char name[200];
    format_into(name, sizeof name, "%s/%s", lesson->name, file);
    name_add(&check->not_run, name);
    if (!check->missing)
        check->missing = mem_copy(error->text);
}

// ---- what it does now -----------------------------------------------------------------------------------------

#define WIPE "\r\033[K"

void check_progress(struct checking *check, const char *format, ...)
{
    struct text line = { 0 };
    va_list args;
    if (!check->waiting.paper.terminal)
        return;
    text_add(&line, "  ");
    va_start(args, format);
    text_addv(&line, format, args);
    va_end(args);
    fputs(WIPE, check->waiting.paper.file);
    paper_put(&check->waiting.paper, ROLE_DIM, "%.*s",
              (int)text_fit(line.data, check->waiting.paper.width - 1), line.data);
    fflush(check->waiting.paper.file);
    text_free(&line);
}

void check_progress_end(struct checking *check)
{
    waiting_wipe(&check->waiting);
}

// ---- lines of a file ------------------------------------------------------------------------------------------

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

int check_line_of(const char *text, int line, const char *word)
{
    enum { FAR = 60 };
    const char *at = text;
    for (int i = 1; i < line && *at; i++)
        at = line_next(at);
    for (int i = line; i < line + FAR && *at; i++, at = line_next(at))
        if (memmem(at, strcspn(at, "\n"), word, strlen(word)))
            return i;
    return line;
}

// Lines //@ of a kernel are as long as they need to be: they cannot go on over the next one.
void check_widths(struct checking *check, const char *path, const char *text)
{
    int line = 1;
    for (const char *at = text; *at; at = line_next(at), line++) {
        int cells = text_cells_n(at, strcspn(at, "\n"));
        if (cells > SOURCE_CELLS && !string_starts(at + strspn(at, " "), "//@"))
            check_error(check, path, text, line, NULL, "the line is %d columns wide; %d fit", cells,
                        SOURCE_CELLS);
    }
}
