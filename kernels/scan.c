// C text in pieces: enough of C's lexical rules to tell code from comments and literals. Never fails: an
// unclosed comment reaches to the end of the text, an unclosed literal to the end of its line.
#include "kernels/variant.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool byte_in_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t blank_length(const char *at)
{
    return strspn(at, " \t\r\n\v\f");
}

// A ' between two digits or letters of a number separates them: 1'000'000.
static size_t word_length(const char *at)
{
    bool number = is_digit(*at);
    size_t length = 0;
    while (byte_in_word(at[length]) || (number && at[length] == '\'' && byte_in_word(at[length + 1])))
        length++;
    return length;
}

static size_t comment_length(const char *at)
{
    if (at[1] == '/')
        return strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
}

static size_t literal_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != '\n' && at[length] != at[0])
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] == at[0] ? length + 1 : length;
}

struct piece piece_next(const char *at)
{
    if (!*at)
        return (struct piece){ PIECE_END, at, 0 };
    size_t blanks = blank_length(at);
    if (blanks)
        return (struct piece){ PIECE_BLANK, at, blanks };
    if (byte_in_word(*at))
        return (struct piece){ PIECE_WORD, at, word_length(at) };
    if (*at == '/' && (at[1] == '/' || at[1] == '*'))
        return (struct piece){ PIECE_COMMENT, at, comment_length(at) };
    if (*at == '"' || *at == '\'')
        return (struct piece){ PIECE_LITERAL, at, literal_length(at) };
    return (struct piece){ PIECE_SIGN, at, 1 };
}

bool piece_is(struct piece piece, const char *word)
{
    return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

void code_squeeze(const char *at, size_t length, struct text *out)
{
    const char *end = at + length;
    struct piece before = { PIECE_END, at, 0 };
    while (at < end) {
        struct piece piece = piece_next(at);
        at += piece.length;
        if (piece.kind == PIECE_END)
            break;
        if (piece.kind == PIECE_BLANK || piece.kind == PIECE_COMMENT)
            continue;
        if ((before.kind == PIECE_WORD && piece.kind == PIECE_WORD) || piece_is(before, ","))
            text_add(out, " ");
        text_add_n(out, piece.at, piece.length);
        before = piece;
    }
}
