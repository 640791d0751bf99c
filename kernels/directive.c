// The `//@` lines of a C text: where one begins and ends, what it is, and what it says on one line.
#include "kernels/variant.h"

#include <string.h>

const char *const directive_names[DIRECTIVES] = {
    [DIRECTIVE_TITLE] = "title",     [DIRECTIVE_WHY] = "why",         [DIRECTIVE_NEEDS] = "needs",
    [DIRECTIVE_PARAM] = "param",     [DIRECTIVE_BUFFER] = "buffer",   [DIRECTIVE_SCRATCH] = "scratch",
    [DIRECTIVE_LAUNCH] = "launch",   [DIRECTIVE_OWNER] = "owner",     [DIRECTIVE_ORDER] = "order",
    [DIRECTIVE_TEXTURE] = "texture", [DIRECTIVE_SURFACE] = "surface", [DIRECTIVE_SYMBOL] = "symbol",
    [DIRECTIVE_VALUE] = "value",     [DIRECTIVE_FOR] = "for",         [DIRECTIVE_END] = "end",
};

static const char mark[] = "//@";
enum { MARK = sizeof mark - 1 };

bool directive_marked(const char *at)
{
    return string_starts(at, mark) && at[MARK] != '@'; // "//@@" is a comment of others
}

enum directive directive_of(const char *at)
{
    const char *word = at + MARK + strspn(at + MARK, " \t");
    for (int d = 0; d < DIRECTIVES; d++)
        if (string_starts(word, directive_names[d]) && !byte_in_word(word[strlen(directive_names[d])]))
            return (enum directive)d;
    return DIRECTIVES;
}

bool directive_decides(enum directive directive)
{
    return directive == DIRECTIVE_LAUNCH || directive == DIRECTIVE_SCRATCH || directive == DIRECTIVE_PARAM ||
           directive == DIRECTIVE_BUFFER || directive == DIRECTIVE_TEXTURE ||
           directive == DIRECTIVE_SURFACE || directive == DIRECTIVE_SYMBOL || directive == DIRECTIVE_VALUE ||
           directive == DIRECTIVE_FOR || directive == DIRECTIVE_END;
}

// Moves to the end of the line; *open counts the brackets on it that are open.
static const char *pass_line(const char *at, int *open)
{
    while (*at && *at != '\n') {
        size_t length = string_starts(at, "<<<") || string_starts(at, ">>>") ? 3 : 1;
        *open += *at == '(' || *at == '[' || *at == '{' || (*at == '<' && length == 3);
        *open -= *at == ')' || *at == ']' || *at == '}' || (*at == '>' && length == 3);
        at += length;
    }
    return at;
}

const char *directive_end(const char *at)
{
    for (int open = 0;;) {
        const char *end = pass_line(at + MARK, &open);
        at = end + (*end == '\n');
        at += strspn(at, " \t");
        if (open <= 0 || !directive_marked(at) || directive_of(at) != DIRECTIVES)
            return end;
    }
}

size_t directive_blanks(const char *at, const char *end)
{
    size_t length = strspn(at, " \t\r");
    while (end && at + length < end && at[length] == '\n') {
        length += 1 + strspn(at + length + 1, " \t") + MARK;
        length += strspn(at + length, " \t\r");
    }
    return length;
}

char *directive_text(const char *at, const char *end)
{
    struct text out = { 0 };
    while (at += directive_blanks(at, end), at < end) {
        size_t length = strcspn(at, " \t\r\n");
        length = end && (size_t)(end - at) < length ? (size_t)(end - at) : length;
        text_add(&out, out.length ? " " : "");
        text_add_n(&out, at, length);
        at += length;
    }
    return out.data ? text_take(&out) : mem_copy("");
}
