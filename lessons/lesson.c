// A lesson: its first lines, its blocks, and the folder that it lies in.
#include "lessons/markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- one lesson -------------------------------------------------------------------------------------

int lesson_number(const char *folder)
{
    char *after;
    long number = strtol(folder, &after, 10);
    bool named = isdigit((unsigned char)*folder) && *after == '-' && after[1];
    return named && number >= 1 && number <= LESSON_MOST ? (int)number : 0;
}

// "06-coalescing" of ".../06-coalescing/lesson.md".
static bool name_from_path(struct lesson *lesson, struct error *error)
{
    const char *end = strrchr(lesson->path, '/'), *start = end;
    while (start && start > lesson->path && start[-1] != '/')
        start--;
    lesson->name = end ? mem_copy_n(start, (size_t)(end - start)) : mem_copy("");
    lesson->number = lesson_number(lesson->name);
    return lesson->number ||
           error_set(error, EXIT_USAGE,
                     "%s: a lesson lies in a folder NN-name, as in 06-coalescing/lesson.md.", lesson->path);
}

static bool front_field(struct lesson *lesson, const struct source *source, struct live_field *field,
                        struct error *error)
{
    if (!*field->value)
        return line_error(source, field->line, NULL, error, "'%.40s' has no value", field->key);
    if (strcmp(field->key, "title") == 0 && !lesson->title) {
        lesson->title = mem_copy(field->value);
    } else if (strcmp(field->key, "minutes") == 0 && !lesson->minutes) {
        char *end;
        long minutes = strtol(field->value, &end, 10);
        if (*end || minutes < 1 || minutes > 600)
            return line_error(source, field->line, field->value, error,
                              "'minutes' is a whole number from 1 to 600");
        lesson->minutes = (int)minutes;
    } else if (strcmp(field->key, "after") == 0) {
        lesson->after = array_room(lesson->after, lesson->after_count, sizeof *lesson->after);
        lesson->after[lesson->after_count++] = mem_copy(field->value);
    } else {
        return line_error(source, field->line, field->key, error,
                          "a lesson starts with title and minutes, once each, and after, not with '%.40s'",
                          field->key);
    }
    return true;
}

static bool front_read(struct lesson *lesson, const struct source *source, const char **body,
                       struct error *error)
{
    struct fields fields = { 0 };
    bool read = front_parse(source, &fields, body, error);
    for (size_t i = 0; read && i < fields.count; i++)
        read = front_field(lesson, source, &fields.list[i], error);
    fields_free(fields.list, fields.count);
    if (read && (!lesson->title || !lesson->minutes || !lesson->after_count))
        return line_error(source, 1, NULL, error, "a lesson starts with 'title', 'minutes' and 'after'");
    return read;
}

static bool id_taken(const struct lesson *lesson, size_t block, const struct source *source,
                     struct error *error)
{
    const struct live *one = &lesson->blocks[block].live;
    for (size_t i = 0; i < block; i++) {
        const struct live *other = &lesson->blocks[i].live;
        if (!other->id || strcmp(one->id, other->id) != 0)
            continue;
        char word[80];
        format_into(word, sizeof word, "id=%s", one->id);
        return !line_error(source, one->line, word, error, "line %d has the name '%s' already", other->line,
                           one->id);
    }
    return false;
}

static bool ids_check(const struct lesson *lesson, const struct source *source, struct error *error)
{
    for (size_t i = 0; i < lesson->block_count; i++)
        if (lesson->blocks[i].live.id && id_taken(lesson, i, source, error))
            return false;
    return true;
}

// True: the error was reported, and reading goes on.
static bool report(error_said said, void *context, const struct error *error)
{
    if (said)
        said(context, error);
    return said;
}

static bool parse_around(struct lesson *out, const char *path, const char *text, error_said said,
                         void *context, struct error *error)
{
    *out = (struct lesson){ .path = mem_copy(path), .text = mem_copy(text) };
    const struct source source = { out->path, out->text };
    const char *body = NULL;
    struct blocks blocks = { 0 };
    bool parsed = name_from_path(out, error) &&
                  (front_read(out, &source, &body, error) || (body && report(said, context, error))) &&
                  markdown_parse_around(&source, body, said, context, &blocks, error);
    out->blocks = blocks.list;
    out->block_count = blocks.count;
    if (parsed && (ids_check(out, &source, error) || report(said, context, error)))
        return true;
    lesson_free(out);
    return false;
}

bool lesson_parse(struct lesson *out, const char *path, const char *text, struct error *error)
{
    return parse_around(out, path, text, NULL, NULL, error);
}

void lesson_free(struct lesson *lesson)
{
    free(lesson->name);
    free(lesson->path);
    free(lesson->text);
    free(lesson->title);
    for (size_t i = 0; i < lesson->after_count; i++)
        free(lesson->after[i]);
    free(lesson->after);
    blocks_free(lesson->blocks, lesson->block_count);
    *lesson = (struct lesson){ 0 };
}

bool lesson_error(const struct lesson *lesson, int line, const char *word, struct error *error,
                  const char *format, ...)
{
    const struct source source = { lesson->path, lesson->text };
    struct text message = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    line_error(&source, line, word, error, "%s", text_string(&message));
    text_free(&message);
    return false;
}

// ---- its file and its folder ------------------------------------------------------------------------------

bool lesson_read(struct lesson *out, const char *path, struct error *error)
{
    struct text text = { 0 };
    bool read = page_read(path, &text, error) && lesson_parse(out, path, text_string(&text), error);
    text_free(&text);
    return read;
}

bool lesson_read_around(struct lesson *out, const char *path, error_said said, void *context)
{
    struct text text = { 0 };
    struct error error;
    bool read =
        page_read(path, &text, &error) && parse_around(out, path, text_string(&text), said, context, &error);
    text_free(&text);
    if (!read)
        report(said, context, &error);
    else if (!out->title)
        out->title = mem_copy(out->name);
    return read;
}

int lesson_is_folder(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]) && strchr(entry->d_name, '-');
}
