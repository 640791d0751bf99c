// Finding terms: by what one typed of a name, by a name that is misspelt, by words in the text. A term's rank says
// how it was found; the lowest comes first.
#include "lessons/search.h"
#include "lessons/markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MISSPELT_LEAST = 3 }; // letters: shorter words are near everything

enum rank {
    EXACT,
    EXACT_ALIAS,
    STARTS,
    STARTS_ALIAS,
    WITHIN,
    WITHIN_ALIAS,
    MISSPELT,
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

static enum rank name_rank(const char *name, const char *key, bool alias)
{
    char *own = search_key(name);
    const char *at = *key ? strstr(own, key) : own;
    enum rank rank = !at ? NONE : strcmp(own, key) == 0 ? EXACT : at == own ? STARTS : WITHIN;
    free(own);
    return rank == NONE ? NONE : (enum rank)(rank + alias);
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

// The names next to the key, best first, are asked for one after the other.
static void rank_misspelt(struct found *all, size_t count, const char *key)
{
    size_t names = 0, room = 0;
    for (size_t i = 0; i < count; i++)
        room += all[i].rank > MISSPELT ? 1 + all[i].term->also_count : 0;
    char **name = mem_new((room + 1) * sizeof *name);
    size_t *owner = mem_new((room + 1) * sizeof *owner);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; all[i].rank > MISSPELT && n <= all[i].term->also_count; n++) {
            owner[names] = i;
            name[names++] = search_key(n ? all[i].term->also[n - 1] : all[i].term->name);
        }
    const char *near;
    for (size_t order = 1; (near = string_nearest(key, (const char *const *)name, names)); order++) {
        size_t n = 0;
        while (name[n] != near)
            n++;
        struct found *found = &all[owner[n]];
        if (found->rank > MISSPELT)
            *found = (struct found){ found->term, MISSPELT, order };
        free(name[n]);
        name[n] = name[--names];
        owner[n] = owner[names];
    }
    while (names)
        free(name[--names]);
    free(name);
    free(owner);
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
    if (strlen(key) >= MISSPELT_LEAST)
        rank_misspelt(all, glossary->count, key);
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
