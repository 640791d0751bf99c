// The base of the parser: errors, memory, the steps of recursive descent (accept, expect), and the symbol table of
// interned names.
#include "engine/sim/ptx/parser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 }; // of the symbol table

// ---- errors and memory ------------------------------------------------------------------------------------

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
    parse_fail(p, p->lexer.token.line, "reading it would take more memory than there is for it");
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

// ---- interning ----------------------------------------------------------------------------------------

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
