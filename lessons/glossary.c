// Terms: their files, what leads from one to the other.
#include "lessons/markdown.h"
#include "lessons/search.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- one term -----------------------------------------------------------------------------------------

// "one, another, …" → its parts.
static void list_parse(const char *value, char ***list, size_t *count)
{
    while (*value) {
        value += strspn(value, ", \n");
        size_t length = strcspn(value, ",\n"), kept = length;
        while (kept && value[kept - 1] == ' ')
            kept--;
        if (kept) {
            *list = array_room(*list, *count, sizeof **list);
            (*list)[(*count)++] = mem_copy_n(value, kept);
        }
        value += length;
    }
}

static bool front_field(struct term *term, const struct source *source, const struct live_field *field,
                        struct error *error)
{
    if (!*field->value)
        return line_error(source, field->line, NULL, error, "'%.40s' has no value", field->key);
    if (strcmp(field->key, "name") == 0 && !term->name)
        term->name = mem_copy(field->value);
    else if (strcmp(field->key, "try") == 0 && !term->try)
        term->try = mem_copy(field->value);
    else if (strcmp(field->key, "also") == 0)
        list_parse(field->value, &term->also, &term->also_count);
    else if (strcmp(field->key, "see") == 0)
        list_parse(field->value, &term->see, &term->see_count);
    else
        return line_error(source, field->line, field->key, error,
                          "a term starts with name and try, once each, also and see, not with '%.40s'",
                          field->key);
    return true;
}

static bool front_read(struct term *term, const struct source *source, const char **body, struct error *error)
{
    struct fields fields = { 0 };
    bool read = front_parse(source, &fields, body, error);
    for (size_t i = 0; read && i < fields.count; i++)
        read = front_field(term, source, &fields.list[i], error);
    fields_free(fields.list, fields.count);
    return read && (term->name || line_error(source, 1, NULL, error, "a term starts with 'name'"));
}

static void term_free(struct term *term)
{
    free(term->name);
    free(term->file);
    free(term->try);
    free(term->sentence);
    for (size_t i = 0; i < term->also_count; i++)
        free(term->also[i]);
    for (size_t i = 0; i < term->see_count; i++)
        free(term->see[i]);
    free(term->also);
    free(term->see);
    blocks_free(term->blocks, term->block_count);
    *term = (struct term){ 0 };
}

static bool sentence_read(struct term *term, const struct source *source, struct error *error)
{
    if (!term->block_count || term->blocks[0].kind != BLOCK_PARAGRAPH)
        return line_error(source, 1, NULL, error, "a term's text starts with the sentence that defines it");
    struct text sentence = { 0 };
    pieces_text(term->blocks[0].pieces, term->blocks[0].piece_count, &sentence);
    term->sentence = sentence.data ? text_take(&sentence) : mem_copy("");
    for (size_t i = 0; i < term->block_count; i++)
        if (term->blocks[i].kind == BLOCK_LIVE)
            return line_error(source, term->blocks[i].line, NULL, error, "live blocks stand in lessons only");
    return true;
}

static bool term_parse(struct term *term, const char *path, const char *file, const char *text,
                       struct error *error)
{
    *term = (struct term){ .file = mem_copy_n(file, strlen(file) - strlen(".md")) };
    const struct source source = { path, text };
    const char *body;
    struct blocks blocks = { 0 };
    bool parsed = front_read(term, &source, &body, error) && markdown_parse(&source, body, &blocks, error);
    term->blocks = blocks.list;
    term->block_count = blocks.count;
    parsed = parsed && sentence_read(term, &source, error);
    if (!parsed)
        term_free(term);
    return parsed;
}

// ---- names --------------------------------------------------------------------------------------------------

static int by_key(const void *a, const void *b)
{
    const struct term_key *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : (one->term > other->term) - (one->term < other->term);
}

// What glossary_find looks through.
static void index_names(struct glossary *glossary)
{
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        for (size_t n = 0; n <= term->also_count; n++) {
            glossary->keys = array_room(glossary->keys, glossary->key_count, sizeof *glossary->keys);
            glossary->keys[glossary->key_count++] =
                (struct term_key){ search_key(n ? term->also[n - 1] : term->name), i, n > 0 };
        }
    }
    if (glossary->key_count)
        qsort(glossary->keys, glossary->key_count, sizeof *glossary->keys, by_key);
}

// Of two terms with one name the first.
static const struct term *find_key(const struct glossary *glossary, const char *key)
{
    size_t low = 0, high = glossary->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(glossary->keys[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < glossary->key_count && strcmp(glossary->keys[low].key, key) == 0;
    return found ? &glossary->list[glossary->keys[low].term] : NULL;
}

// "%r12" and "$L__BB0_2" are called as the compiler counts.
static void cut_number(char *key)
{
    size_t length = strlen(key);
    while (strchr("%$", *key) && length > 2 && isdigit((unsigned char)key[length - 1]))
        key[--length] = 0;
}

const struct term *glossary_find(const struct glossary *glossary, const char *name)
{
    char *key = search_key(name), *dot;
    const struct term *found = find_key(glossary, key);
    bool one_word = !strpbrk(name, " \t\n");
    if (!found && one_word && *key) {
        cut_number(key);
        found = find_key(glossary, key);
    }
    while (!found && one_word && (dot = strrchr(key, '.')) && dot > key) {
        *dot = 0;
        found = find_key(glossary, key);
    }
    free(key);
    return found;
}

// ---- all of a folder ------------------------------------------------------------------------------------

static int is_term_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends(entry->d_name, ".md");
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct term *)a)->name, ((const struct term *)b)->name);
}

static bool term_read(struct glossary *glossary, const char *folder, const char *file, struct error *error)
{
    char *path = path_join(folder, file);
    struct text text = { 0 };
    glossary->list = array_room(glossary->list, glossary->count, sizeof *glossary->list);
    bool read = page_read(path, &text, error) &&
                term_parse(&glossary->list[glossary->count], path, file, text_string(&text), error);
    glossary->count += read;
    text_free(&text);
    free(path);
    return read;
}

static bool folder_read(const char *folder, error_said said, void *context, struct glossary *out,
                        struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_term_file, alphasort);
    if (count < 0)
        return error_set(error, EXIT_MISSING, "Cannot read the folder %s: %s.", folder, strerror(errno));
    bool read = true;
    for (int i = 0; i < count; i++) {
        bool known = read && term_read(out, folder, entries[i]->d_name, error);
        if (read && !known && said)
            said(context, error);
        read = read && (known || said);
        free(entries[i]);
    }
    free(entries);
    return read;
}

bool glossary_read(const char *folder, struct glossary *out, struct error *error)
{
    return glossary_read_around(folder, NULL, NULL, out, error);
}

bool glossary_read_around(const char *folder, error_said said, void *context, struct glossary *out,
                          struct error *error)
{
    *out = (struct glossary){ 0 };
    char *shipped = folder ? NULL : path_shipped("lessons/glossary");
    bool read = folder_read(folder ? folder : shipped, said, context, out, error);
    free(shipped);
    if (!read) {
        glossary_free(out);
        return false;
    }
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, by_name);
    index_names(out);
    return true;
}

void glossary_free(struct glossary *glossary)
{
    for (size_t i = 0; i < glossary->count; i++)
        term_free(&glossary->list[i]);
    for (size_t i = 0; i < glossary->key_count; i++)
        free(glossary->keys[i].key);
    free(glossary->list);
    free(glossary->keys);
    *glossary = (struct glossary){ 0 };
}

// ---- links --------------------------------------------------------------------------------------------------

static bool pieces_lead(const struct glossary *glossary, const struct inline_piece *pieces, size_t count,
                        const struct term *to)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].target && string_starts(pieces[i].target, "term:") &&
            glossary_find(glossary, pieces[i].target + strlen("term:")) == to)
            return true;
    return false;
}

static bool leads(const struct glossary *glossary, const struct term *from, const struct term *to)
{
    for (size_t i = 0; i < from->see_count; i++)
        if (glossary_find(glossary, from->see[i]) == to)
            return true;
    for (size_t b = 0; b < from->block_count; b++) {
        const struct block *block = &from->blocks[b];
        if (pieces_lead(glossary, block->pieces, block->piece_count, to))
            return true;
        for (size_t c = 0; c < block->rows * block->cols; c++)
            if (pieces_lead(glossary, block->cells[c].pieces, block->cells[c].count, to))
                return true;
    }
    return false;
}

size_t glossary_links(const struct glossary *glossary, const struct term *to, const struct term **out,
                      size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < glossary->count && count < room; i++)
        if (&glossary->list[i] != to && leads(glossary, &glossary->list[i], to))
            out[count++] = &glossary->list[i];
    return count;
}
