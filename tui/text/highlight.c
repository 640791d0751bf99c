// CUDA C in roles, line by line. Only the lexical rules are known, so that half-written code is coloured too; what a line
// cannot know of the lines before it is whether it starts within a comment.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

struct out { // pieces of one role are put as one
    void (*put)(void *context, enum role role, const char *at, size_t bytes);
    void *context;
    const char *line; // the caller's
    size_t from, to;  // what waits to be put
    enum role role;
};

static void flush(struct out *out)
{
    if (out->to > out->from)
        out->put(out->context, out->role, out->line + out->from, out->to - out->from);
    out->from = out->to;
}

static void add(struct out *out, enum role role, size_t bytes)
{
    if (role != out->role)
        flush(out);
    out->role = role;
    out->to += bytes;
}

// ---- words ----------------------------------------------------------------------------------------------------

// Each list is sorted.
static const char *const keywords[] = {
    "alignas",       "alignof",
    "asm",           "auto",
    "break",         "case",
    "catch",         "class",
    "const",         "constexpr",
    "const_cast",    "continue",
    "decltype",      "default",
    "delete",        "do",
    "else",          "enum",
    "explicit",      "extern",
    "false",         "final",
    "for",           "friend",
    "goto",          "if",
    "inline",        "namespace",
    "new",           "noexcept",
    "nullptr",       "operator",
    "override",      "private",
    "protected",     "public",
    "register",      "reinterpret_cast",
    "restrict",      "return",
    "sizeof",        "static",
    "static_assert", "static_cast",
    "struct",        "switch",
    "template",      "this",
    "throw",         "true",
    "try",           "typedef",
    "typename",      "union",
    "using",         "virtual",
    "volatile",      "while",
};
static const char *const types[] = { "bool", "char", "dim3",  "double", "float",    "half", "half2",
                                     "int",  "long", "short", "signed", "unsigned", "void" };
static const char *const builtins[] = { "assert", "blockDim",  "blockIdx", "gridDim",
                                        "printf", "threadIdx", "warpSize" };

static int by_name(const void *key, const void *entry)
{
    return strcmp(key, *(const char *const *)entry);
}

static bool among(const char *word, const char *const *list, size_t count)
{
    return bsearch(word, list, count, sizeof *list, by_name) != NULL;
}
#define AMONG(word, list) among(word, list, sizeof(list) / sizeof *(list))

static bool is_vector(const char *word)
{
    static const char *const scalars[] = { "char",  "double", "float", "int",   "long",      "longlong",
                                           "short", "uchar",  "uint",  "ulong", "ulonglong", "ushort" };
    char scalar[16];
    size_t length = strlen(word);
    if (length < 4 || length > sizeof scalar || word[length - 1] < '1' || word[length - 1] > '4')
        return false;
    format_into(scalar, sizeof scalar, "%.*s", (int)length - 1, word);
    return AMONG(scalar, scalars);
}

static bool is_builtin(const char *word)
{
    bool atomic = string_starts(word, "atomic") && word[6] >= 'A' && word[6] <= 'Z';
    bool make = string_starts(word, "make_") && is_vector(word + 5);
    return string_starts(word, "__") || atomic || make || AMONG(word, builtins);
}

static enum role role_of(const char *at, size_t length)
{
    char word[64];
    if (length >= sizeof word)
        return ROLE_TEXT;
    format_into(word, sizeof word, "%.*s", (int)length, at);
    if (is_builtin(word))
        return ROLE_BUILTIN;
    if (AMONG(word, types) || is_vector(word) || (length > 2 && string_ends(word, "_t")))
        return ROLE_TYPE;
    return AMONG(word, keywords) ? ROLE_KEYWORD : ROLE_TEXT;
}

// ---- pieces ---------------------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// 1.5e-3f, 0x1p+4, 1'000u: 0 when no number starts here.
static size_t number_length(const char *at)
{
    size_t length = 0;
    if (!is_digit(at[0]) && !(at[0] == '.' && is_digit(at[1])))
        return 0;
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (byte_in_word(at[length]) || at[length] == '.' ||
           (at[length] == '\'' && byte_in_word(at[length + 1]))) {
        char c = at[length++];
        bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        if (exponent && (at[length] == '+' || at[length] == '-'))
            length++;
    }
    return length;
}

static bool closed(struct code_piece comment)
{
    return comment.length >= 4 && memcmp(comment.at + comment.length - 2, "*/", 2) == 0;
}

static enum role role_of_piece(struct code_piece piece, bool directive, bool *comment)
{
    if (piece.kind == PIECE_COMMENT) {
        *comment = piece.at[1] == '*' && !closed(piece);
        return string_starts(piece.at, "//@") ? ROLE_DIRECTIVE : ROLE_COMMENT;
    }
    if (directive)
        return ROLE_DIRECTIVE;
    if (piece.kind == PIECE_LITERAL)
        return ROLE_STRING;
    return piece.kind == PIECE_WORD ? role_of(piece.at, piece.length) : ROLE_TEXT;
}

static void highlight_code(struct out *out, const char *at, bool *comment)
{
    bool directive = at[strspn(at, " \t")] == '#';
    while (*at) {
        size_t number = directive ? 0 : number_length(at);
        struct code_piece piece = piece_next(at);
        size_t length = number ? number : piece.length;
        add(out, number ? ROLE_NUMBER : role_of_piece(piece, directive, comment), length);
        at += length;
    }
}

void highlight_line(const char *line, size_t length, bool *comment,
                    void (*put)(void *context, enum role role, const char *at, size_t bytes), void *context)
{
    struct out out = { .put = put, .context = context, .line = line };
    char *copy = mem_copy_n(line, length); // piece_next needs an end
    const char *at = copy;
    for (size_t i = 0; i < length; i++)
        if (!copy[i])
            copy[i] = ' ';
    if (*comment) {
        const char *end = strstr(copy, "*/");
        size_t inside = end ? (size_t)(end + 2 - copy) : length;
        *comment = !end;
        add(&out, ROLE_COMMENT, inside);
        at += inside;
    }
    highlight_code(&out, at, comment);
    flush(&out);
    free(copy);
}
