// .reg: single registers and numbered families, each with a row of its own in the function, also where scopes
// use a name twice.
#include "engine/sim/ptx/parse.h"

#include <string.h>

static bool add(struct parser *p, const char *name, enum ptx_type type)
{
    struct ptx_function *function = &p->function;
    if (function->register_count == PARSE_REGISTERS)
        return parse_fail(p, p->lexer.token.line, "function %.80s declares more than %d registers",
                          function->name, PARSE_REGISTERS);
    function->registers =
        parse_room(p, function->registers, function->register_count, sizeof *function->registers);
    if (!function->registers)
        return false;
    function->registers[function->register_count++] = (struct ptx_register){ .name = name, .type = type };
    return true;
}

static bool add_one(struct parser *p, struct symbol *symbol, enum ptx_type type)
{
    struct meaning *meaning = add(p, symbol->name, type) ? scope_declare(p, symbol) : NULL;
    if (!meaning)
        return false;
    *meaning = (struct meaning){ .reg = (int)p->function.register_count,
                                 .family = meaning->family,
                                 .family_count = meaning->family_count };
    return true;
}

// Writes the number, at most PARSE_REGISTERS, and the end behind it.
static void write_number(char *to, unsigned number)
{
    int digits = 1;
    for (unsigned rest = number / 10; rest; rest /= 10)
        digits++;
    to[digits] = '\0';
    for (; digits > 0; number /= 10)
        to[--digits] = (char)('0' + number % 10);
}

// %r<count> declares %r0 … ; their names lie side by side in one piece of memory.
static bool add_family(struct parser *p, struct symbol *symbol, uint64_t count, enum ptx_type type)
{
    enum { DIGITS = 8 };
    if (count > PARSE_REGISTERS)
        return parse_fail(p, p->lexer.token.line,
                          "%.40s<%llu>: at most %d registers of a kind can be declared", symbol->name,
                          (unsigned long long)count, PARSE_REGISTERS);
    size_t each = symbol->length + DIGITS;
    char *names = parse_take(p, each * count);
    struct meaning *meaning = names ? scope_declare(p, symbol) : NULL;
    if (!meaning)
        return false;
    meaning->family = (int)p->function.register_count + 1;
    meaning->family_count = (int)count;
    for (uint64_t i = 0; i < count; i++) {
        char *name = names + i * each;
        memcpy(name, symbol->name, symbol->length);
        write_number(name + symbol->length, (unsigned)i);
        if (!add(p, name, type))
            return false;
    }
    return true;
}

static bool declare(struct parser *p, enum ptx_type type)
{
    if (p->lexer.token.kind != TOKEN_NAME)
        return parse_expected(p, "a register's name");
    struct symbol *symbol = name_here(p);
    if (!symbol)
        return false;
    lex_next(&p->lexer);
    if (!take_mark(p, '<'))
        return add_one(p, symbol, type);
    uint64_t count;
    return expect_count(p, UINT64_MAX, &count) && expect_mark(p, '>') && add_family(p, symbol, count, type);
}

bool parse_registers(struct parser *p)
{
    struct symbol *name = p->lexer.token.kind == TOKEN_DOT ? name_here(p) : NULL;
    if (p->failed)
        return false;
    enum ptx_type type = name ? type_from_name(name->name + 1) : TYPE_NONE;
    if (type == TYPE_NONE)
        return parse_expected(p, "a register's type, like .b32,");
    lex_next(&p->lexer);
    do {
        if (!declare(p, type))
            return false;
    } while (take_mark(p, ','));
    return expect_mark(p, ';');
}
