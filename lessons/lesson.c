// A lesson: its first lines, its blocks, and the folder that it lies in. Also the lines `key: value` at the start of a
// lesson or a term and in live blocks, and errors that point at a line.
#include "lessons/markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- Errors and lines of a file ---------------------------------------------------------------------------

bool line_error(const struct source *source, int line, const char *word, struct error *error,
                const char *format, ...)
{
    const char *at = source->text;
    for (int number = 1; number < line && *at; number++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    size_t length = strcspn(at, "\r\n");
    const char *place = word && *word ? memmem(at, length, word, strlen(word)) : NULL;
    if (!place)
        place = at + strspn(at, " \t");
    struct text message = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    error_at(error, source, place, "%s", text_string(&message));
    text_free(&message);
    return false;
}

char *clean_copy(const char *bytes, size_t length)
{
    struct text clean = { 0 };
    text_add_clean(&clean, bytes, length);
    return clean.data ? text_take(&clean) : mem_copy("");
}

bool page_read(const char *path, struct text *out, struct error *error)
{
    if (!file_read(path, out, error))
        return false;
    if (out->length > TEXT_MOST)
        return error_set(error, EXIT_USAGE, "%s is larger than %d KiB; make two of it.", path,
                         TEXT_MOST >> 10);
    if (strlen(text_string(out)) == out->length)
        return true;
    const struct source source = { path, out->data };
    return error_at(error, &source, out->data + strlen(out->data),
                    "there is a zero byte here; a lesson is text without one");
}

// ---- one line ---------------------------------------------------------------------------------------------

static size_t key_length(const char *line, size_t length)
{
    size_t key = 0;
    while (key < length && (line[key] == '-' || (line[key] >= 'a' && line[key] <= 'z')))
        key++;
    return key && key < length && line[key] == ':' ? key : 0;
}

// Lines of a kernel keep the blanks they start with.
static bool is_code(const char *key)
{
    return strcmp(key, "line") == 0 || strcmp(key, "extra") == 0;
}

static char *trimmed(const char *text, size_t length, bool code)
{
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    size_t skip = 0;
    while (skip < length && strchr(" \t", text[skip]) && !(code && skip == 1))
        skip++;
    return clean_copy(text + skip, length - skip);
}

// One more line of a value; `blanks` empty lines preceded it.
static void go_on(struct live_field *field, const char *line, size_t length, int blanks)
{
    size_t indent = 0; // two blanks say that the value goes on
    while (indent < 2 && indent + 1 < length && line[indent] == ' ' && line[indent + 1] == ' ')
        indent++;
    char *more = trimmed(line + indent, length - indent, is_code(field->key));
    struct text value = { 0 };
    text_add(&value, field->value);
    for (int i = 0; i < blanks + (*field->value != 0); i++)
        text_add(&value, "\n");
    text_add(&value, more);
    free(field->value);
    free(more);
    field->value = value.data ? text_take(&value) : mem_copy("");
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", line[i]))
            return false;
    return true;
}

static bool line_parse(const struct source *source, const char *line, size_t length, int number, int blanks,
                       struct fields *out, struct error *error)
{
    if ((*line == ' ' || *line == '\t') && out->count) {
        go_on(&out->list[out->count - 1], line, length, blanks);
        return true;
    }
    size_t key = key_length(line, length);
    if (!key)
        return line_error(source, number, NULL, error,
                          "'key: value' is expected here; a value may go on over indented lines");
    out->list = array_room(out->list, out->count, sizeof *out->list);
    struct live_field *field = &out->list[out->count++];
    field->key = mem_copy_n(line, key);
    field->value = trimmed(line + key + 1, length - key - 1, is_code(field->key));
    field->line = number;
    return true;
}

bool fields_parse(const struct source *source, const char *text, int line, struct fields *out,
                  struct error *error)
{
    int blanks = 0;
    for (int number = line; *text; number++) {
        size_t length = strcspn(text, "\n");
        if (is_blank(text, length))
            blanks++;
        else if (!line_parse(source, text, length, number, blanks, out, error))
            return false;
        else
            blanks = 0;
        text += length + (text[length] == '\n');
    }
    return true;
}

void fields_free(struct live_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(fields[i].key);
        free(fields[i].value);
    }
    free(fields);
}

// ---- the start of a file ----------------------------------------------------------------------------------

static bool is_fence(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length >= 3 && memcmp(line, "---", 3) == 0 && is_blank(line + 3, length - 3);
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

bool front_parse(const struct source *source, struct fields *out, const char **body, struct error *error)
{
    if (!is_fence(source->text))
        return line_error(source, 1, NULL, error,
                          "the file starts with a line ---, then 'key: value' lines, then a line ---");
    const char *from = next_line(source->text), *end = from;
    while (*end && !is_fence(end))
        end = next_line(end);
    if (!*end)
        return line_error(source, 1, NULL, error, "there is no second line --- that ends what starts here");
    char *lines = mem_copy_n(from, (size_t)(end - from));
    bool parsed = fields_parse(source, lines, 2, out, error);
    free(lines);
    *body = next_line(end);
    return parsed;
}

// ---- one lesson -------------------------------------------------------------------------------------------

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
                          "a lesson starts with title and after, and minutes once at most, not with '%.40s'",
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
    if (read && (!lesson->title || !lesson->after_count))
        return line_error(source, 1, NULL, error, "a lesson starts with 'title' and 'after'");
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

// ---- how long it takes ------------------------------------------------------------------------------------------

static int words_of(const char *text)
{
    int count = 0;
    for (bool within = false; text && *text; text++) {
        bool blank = isspace((unsigned char)*text);
        count += !blank && !within;
        within = !blank;
    }
    return count;
}

static int words_of_pieces(const struct inline_piece *pieces, size_t count)
{
    int words = 0;
    for (size_t i = 0; i < count; i++)
        words += words_of(pieces[i].text);
    return words;
}

// What everybody reads of it; hints, reasons and solutions are for those who need them.
static int words_of_live(const struct live *live)
{
    static const char *const read[] = { "ask", "choice", "because", "say", "line", "extra" };
    int words = 0;
    for (size_t f = 0; f < live->field_count; f++)
        for (size_t i = 0; i < sizeof read / sizeof *read; i++)
            if (strcmp(live->fields[f].key, read[i]) == 0)
                words += words_of(live->fields[f].value);
    return words;
}

static int words_of_block(const struct lesson_block *block)
{
    int words = words_of_pieces(block->pieces, block->piece_count);
    if (block->kind == BLOCK_CODE)
        words += words_of(block->text);
    for (size_t i = 0; i < block->rows * block->cols; i++)
        words += words_of_pieces(block->cells[i].pieces, block->cells[i].count);
    return block->kind == BLOCK_LIVE ? words_of_live(&block->live) : words;
}

double lesson_minutes(const struct lesson *lesson, size_t from, size_t end)
{
    static const double each[LIVES] = {
        [LIVE_LAB] = 1.5, [LIVE_WIDGET] = 1.5, [LIVE_PREDICT] = 0.75, [LIVE_QUIZ] = 0.75,
        [LIVE_ORDER] = 2, [LIVE_EXERCISE] = 6, [LIVE_BUGHUNT] = 5 // a challenge takes as long as one likes
    };
    double minutes = 0;
    for (size_t i = from; lesson->blocks && i < end; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        minutes += words_of_block(block) / 180.0 + (block->kind == BLOCK_LIVE ? each[block->live.kind] : 0);
    }
    return minutes;
}

// ---- its parts ----------------------------------------------------------------------------------------------------

static int whole_minutes(const struct lesson *lesson, size_t from, size_t end)
{
    return (int)(lesson_minutes(lesson, from, end) + 0.5);
}

// The first block may be the lesson's title, which is no part's.
static void parts_read(struct lesson *lesson)
{
    for (size_t i = 1; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind != BLOCK_HEADING || block->level != 1)
            continue;
        struct text title = { 0 };
        pieces_text(block->pieces, block->piece_count, &title);
        lesson->parts = array_room(lesson->parts, lesson->part_count, sizeof *lesson->parts);
        lesson->parts[lesson->part_count++] =
            (struct lesson_part){ .title = mem_copy(text_string(&title)), .heading = i };
        text_free(&title);
    }
    int minutes = lesson->part_count ? 0 : whole_minutes(lesson, 0, lesson->block_count);
    for (size_t p = 0; p < lesson->part_count; p++) {
        struct lesson_part *part = &lesson->parts[p];
        part->from = p ? part->heading : 0;
        part->end = p + 1 < lesson->part_count ? part[1].heading : lesson->block_count;
        part->minutes = whole_minutes(lesson, part->from, part->end);
        minutes += part->minutes;
    }
    if (!lesson->minutes)
        lesson->minutes = minutes;
}

size_t lesson_part_of(const struct lesson *lesson, size_t block)
{
    size_t low = 0, high = lesson->part_count; // as many headings as `low` stand at the block or before
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lesson->parts[middle].heading <= block)
            low = middle + 1;
        else
            high = middle;
    }
    return low || !lesson->part_count ? low : 1;
}

// ---- all of it ----------------------------------------------------------------------------------------------------

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
                  markdown_parse(&source, body, said, context, &blocks, error);
    out->blocks = blocks.list;
    out->block_count = blocks.count;
    parts_read(out);
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
    for (size_t i = 0; i < lesson->part_count; i++)
        free(lesson->parts[i].title);
    free(lesson->parts);
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
