// What other programs call things: an error by its number, a metric of Nsight Compute by its long name.
#include "lessons/lessons.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers of errors ----------------------------------------------------------------------------------------

enum { BARE_LEAST = 3 }; // digits: a smaller number alone is any number

static bool is_error_word(const char *word, size_t length)
{
    static const char *const words[] = { "cuda",    "error",     "code",   "err",      "status",
                                         "runtime", "cudaerror", "number", "curesult", "driver" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0)
            return true;
    return false;
}

const struct term *glossary_number(const struct glossary *glossary, const char *words)
{
    char number[8] = "", name[24];
    bool bare = true;
    while (*words) {
        size_t digits = strspn(words, "0123456789"), length = digits;
        if (digits && (*number || digits >= sizeof number))
            return NULL;
        while (!digits && isalpha((unsigned char)words[length]))
            length++;
        if (digits)
            memcpy(number, words, digits);
        else if (length && !is_error_word(words, length))
            return NULL;
        bare = bare && (digits || !length);
        words += length ? length : 1;
    }
    if (!*number || (bare && strlen(number) < BARE_LEAST))
        return NULL;
    format_into(name, sizeof name, "error %s", number);
    return glossary_find(glossary, name);
}

// ---- metrics --------------------------------------------------------------------------------------------------

// A metric is UNIT__WORDS.ROLLUP, its words with '_' between.
enum { RUN_MOST = 4, WORD_LEAST = 2, LETTERS_MOST = 200 };

// The end of `count` words from `at` on; NULL: there are not as many.
static const char *words_end(const char *at, size_t count)
{
    const char *end = at;
    for (size_t i = 0; i < count; i++) {
        if (i && *end != '_')
            return NULL;
        end += i > 0;
        end += strcspn(end, "_");
    }
    return end;
}

static const struct term *find_part(const struct glossary *glossary, const char *from, const char *to)
{
    char *part = mem_copy_n(from, (size_t)(to - from));
    bool counts = to - from >= WORD_LEAST && strcasecmp(part, "sass") != 0;
    const struct term *found = counts ? glossary_find(glossary, part) : NULL;
    free(part);
    return found;
}

// "long_scoreboard_per_warp_active" → "stall long_scoreboard", as much of it as is a name.
static const struct term *find_stall(const struct glossary *glossary, const char *reason)
{
    struct text name = { 0 };
    text_addf(&name, "stall %s", reason);
    const struct term *found = glossary_find(glossary, name.data);
    for (char *cut = strrchr(name.data, '_'); !found && cut; cut = strrchr(name.data, '_')) {
        *cut = 0;
        found = glossary_find(glossary, name.data);
    }
    text_free(&name);
    return found ? found : glossary_find(glossary, "stall");
}

// The longest name within the words; of two as long the first.
static const struct term *find_longest(const struct glossary *glossary, const char *words)
{
    const struct term *found = NULL;
    for (size_t run = RUN_MOST; !found && run > 0; run--)
        for (const char *at = words; !found && at; at = strchr(at, '_') ? strchr(at, '_') + 1 : NULL) {
            const char *end = words_end(at, run);
            found = end ? find_part(glossary, at, end) : NULL;
        }
    return found;
}

// What the profiler's pages call "Stall Wait" or "stall_wait" is a stall, also one that no term names.
static const char *stall_of(const char *name)
{
    size_t word = strlen("stall");
    if (strncasecmp(name, "stall", word) == 0 && name[word] && strchr("_ ", name[word]))
        return name + word + 1;
    const char *within = strcasestr(name, "_stalled_");
    return within ? within + strlen("_stalled_") : NULL;
}

const struct term *glossary_metric(const struct glossary *glossary, const char *name)
{
    if (strlen(name) > LETTERS_MOST)
        return NULL;
    char *metric = mem_copy_n(name, strcspn(name, "."));
    const char *unit_end = strstr(metric, "__"), *stall = stall_of(metric);
    const struct term *found = NULL;
    if (stall)
        found = find_stall(glossary, stall);
    else if (unit_end && isalpha((unsigned char)*metric) && !strpbrk(name, " \t\n")) {
        found = find_longest(glossary, unit_end + strlen("__"));
        if (!found)
            found = find_part(glossary, metric, unit_end);
    }
    free(metric);
    return found;
}
