// What a kernel includes, looked at before any compiler sees it: a kernel file stands alone, and the headers that it may
// include are found by their names. Where the machine has Landlock, no compiler could read anything else anyway; this
// says so in a sentence, and holds where there is none.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"
#include "kernels/variant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The text without its spliced lines, and for each byte the line it comes from.
struct spliced {
    char *text;
    int *lines;
};

// Compilers end lines in three ways; the bytes of the one that begins here, or 0.
static size_t line_end(const char *at)
{
    return *at == '\n' ? 1 : *at == '\r' ? 1 + (at[1] == '\n') : 0;
}

static struct spliced splice(const char *source)
{
    size_t length = strlen(source), to = 0;
    struct spliced out = { mem_new(length + 1), mem_new((length + 1) * sizeof(int)) };
    int line = 1;
    for (size_t i = 0; i < length; i++) {
        size_t blanks = source[i] == '\\' ? strspn(source + i + 1, " \t\v\f") : 0;
        size_t end = source[i] == '\\' ? line_end(source + i + 1 + blanks) : 0;
        if (end) {
            line += source[i + blanks + end] == '\n';
            i += blanks + end;
            continue;
        }
        out.text[to] = source[i];
        out.lines[to++] = line;
        line += source[i] == '\n';
    }
    out.lines[to] = line;
    return out;
}

// Blanks and comments, which may stand between the parts of a directive. There are blanks beyond ASCII, which compilers
// take for such; no other character of that kind can stand there.
static const char *skip(const char *at)
{
    for (;;) {
        while ((unsigned char)*at >= 0x80 || (*at && strchr(" \t\v\f", *at)))
            at++;
        if (at[0] != '/' || at[1] != '*')
            return at;
        const char *end = strstr(at + 2, "*/");
        at = end ? end + 2 : at + strlen(at);
    }
}

// Whether nothing but blanks and comments stands before a directive on its line. The line may begin in a comment.
static bool begins_line(const char *text, const char *at)
{
    const char *start = at;
    while (start > text && start[-1] != '\n' && start[-1] != '\r')
        start--;
    if (skip(start) == at)
        return true;
    for (const char *end = start; end + 1 < at; end++)
        if (end[0] == '*' && end[1] == '/' && skip(end + 2) == at)
            return true;
    return false;
}

// What follows the word of a directive that brings a file in, or NULL.
static const char *bringing(const char *at)
{
    static const char *const words[] = { "include_next", "include", "import", "embed" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        char next = at[0] ? at[strnlen(at, length)] : 0;
        bool ends = !(next == '_' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                      (next >= '0' && next <= '9'));
        if (strncmp(at, words[i], length) == 0 && ends)
            return at + length;
    }
    return NULL;
}

static bool leads_out(const char *name, size_t length)
{
    if (*name == '/')
        return true;
    for (size_t i = 0; i + 1 < length; i++)
        if (name[i] == '.' && name[i + 1] == '.' && (i == 0 || name[i - 1] == '/') &&
            (i + 2 == length || name[i + 2] == '/'))
            return true;
    return false;
}

static void refuse(struct compiled *out, int line, const char *name, size_t length)
{
    char message[400];
    struct text clean = { 0 };
    text_add_clean(&clean, name, length < 200 ? length : 200);
    format_into(
        message, sizeof message,
        "%s cannot be included: a kernel file stands alone. It may include CUDA's headers and those that "
        "come with warpbook, by their names.",
        text_string(&clean));
    text_free(&clean);
    compiled_add_diagnostic(out, SEVERITY_ERROR, line, 0, message);
}

// `at` is what follows the word; true when it may be included.
static bool look_at(const char *at, int line, struct compiled *out)
{
    const char *name = skip(at);
    char close = *name == '"' ? '"' : *name == '<' ? '>' : 0;
    size_t length = close ? strcspn(name + 1, close == '"' ? "\"\r\n" : ">\r\n") : strcspn(name, "\r\n");
    if (close && !leads_out(name + 1, length))
        return true;
    refuse(out, line, name, length + (close && name[length + 1] == close ? 2 : close != 0));
    return false;
}

// Words that ask whether a file is there: `__has_include("NAME")`, `#pragma GCC dependency "NAME"`.
static const char *asking(const char *text, const char *at)
{
    static const char *const words[] = { "__has_include_next", "__has_include", "__has_embed", "dependency" };
    if (at > text && (at[-1] == '_' || isalnum((unsigned char)at[-1])))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *name = string_starts(at, words[i]) ? skip(at + strlen(words[i])) : "";
        if (*name == '(')
            name = skip(name + 1);
        if (*name == '\\')
            name++; // in the text of _Pragma
        if (*name == '"' || *name == '<')
            return name;
    }
    return NULL;
}

// Whether `at` lies in a comment, as far as C's usual rules go; a compiler's may be others.
static bool in_comment(const char *text, const char *at)
{
    const char *piece_at = text;
    struct code_piece piece = piece_next(piece_at);
    while (piece.kind != PIECE_END && piece.at + piece.length <= at) {
        piece_at = piece.at + piece.length;
        piece = piece_next(piece_at);
    }
    return piece.kind == PIECE_COMMENT && piece.at < at;
}

bool include_allowed(const char *source, struct compiled *out)
{
    struct spliced spliced = splice(source);
    bool allowed = true, walled = confine_state().landlock > 0; // a compiler could read nothing else
    for (const char *at = spliced.text; *at; at++) {
        const char *asked = asking(spliced.text, at);
        if (asked && !look_at(asked, spliced.lines[at - spliced.text], out))
            allowed = false;
        size_t mark = *at == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : 0;
        const char *name = mark && begins_line(spliced.text, at) ? bringing(skip(at + mark)) : NULL;
        if (name && walled && in_comment(spliced.text, at))
            continue;
        if (name && !look_at(name, spliced.lines[at - spliced.text], out))
            allowed = false;
    }
    free(spliced.text);
    free(spliced.lines);
    return allowed;
}
