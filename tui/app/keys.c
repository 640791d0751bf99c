// Key bindings: lines `PAGE KEY WORDS`. What ships comes first, the user's file behind it, and the last line about a key
// wins; a line about one page wins over a line about all.
#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>

struct reading { // one line of a file
    struct keys *keys;
    const struct vocabulary *known;
    struct source source;
    const char *at;
    struct error *error;
};
struct word {
    const char *at;
    size_t length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of the line; length 0 at its end. `#` at a word's start hides what follows.
static struct word next_word(struct reading *reading)
{
    while (is_blank(*reading->at))
        reading->at++;
    struct word word = { reading->at, 0 };
    if (*reading->at != '#')
        word.length = strcspn(reading->at, " \t\r\n");
    reading->at += word.length;
    return word;
}

// ---- names ----------------------------------------------------------------------------------------------------

static bool complain(struct reading *reading, const char *what, struct word word, const char *near)
{
    return error_at(reading->error, &reading->source, word.at, "there is no %s '%.*s'%s%s%s", what,
                    (int)word.length, word.at, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

static bool take_page(struct reading *reading, struct word word, char **page)
{
    *page = mem_copy_n(word.at, word.length);
    if (page_find(reading->known->pages, *page))
        return true;
    bool all = strcmp(*page, "all") == 0 ||
               complain(reading, "page", word, vocabulary_nearest_page(reading->known, *page));
    free(*page);
    *page = NULL;
    return all;
}

static bool take_key(struct reading *reading, struct word word, int *key)
{
    *key = key_of_name(word.at, word.length);
    if (*key)
        return true;
    if (!word.length)
        return error_at(reading->error, &reading->source, word.at, "a key is missing: PAGE KEY WORDS");
    return error_at(reading->error, &reading->source, word.at,
                    "there is no key '%.*s'; keys are written as j, ^D, M-x, "
                    "<Up>, <Space> or <F5>",
                    (int)word.length, word.at);
}

// The first word says what the line does: an action that the page has, a page, or a command.
static bool take_words(struct reading *reading, const char *page, struct word word)
{
    if (!word.length)
        return error_at(reading->error, &reading->source, word.at,
                        "what the key does is missing: PAGE KEY WORDS, or - to "
                        "take the key away");
    char *name = mem_copy_n(word.at, word.length);
    const struct action *action = action_find(name);
    bool known = page_find(reading->known->pages, name) || command_find(reading->known->commands, name) ||
                 strcmp(name, "-") == 0;
    bool fits = known || !action || !page || action_fits(action, page);
    if (!fits)
        error_at(reading->error, &reading->source, word.at,
                 "%s is no action of the page %s; it belongs to: %s", action->name, page, action->pages);
    else if (!known && !action)
        complain(reading, "action", word, vocabulary_nearest(reading->known, name));
    free(name);
    return fits && (known || action);
}

// ---- reading --------------------------------------------------------------------------------------------------

// From the first word to the end of the line, without blanks or a comment there; "" for a key that is taken away.
static char *words_from(const char *at)
{
    size_t length = strcspn(at, "\n");
    for (size_t i = 1; i < length; i++)
        if (at[i] == '#' && is_blank(at[i - 1]))
            length = i;
    while (length && is_blank(at[length - 1]))
        length--;
    return length == 1 && *at == '-' ? mem_copy("") : mem_copy_n(at, length);
}

static bool take_line(struct reading *reading)
{
    struct word word = next_word(reading);
    char *page = NULL;
    int key = 0;
    if (!word.length)
        return true;
    if (!take_page(reading, word, &page))
        return false;
    bool fine = take_key(reading, next_word(reading), &key);
    word = fine ? next_word(reading) : word;
    if (!fine || !take_words(reading, page, word)) {
        free(page);
        return false;
    }
    struct keys *keys = reading->keys;
    keys->bindings = array_room(keys->bindings, keys->count, sizeof *keys->bindings);
    keys->bindings[keys->count++] = (struct key_binding){ page, key, words_from(word.at) };
    return true;
}

bool keys_parse(struct keys *keys, const struct vocabulary *known, const char *path, const char *text,
                struct error *error)
{
    struct error later;
    int wrong = 0;
    for (const char *line = text; *line; line += *line == '\n') {
        struct reading reading = { keys, known, { path, text }, line, wrong ? &later : error };
        wrong += !take_line(&reading); // the lines behind a wrong one still count
        line += strcspn(line, "\n");
    }
    if (wrong > 1) {
        later = *error;
        error_set(error, later.code, "%d lines of your keys are wrong; the first: %s", wrong, later.text);
    }
    return wrong == 0;
}

static bool read_file(struct keys *keys, const struct vocabulary *known, const char *path,
                      struct error *error)
{
    struct text text = { 0 };
    bool fine = file_read(path, &text, error) && keys_parse(keys, known, path, text_string(&text), error);
    text_free(&text);
    return fine;
}

bool keys_read(struct keys *keys, const struct vocabulary *known, struct error *error)
{
    struct error later;
    char *shipped = path_shipped("assets/keys"), *own = path_own("keys");
    bool fine = read_file(keys, known, shipped, error);
    if (own && file_exists(own))
        fine &= read_file(keys, known, own, fine ? error : &later);
    free(shipped);
    free(own);
    return fine;
}

void keys_free(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        free(keys->bindings[i].page);
        free(keys->bindings[i].words);
    }
    free(keys->bindings);
    *keys = (struct keys){ 0 };
}

// ---- asking ---------------------------------------------------------------------------------------------------

static const struct key_binding *find(const struct keys *keys, const char *page, int key)
{
    const struct key_binding *everywhere = NULL;
    for (size_t i = keys->count; i-- > 0;) {
        const struct key_binding *binding = &keys->bindings[i];
        if (binding->key != key)
            continue;
        if (binding->page && page && strcmp(binding->page, page) == 0)
            return binding;
        if (!binding->page && !everywhere)
            everywhere = binding;
    }
    return everywhere;
}

const char *keys_words(const struct keys *keys, const char *page, int key)
{
    const struct key_binding *binding = find(keys, page, key);
    return binding && *binding->words ? binding->words : NULL;
}

void keys_name(const struct keys *keys, const char *page, const char *words, char *out, size_t size)
{
    *out = 0;
    for (size_t i = 0; i < keys->count && !*out; i++) {
        const struct key_binding *binding = &keys->bindings[i];
        if (strcmp(binding->words, words) == 0 && find(keys, page, binding->key) == binding)
            key_name(binding->key, out, size);
    }
}
