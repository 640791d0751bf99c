// What a text leads to: terms, labs, lessons, explorers.
#include "tui/command/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct term *check_term(const struct checking *check, const char *name)
{
    const struct term *found = glossary_find(&check->terms[0], name);
    return found ? found : glossary_find(&check->terms[1], name);
}

// ---- targets ----------------------------------------------------------------------------------------------------

static bool term_check(const struct checking *check, const char *name, struct error *error)
{
    const struct term *near[1];
    bool unknown = !check->terms[0].count && !check->terms[1].count; // they cannot be read
    if (unknown || check_term(check, name))
        return true;
    if (glossary_search(&check->terms[0], name, near, 1))
        return error_set(error, EXIT_WRONG, "no term is called '%s'; near it is '%s'", name, near[0]->name);
    return error_set(error, EXIT_WRONG, "no term is called '%s'", name);
}

static bool lesson_check(const struct checking *check, const char *word, struct error *error)
{
    char *end;
    long number = strtol(word, &end, 10);
    bool is_number = isdigit((unsigned char)*word) && !*end;
    for (size_t i = 0; i < check->lessons.count; i++) {
        const char *name = check->lessons.list[i], *bare = strchr(name, '-');
        if (is_number ? strtol(name, NULL, 10) == number
                      : strcmp(name, word) == 0 || (bare && strcmp(bare + 1, word) == 0))
            return true;
    }
    return error_set(error, EXIT_WRONG, "there is no lesson '%s'", word);
}

bool place_check(const char *place, struct error *error)
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

bool explorer_settings(const char *words, struct settings *out, struct error *error)
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
    return sound;
}

bool explorer_check(const char *words, struct error *error)
{
    struct settings settings;
    return explorer_settings(words, &settings, error);
}

bool link_check(const struct checking *check, const char *target, struct error *error)
{
    if (string_starts(target, "term:"))
        return term_check(check, target + strlen("term:"), error);
    if (string_starts(target, "lab:"))
        return place_check(target + strlen("lab:"), error);
    if (string_starts(target, "lesson:"))
        return lesson_check(check, target + strlen("lesson:"), error);
    if (string_starts(target, "explore:"))
        return explorer_check(target + strlen("explore:"), error);
    if (string_starts(target, "https://") || string_starts(target, "http://"))
        return true;
    return error_set(error, EXIT_WRONG,
                     "a link leads to term:, lab:, lesson:, explore: or https://, not to '%.60s'", target);
}

// ---- all of a text ------------------------------------------------------------------------------------------------

struct place {
    struct checking *check;
    const char *path, *text;
    int line;
};

static void pieces_check(const struct place *place, const struct inline_piece *pieces, size_t count)
{
    struct error error;
    for (size_t i = 0; i < count; i++) {
        const char *target = pieces[i].target;
        bool again = i && pieces[i - 1].target && target && strcmp(pieces[i - 1].target, target) == 0;
        if (!target || again || link_check(place->check, target, &error))
            continue;
        check_error(place->check, place->path, place->text, check_line_of(place->text, place->line, target),
                    target, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    }
}

static void live_links(const struct place *place, const struct live *live)
{
    static const char *const keys[] = { "ask", "say", "because", "choice", "hint" };
    for (size_t i = 0; i < live->field_count; i++) {
        const struct live_field *field = &live->fields[i];
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            if (strcmp(field->key, keys[k]) != 0)
                continue;
            size_t count;
            struct inline_piece *pieces = pieces_read(field->value, &count);
            struct place at = *place;
            at.line = field->line;
            pieces_check(&at, pieces, count);
            pieces_free(pieces, count);
        }
    }
}

void check_links(struct checking *check, const char *path, const char *text, const struct block *blocks,
                 size_t count)
{
    for (size_t b = 0; b < count; b++) {
        const struct block *block = &blocks[b];
        struct place place = { check, path, text, block->line };
        pieces_check(&place, block->pieces, block->piece_count);
        for (size_t c = 0; c < block->rows * block->cols; c++)
            pieces_check(&place, block->cells[c].pieces, block->cells[c].count);
        if (block->kind == BLOCK_LIVE)
            live_links(&place, &block->live);
    }
}
