// The lexer. The text is not terminated and may hold any bytes: nothing is read at or after `end`, and bytes that
// form no token become a TOKEN_BAD that says why.
#include "engine/sim/ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE = 1, LETTER = 2, DIGIT = 4, HEX = 8, NAMES = LETTER | DIGIT };
static const unsigned char classes[256] = {
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\n'] = SPACE,
    ['\v'] = SPACE,
    ['\f'] = SPACE,
    ['0' ... '9'] = DIGIT | HEX,
    ['a' ... 'f'] = LETTER | HEX,
    ['A' ... 'F'] = LETTER | HEX,
    ['g' ... 'z'] = LETTER,
    ['G' ... 'Z'] = LETTER,
    ['_'] = LETTER,
    ['$'] = LETTER,
};

static bool is(const struct lexer *lexer, const char *at, unsigned kind)
{
    return at < lexer->end && (classes[(unsigned char)*at] & kind);
}

void lex_start(struct lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct lexer){ .at = text, .end = text + length, .line = 1, .token_end = text };
    lex_next(lexer);
}

// ---- between tokens ---------------------------------------------------------------------------------

static void skip_comment_block(struct lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '\n')
            lexer->line++;
        if (*lexer->at == '*' && lexer->at + 1 < lexer->end && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
    }
}

// Skips the comment that starts at `at`; false when none does.
static bool skip_comment(struct lexer *lexer)
{
    if (lexer->end - lexer->at < 2 || lexer->at[0] != '/')
        return false;
    if (lexer->at[1] == '*') {
        skip_comment_block(lexer);
        return true;
    }
    if (lexer->at[1] != '/')
        return false;
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
    return true;
}

static void skip_space(struct lexer *lexer)
{
    do {
        while (is(lexer, lexer->at, SPACE))
            lexer->line += *lexer->at++ == '\n';
    } while (skip_comment(lexer));
}

// ---- numbers ----------------------------------------------------------------------------------------

static void bad(struct ptx_token *token, const char *why)
{
    token->kind = TOKEN_BAD;
    token->why = why;
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

// Reads the digits at `at` in this base; a number of more than 64 bits makes the token bad.
static void take_digits(struct lexer *lexer, unsigned base)
{
    struct ptx_token *token = &lexer->token;
    const char *first = lexer->at;
    uint64_t value = 0;
    bool fits = true;
    for (; is(lexer, lexer->at, HEX) && digit_value(*lexer->at) < base; lexer->at++) {
        fits = fits && value <= (UINT64_MAX - digit_value(*lexer->at)) / base;
        value = value * base + digit_value(*lexer->at);
    }
    token->bits = value;
    if (lexer->at == first)
        bad(token, "a number without digits");
    else if (!fits)
        bad(token, "a number that does not fit into 64 bits");
}

// 0f or 0d and the bits in hexadecimal.
static void take_float_bits(struct lexer *lexer, unsigned digits)
{
    const char *first = lexer->at;
    take_digits(lexer, 16);
    if (lexer->at - first != digits)
        bad(&lexer->token, "a floating-point literal with too few or too many digits");
    else if (lexer->token.kind != TOKEN_BAD)
        lexer->token.kind = digits == 8 ? TOKEN_SINGLE : TOKEN_DOUBLE;
}

// 1.5 or 2e-3, with a decimal point whatever the program's locale.
static void take_decimal(struct lexer *lexer)
{
    char copy[64];
    const char *at = lexer->token.start;
    bool exponent = true; // has digits
    while (is(lexer, at, DIGIT))
        at++;
    if (at < lexer->end && *at == '.')
        at++;
    while (is(lexer, at, DIGIT))
        at++;
    if (at < lexer->end && (*at | 0x20) == 'e') {
        at++;
        if (at < lexer->end && (*at == '+' || *at == '-'))
            at++;
        exponent = is(lexer, at, DIGIT);
        while (is(lexer, at, DIGIT))
            at++;
    }
    size_t length = (size_t)(at - lexer->token.start);
    lexer->at = at;
    locale_t plain =
        exponent && length < sizeof copy ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (!plain) {
        bad(&lexer->token, exponent ? "a number that is too long" : "a number without digits");
        return;
    }
    memcpy(copy, lexer->token.start, length);
    copy[length] = '\0';
    double value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    memcpy(&lexer->token.bits, &value, sizeof value);
    lexer->token.kind = TOKEN_DOUBLE;
}

static bool is_decimal(const struct lexer *lexer)
{
    const char *at = lexer->token.start;
    while (is(lexer, at, DIGIT))
        at++;
    return at < lexer->end && (*at == '.' || (*at | 0x20) == 'e');
}

static void take_number(struct lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    token->kind = TOKEN_INTEGER;
    char second = *lexer->at == '0' && lexer->end - lexer->at > 1 ? (char)(lexer->at[1] | 0x20) : ' ';
    if (strchr("xfdb", second)) {
        lexer->at += 2;
        if (second == 'f' || second == 'd')
            take_float_bits(lexer, second == 'f' ? 8 : 16);
        else
            take_digits(lexer, second == 'x' ? 16 : 2);
    } else if (is_decimal(lexer)) {
        take_decimal(lexer);
    } else {
        take_digits(lexer, *lexer->at == '0' ? 8 : 10);
    }
    if (token->kind == TOKEN_INTEGER && lexer->at < lexer->end && *lexer->at == 'U')
        lexer->at++;
    if (is(lexer, lexer->at, NAMES)) {
        while (is(lexer, lexer->at, NAMES))
            lexer->at++;
        if (token->kind != TOKEN_BAD)
            bad(token, "a number with letters after it");
    }
}

// ---- tokens -----------------------------------------------------------------------------------------

// Reads the characters of a dotted word; colons belong to it only in pairs.
static void take_word(struct lexer *lexer)
{
    for (;;) {
        while (is(lexer, lexer->at, NAMES))
            lexer->at++;
        if (lexer->end - lexer->at < 3 || lexer->at[0] != ':' || lexer->at[1] != ':' ||
            !is(lexer, lexer->at + 2, NAMES))
            return;
        lexer->at += 2;
    }
}

static void take_string(struct lexer *lexer)
{
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && lexer->end - at > 1 && at[1] != '\n' ? 2 : 1;
    if (at < lexer->end && *at == '"') {
        lexer->at = at + 1;
        lexer->token.kind = TOKEN_STRING;
    } else {
        lexer->at = at;
        bad(&lexer->token, "a string without its end");
    }
}

static void take_mark(struct lexer *lexer)
{
    unsigned char c = (unsigned char)*lexer->at++;
    if (c > ' ' && c < 0x7f) {
        lexer->token.kind = TOKEN_MARK;
        lexer->token.mark = (char)c;
    } else {
        bad(&lexer->token, "a byte that has no meaning in PTX");
    }
}

void lex_next(struct lexer *lexer)
{
    lexer->token_end = lexer->at;
    skip_space(lexer);
    struct ptx_token *token = &lexer->token;
    *token = (struct ptx_token){ .kind = TOKEN_END, .start = lexer->at, .line = lexer->line };
    if (lexer->at >= lexer->end)
        return;
    char c = *lexer->at;
    if (is(lexer, lexer->at, LETTER) || (c == '%' && is(lexer, lexer->at + 1, NAMES))) {
        token->kind = TOKEN_NAME;
        for (lexer->at++; is(lexer, lexer->at, NAMES);)
            lexer->at++;
    } else if (c == '.' && is(lexer, lexer->at + 1, NAMES)) {
        token->kind = TOKEN_DOT;
        lexer->at++;
        take_word(lexer);
    } else if (is(lexer, lexer->at, DIGIT)) {
        take_number(lexer);
    } else if (c == '"') {
        take_string(lexer);
    } else {
        take_mark(lexer);
    }
    token->length = (size_t)(lexer->at - token->start);
}

void lex_dotted(struct lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at == '.' && is(lexer, lexer->at + 1, NAMES)) {
        lexer->at++;
        take_word(lexer);
    }
    lexer->token.length = (size_t)(lexer->at - lexer->token.start);
}

bool lex_is_before(const struct lexer *lexer, char mark)
{
    struct lexer ahead = *lexer;
    skip_space(&ahead);
    return ahead.at < ahead.end && *ahead.at == mark;
}

// ---- skipping ---------------------------------------------------------------------------------------

static void skip_string(struct lexer *lexer)
{
    lexer->token = (struct ptx_token){ .start = lexer->at };
    take_string(lexer);
}

void lex_skip_statement(struct lexer *lexer, const struct lexer *start)
{
    lexer->at = start->token.start;
    lexer->line = start->token.line;
    int open = 0, braces = 0;
    char last = ' ';
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '"') {
            skip_string(lexer);
            continue;
        }
        if (c == '/' && skip_comment(lexer))
            continue;
        if ((c == '}' && braces == 0) || (c == '\n' && open + braces <= 0 && last != ','))
            break;
        lexer->at++;
        lexer->line += c == '\n';
        open += (c == '(' || c == '[') - (c == ')' || c == ']');
        braces += (c == '{') - (c == '}');
        if (c == ';')
            break;
        if (!(classes[(unsigned char)c] & SPACE))
            last = c;
    }
    lex_next(lexer);
}

bool lex_skip_block(struct lexer *lexer)
{
    int depth = 1;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '"') {
            skip_string(lexer);
            continue;
        }
        if (c == '/' && skip_comment(lexer))
            continue;
        lexer->at++;
        lexer->line += c == '\n';
        depth += (c == '{') - (c == '}');
        if (depth == 0) {
            lex_next(lexer);
            return true;
        }
    }
    lex_next(lexer);
    return false;
}
