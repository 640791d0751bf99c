// The lexer, and the base of the parser: errors, memory, the steps of recursive descent, the symbol table of interned names.
// The text is not terminated and may hold any bytes: nothing is read at or after `end`, and bytes that form no token become
// a TOKEN_BAD that says why.
#include "engine/sim/ptx/parser.h"

#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
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

// Skips the string or the comment that starts at `at`; false when none does.
static bool skip_opaque(struct lexer *lexer)
{
    if (*lexer->at != '"')
        return skip_comment(lexer);
    lexer->token = (struct ptx_token){ .start = lexer->at };
    take_string(lexer);
    return true;
}

void lex_skip_statement(struct lexer *lexer, const struct lexer *start)
{
    lexer->at = start->token.start;
    lexer->line = start->token.line;
    int open = 0, braces = 0;
    char last = ' ';
    while (lexer->at < lexer->end) {
        if (skip_opaque(lexer))
            continue;
        char c = *lexer->at;
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
        if (skip_opaque(lexer))
            continue;
        char c = *lexer->at;
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

// ---- the base of the parser: errors and memory ------------------------------------------------------------------------------------

static bool set_fault(struct ptx_parser *p, int line, const char *format, va_list arguments)
{
    if (!p->failed) {
        p->fault->line = line;
        vsnprintf(p->fault->text, sizeof p->fault->text, format, arguments);
    }
    p->failed = true;
    return false;
}

bool parse_fail(struct ptx_parser *p, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_fault(p, line, format, arguments);
    va_end(arguments);
    return false;
}

// Only the first error of a statement is kept; later ones follow from it.
bool parse_reject(struct ptx_parser *p, const char *format, ...)
{
    if (p->failed || p->error[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error, sizeof p->error, format, arguments);
    va_end(arguments);
    p->error_line = p->lexer.token.line;
    return false;
}

bool parse_expected(struct ptx_parser *p, const char *what)
{
    const struct ptx_token *token = &p->lexer.token;
    int length = token->length < 40 ? (int)token->length : 40;
    if (token->kind == TOKEN_END)
        return parse_reject(p, "%s is expected, but the text ends", what);
    if (token->kind == TOKEN_BAD)
        return parse_reject(p, "%s is expected, but there is %s", what, token->why);
    return parse_reject(p, "%s is expected, but there is '%.*s'", what, length, token->start);
}

void *parse_no_memory(struct ptx_parser *p)
{
    parse_fail(p, p->lexer.token.line,
               "reading it takes more memory than there is for it; shorten it, or allow more memory");
    return NULL;
}

void *parse_alloc(struct ptx_parser *p, size_t bytes)
{
    void *taken = arena_take(p->arena, bytes);
    return taken ? taken : parse_no_memory(p);
}

void *parse_grow(struct ptx_parser *p, void *items, size_t count, size_t item_bytes)
{
    void *room = arena_grow(p->arena, items, count, item_bytes);
    return room ? room : parse_no_memory(p);
}

// ---- accept, expect --------------------------------------------------------------------------------------------

bool parse_accept(struct ptx_parser *p, char mark)
{
    if (!parse_at(p, mark))
        return false;
    lex_next(&p->lexer);
    return true;
}

bool parse_expect(struct ptx_parser *p, char mark)
{
    const char what[] = { '\'', mark, '\'', '\0' };
    return parse_accept(p, mark) || parse_expected(p, what);
}

bool parse_at_word(const struct ptx_parser *p, const char *text)
{
    size_t length = strlen(text);
    return p->lexer.token.length == length && memcmp(p->lexer.token.start, text, length) == 0;
}

bool parse_count(struct ptx_parser *p, uint64_t most, uint64_t *out)
{
    const struct ptx_token *token = &p->lexer.token;
    if (token->kind != TOKEN_INTEGER)
        return parse_expected(p, "a number");
    if (token->bits > most)
        return parse_reject(p, "%" PRIu64 " is too large here (at most %" PRIu64 ")", token->bits, most);
    *out = token->bits;
    lex_next(&p->lexer);
    return true;
}

// ---- the symbol table -----------------------------------------------------------------------------------

enum { FIRST_SLOTS = 1024 };

static uint32_t hash_of(const char *start, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)start[i]) * 16777619u;
    return hash;
}

// Linear probing: the slot that holds the name, or the free one where it belongs.
static size_t slot_of(const struct symbol_table *table, uint32_t hash, const char *start, size_t length)
{
    size_t slot = (hash ^ hash >> 15) & (table->room - 1);
    for (;; slot = (slot + 1) & (table->room - 1)) {
        const struct ptx_symbol *symbol = table->slots[slot];
        if (!symbol ||
            (symbol->hash == hash && symbol->length == length && memcmp(symbol->name, start, length) == 0))
            return slot;
    }
}

static bool table_grow(struct ptx_parser *p)
{
    struct symbol_table *table = &p->symbols;
    size_t room = table->room ? table->room * 2 : FIRST_SLOTS;
    struct ptx_symbol **slots = parse_alloc(p, room * sizeof *slots);
    if (!slots)
        return false;
    struct symbol_table larger = {
        .slots = slots, .room = room, .count = table->count, .spare = table->spare
    };
    for (size_t i = 0; i < table->room; i++) {
        struct ptx_symbol *symbol = table->slots[i];
        if (symbol)
            slots[slot_of(&larger, symbol->hash, symbol->name, symbol->length)] = symbol;
    }
    *table = larger;
    return true;
}

static struct ptx_symbol *find(const struct ptx_parser *p, const char *start, size_t length)
{
    if (p->symbols.room == 0)
        return NULL;
    return p->symbols.slots[slot_of(&p->symbols, hash_of(start, length), start, length)];
}

struct ptx_symbol *symbol_intern(struct ptx_parser *p, const char *start, size_t length)
{
    if (p->symbols.count * 2 >= p->symbols.room && !table_grow(p))
        return NULL;
    uint32_t hash = hash_of(start, length);
    size_t slot = slot_of(&p->symbols, hash, start, length);
    if (p->symbols.slots[slot])
        return p->symbols.slots[slot];
    struct ptx_symbol *symbol = parse_alloc(p, sizeof *symbol + length + 1);
    if (!symbol)
        return NULL;
    symbol->hash = hash;
    symbol->length = (uint32_t)length;
    memcpy(symbol->name, start, length);
    p->symbols.slots[slot] = symbol;
    p->symbols.count++;
    return symbol;
}

struct ptx_symbol *symbol_here(struct ptx_parser *p)
{
    return symbol_intern(p, p->lexer.token.start, p->lexer.token.length);
}

struct ptx_symbol *symbol_of_name(const char *interned)
{
    return (struct ptx_symbol *)(void *)(uintptr_t)(interned - offsetof(struct ptx_symbol, name));
}

struct ptx_symbol *symbol_unique(struct ptx_parser *p, const struct ptx_symbol *symbol)
{
    char number[16];
    int digits = snprintf(number, sizeof number, "@%u", ++p->unique_count);
    char *name = parse_alloc(p, symbol->length + (size_t)digits + 1);
    if (!name)
        return NULL;
    memcpy(name, symbol->name, symbol->length);
    memcpy(name + symbol->length, number, (size_t)digits);
    struct ptx_symbol *unique = symbol_intern(p, name, symbol->length + (size_t)digits);
    if (unique)
        unique->unique = true;
    return unique;
}

// ---- registers ----------------------------------------------------------------------------------------

// "%r12" is number 12 of the family "%r" or number 2 of "%r1". "%r012" is not: no family has leading zeros.
static int family_register(const struct ptx_parser *p, const char *start, size_t length)
{
    int number = 0, scale = 1;
    size_t prefix = length;
    while (prefix > 1 && length - prefix < 7 && start[prefix - 1] >= '0' && start[prefix - 1] <= '9') {
        int digit = start[--prefix] - '0';
        number += digit * scale;
        scale *= 10;
        if (digit == 0 && length - prefix > 1)
            continue;
        const struct ptx_symbol *symbol = find(p, start, prefix);
        if (symbol && symbol->meaning.family && number < symbol->meaning.family_count)
            return symbol->meaning.family - 1 + number;
    }
    return -1;
}

int symbol_register(struct ptx_parser *p, const char *start, size_t length, struct ptx_symbol **symbol)
{
    *symbol = find(p, start, length);
    if (*symbol && (*symbol)->meaning.reg)
        return (*symbol)->meaning.reg - 1;
    char last = start[length - 1];
    return last >= '0' && last <= '9' ? family_register(p, start, length) : -1;
}
