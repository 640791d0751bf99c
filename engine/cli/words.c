// A line as words, and words as a line.
#include "engine/cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = sizeof((struct words *)0)->word / sizeof(char *) };

// One word from *at on: 'as it is', "with \ before a quote", or bare. False: a quote was left open.
static bool word_next(const char **at, struct text *out)
{
    char quote = 0;
    const char *p = *at;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            text_add_n(out, ++p, 1);
        else
            text_add_n(out, p, 1);
    }
    *at = p;
    return !quote;
}

bool words_split(const char *line, struct words *out, struct error *error)
{
    *out = (struct words){ 0 };
    for (const char *at = line + strspn(line, " \t\n"); *at; at += strspn(at, " \t\n")) {
        struct text word = { 0 };
        bool closed = word_next(&at, &word);
        if (closed && out->count < WORDS) {
            out->word[out->count++] = mem_copy(text_string(&word));
            text_free(&word);
            continue;
        }
        text_free(&word);
        words_free(out);
        return error_set(error, EXIT_USAGE,
                         closed ? "More than %d words in one line." : "A quote was left open.", WORDS);
    }
    return true;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    *words = (struct words){ 0 };
}

void words_add(const struct words *words, size_t first, struct text *out)
{
    for (size_t i = first; i < words->count; i++)
        text_addf(out, "%s%s", i > first ? " " : "", words->word[i]);
}
