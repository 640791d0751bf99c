// The errors of a check, with their places; what it does now; and whether the labs and explorers that texts name exist.
#include "lessons/lessons.h"
#include "tui/command/check.h"

#include <stdlib.h>
#include <string.h>

// ---- lists of names ---------------------------------------------------------------------------------------

void check_names_add(struct check_names *names, const char *name)
{
    names->list = array_room(names->list, names->count, sizeof *names->list);
    names->list[names->count++] = mem_copy(name);
}

void check_names_free(struct check_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct check_names){ 0 };
}

// ---- errors -----------------------------------------------------------------------------------------------

// The first line in red, the rest as it is.
void check_said(struct checking *check, const struct error *error)
{
    size_t length = strcspn(error->text, "\n");
    waiting_wipe(&check->waiting);
    paper_put(&check->paper, ROLE_BAD, "%.*s", (int)length, error->text);
    paper_put(&check->paper, ROLE_TEXT, "%s\n", error->text + length);
    check->errors++;
}

void check_error_v(struct checking *check, const struct source *source, int line, const char *word,
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

void check_lesson_error(struct checking *check, const struct lesson *lesson, int line, const char *word,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check_error_v(check, &(struct source){ lesson->path, lesson->text }, line, word, format, args);
    va_end(args);
}

void check_not_run(struct checking *check, const struct lesson *lesson, const char *file,
                   const struct error *error)
{
    char name[200];
    format_into(name, sizeof name, "%s/%s", lesson->name, file);
    check_names_add(&check->not_run, name);
    if (!check->missing)
        check->missing = mem_copy(error->text);
}

// ---- progress ---------------------------------------------------------------------------------------------

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

// ---- labs and explorers that texts name -------------------------------------------------------------------

bool check_place(const char *place, struct error *error)
{
    const struct lab *lab;
    struct ladder ladder;
    const char *slash = strchr(place, '/');
    char *name = mem_copy_n(place, slash ? (size_t)(slash - place) : strlen(place));
    bool found = target_lab(name, &lab, error) && ladder_read_shipped(name, &ladder, error);
    free(name);
    if (!found || !slash) {
        if (found)
            ladder_free(&ladder);
        return found;
    }
    found = ladder_find(&ladder, slash + 1) != NULL;
    for (size_t i = 0; i < lab->cpu_count; i++)
        found |= strcmp(lab->cpu[i].name, slash + 1) == 0;
    ladder_free(&ladder);
    return found || error_set(error, EXIT_WRONG, "the lab %s has no step '%s'", lab->name, slash + 1);
}

bool check_explorer_settings(const char *words, struct settings *out, struct error *error)
{
    const struct explorer *explorer = NULL;
    struct words split;
    if (!words_split(words, &split, error))
        return false;
    bool sound = split.count ? explorer_of(split.word[0], &explorer, error)
                             : error_set(error, EXIT_WRONG, "this names no explorer");
    *out = sound && explorer ? settings_new(explorer) : (struct settings){ 0 };
    for (size_t i = 1; sound && i < split.count; i++)
        sound = settings_read(out, split.word[i], error);
    words_free(&split);
    return sound && (!explorer || settings_check(out, error));
}

bool check_explorer(const char *words, struct error *error)
{
    struct settings settings;
    return check_explorer_settings(words, &settings, error);
}
