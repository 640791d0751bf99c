// Finding terms: by what one typed of a name, by a name that is misspelt, by words in the text. A term's rank says
// how it was found; the lowest comes first.
#include "lessons/search.h"
#include "lessons/markdown.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MISSPELT_LEAST = 3, MISSPELT_MOST = 63 }; // letters: shorter words are near everything

enum rank {
    EXACT,
    EXACT_ALIAS,
    STARTS,
    STARTS_ALIAS,
    WITHIN,
    MISSPELT,
    WITHIN_ALIAS,
    IN_SENTENCE,
    IN_TEXT,
    NONE
};

struct found {
    const struct term *term;
    enum rank rank;
    size_t nearness; // among misspellings; then the glossary's own order
};

char *search_key(const char *name)
{
    char *key = mem_copy(name), *to = key;
    for (const char *c = name; *c; c++) {
        if (c[0] == '(' && c[1] == ')') {
            c++;
            continue;
        }
        if (!strchr(" \t\n-_", *c))
            *to++ = (char)((unsigned char)*c < 0x80 ? tolower((unsigned char)*c) : *c);
    }
    *to = 0;
    if (!*key && *name) // nothing but what does not matter, such as "__": then it does
        strcpy(key, name);
    return key;
}

// Within one word, or from the start of a word on: "tread" is not in "not ready".
static bool is_within(const char *name, const char *key)
{
    bool within = false;
    while (*name && !within) {
        size_t length = strcspn(name, " ");
        char *word = mem_copy_n(name, length), *own = search_key(word), *rest = search_key(name);
        within = strstr(own, key) || string_starts(rest, key);
        free(word);
        free(own);
        free(rest);
        name += length;
        name += strspn(name, " ");
    }
    return within;
}

static enum rank name_rank(const char *name, const char *key, bool alias)
{
    char *own = search_key(name);
    const char *at = *key ? strstr(own, key) : own;
    enum rank rank = NONE;
    if (at && strcmp(own, key) == 0)
        rank = alias ? EXACT_ALIAS : EXACT;
    else if (at == own)
        rank = alias ? STARTS_ALIAS : STARTS;
    else if (at && is_within(name, key))
        rank = alias ? WITHIN_ALIAS : WITHIN;
    free(own);
    return rank;
}

// Every word of the search stands in the text.
static bool words_within(const char *words, const char *text)
{
    bool any = false;
    while (*words) {
        words += strspn(words, " \t\n");
        size_t length = strcspn(words, " \t\n");
        char *word = mem_copy_n(words, length);
        bool within = !length || strcasestr(text, word);
        any = any || length;
        free(word);
        if (!within)
            return false;
        words += length;
    }
    return any;
}

static enum rank text_rank(const struct term *term, const char *words)
{
    if (words_within(words, term->sentence))
        return IN_SENTENCE;
    struct text text = { 0 };
    blocks_text(term->blocks, term->block_count, &text);
    bool within = words_within(words, text_string(&text));
    text_free(&text);
    return within ? IN_TEXT : NONE;
}

// Every name that the key may be misspelt from, the terms' own before all aliases: of two that are as near, the first
// is meant.
struct names {
    const char **key;
    size_t *owner, count;
};

static struct names names_near(const struct glossary *glossary, const char *key)
{
    struct names names = { mem_new((glossary->key_count + 1) * sizeof *names.key),
                           mem_new((glossary->key_count + 1) * sizeof *names.owner), 0 };
    size_t length = strlen(key);
    bool word = length >= MISSPELT_LEAST && length <= MISSPELT_MOST;
    for (int aliases = 0; word && aliases < 2; aliases++)
        for (size_t i = 0; i < glossary->key_count; i++) {
            const char *name = glossary->keys[i].key;
            if (glossary->keys[i].alias == aliases && string_nearest(key, &name, 1)) {
                names.key[names.count] = name;
                names.owner[names.count++] = glossary->keys[i].term;
            }
        }
    return names;
}

// The place of the nearest name; SIZE_MAX: none is near.
static size_t names_nearest(const struct names *names, const char *key)
{
    const char *near = string_nearest(key, names->key, names->count);
    size_t i = 0;
    while (near && names->key[i] != near)
        i++;
    return near ? i : SIZE_MAX;
}

static void names_free(struct names *names)
{
    free(names->key);
    free(names->owner);
}

// The names next to the key, best first, are asked for one after the other.
static void rank_misspelt(const struct glossary *glossary, struct found *all, const char *key)
{
    struct names names = names_near(glossary, key);
    size_t at;
    for (size_t order = 1; (at = names_nearest(&names, key)) != SIZE_MAX; order++) {
        struct found *found = &all[names.owner[at]];
        if (found->rank > MISSPELT)
            *found = (struct found){ found->term, MISSPELT, order };
        names.key[at] = "";
    }
    names_free(&names);
}

static int by_rank(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    if (one->nearness != other->nearness)
        return one->nearness < other->nearness ? -1 : 1;
    return one->term < other->term ? -1 : one->term > other->term;
}

size_t glossary_search(const struct glossary *glossary, const char *words, const struct term **out,
                       size_t room)
{
    words += strspn(words, " \t\n");
    struct found *all = mem_new((glossary->count + 1) * sizeof *all);
    char *key = search_key(words);
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        enum rank rank = name_rank(term->name, key, false);
        for (size_t n = 0; n < term->also_count; n++) {
            enum rank alias = name_rank(term->also[n], key, true);
            rank = alias < rank ? alias : rank;
        }
        all[i] = (struct found){ term, rank == NONE ? text_rank(term, words) : rank, 0 };
    }
    rank_misspelt(glossary, all, key);
    if (glossary->count)
        qsort(all, glossary->count, sizeof *all, by_rank);
    size_t count = 0;
    while (count < room && count < glossary->count && all[count].rank != NONE) {
        out[count] = all[count].term;
        count++;
    }
    free(key);
    free(all);
    return count;
}

const struct term *glossary_near(const struct glossary *glossary, const char *words)
{
    char *key = search_key(words);
    struct names names = names_near(glossary, key);
    size_t at = names_nearest(&names, key);
    const struct term *near = at == SIZE_MAX ? NULL : &glossary->list[names.owner[at]];
    names_free(&names);
    free(key);
    return near;
}

// ---- messages ------------------------------------------------------------------------------------------------

enum { MESSAGE_WORDS = 3 }; // a name of fewer words is no message

static bool is_message(const char *name)
{
    size_t words = 0;
    for (const char *c = name; *c; c++)
        words += *c != ' ' && (c == name || c[-1] == ' ');
    return words >= MESSAGE_WORDS || strstr(name, "...");
}

// The parts between "..." stand in the words, in their order.
static bool message_within(const char *message, const char *words)
{
    while (words && *message) {
        const char *gap = strstr(message, "...");
        size_t length = gap ? (size_t)(gap - message) : strlen(message), kept = length;
        while (kept && message[kept - 1] == ' ')
            kept--;
        char *part = mem_copy_n(message, kept);
        words = strcasestr(words, part);
        words = words ? words + kept : NULL;
        free(part);
        message += length + (gap ? strlen("...") : 0);
        message += strspn(message, " ");
    }
    return words;
}

const struct term *glossary_message(const struct glossary *glossary, const char *words)
{
    const struct term *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        for (size_t n = 0; n <= term->also_count; n++) {
            const char *name = n ? term->also[n - 1] : term->name;
            if (strlen(name) > longest && is_message(name) && message_within(name, words)) {
                longest = strlen(name);
                found = term;
            }
        }
    }
    return found;
}
