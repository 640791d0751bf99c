// One instruction: @guard opcode.modifiers operands;
#include "engine/sim/ptx/parse.h"

#include <string.h>

// ---- the dotted word ----------------------------------------------------------------------------------

static bool add_modifier(struct parser *p, struct opcode *opcode, const char *start, size_t length)
{
    struct symbol *symbol = name_intern(p, start, length);
    if (!symbol)
        return false;
    if (opcode->modifier_count == PTX_MODIFIERS) {
        opcode->too_long = true;
        return true;
    }
    opcode->modifiers[opcode->modifier_count++] = symbol->name;
    enum ptx_type type = type_from_name(symbol->name);
    if (type != TYPE_NONE && opcode->type_count < 3)
        opcode->types[opcode->type_count++] = type;
    return true;
}

// Takes "ld.global.v4.f32" apart.
static struct opcode *opcode_new(struct parser *p, const char *word, size_t length)
{
    struct opcode *opcode = parse_take(p, sizeof *opcode);
    const char *end = word + length, *dot = memchr(word, '.', length);
    struct symbol *base = opcode ? name_intern(p, word, (size_t)((dot ? dot : end) - word)) : NULL;
    if (!base)
        return NULL;
    opcode->base = base->name;
    while (dot) {
        const char *start = dot + 1;
        dot = memchr(start, '.', (size_t)(end - start));
        if (!add_modifier(p, opcode, start, (size_t)((dot ? dot : end) - start)))
            return NULL;
    }
    return opcode;
}

// The same words come again and again, so what one means is kept with its name.
static const struct opcode *opcode_here(struct parser *p)
{
    lex_dotted(&p->lexer);
    struct symbol *symbol = name_here(p);
    if (!symbol)
        return NULL;
    if (!symbol->opcode)
        symbol->opcode = opcode_new(p, symbol->name, symbol->length);
    return symbol->opcode;
}

static bool parse_opcode(struct parser *p, struct ptx_instruction *out)
{
    if (p->lexer.token.kind != TOKEN_NAME)
        return parse_expected(p, "an instruction");
    const struct opcode *opcode = opcode_here(p);
    if (!opcode)
        return false;
    lex_next(&p->lexer);
    struct opcode loose = *opcode;
    while (p->lexer.token.kind == TOKEN_DOT) { // "add .s32": a space in front of the dot
        if (!add_modifier(p, &loose, p->lexer.token.start + 1, p->lexer.token.length - 1))
            return false;
        lex_next(&p->lexer);
    }
    out->base = loose.base;
    memcpy(out->modifiers, loose.modifiers, sizeof out->modifiers);
    memcpy(out->types, loose.types, sizeof out->types);
    out->modifier_count = loose.modifier_count;
    out->type_count = loose.type_count;
    return !loose.too_long || parse_trouble(p, "more than %d modifiers", PTX_MODIFIERS);
}

static bool parse_guard(struct parser *p, struct ptx_instruction *out)
{
    out->guard = -1;
    if (!take_mark(p, '@'))
        return true;
    out->guard_negated = take_mark(p, '!');
    const struct token *token = &p->lexer.token;
    struct symbol *symbol;
    int reg = token->kind == TOKEN_NAME ? name_register(p, token->start, token->length, &symbol) : -1;
    if (reg < 0)
        return parse_expected(p, "a declared predicate behind '@'");
    if (p->function.registers[reg].type != TYPE_PRED)
        return parse_trouble(p, "%.80s behind '@' is no predicate", p->function.registers[reg].name);
    out->guard = reg;
    lex_next(&p->lexer);
    return true;
}

// ---- operands -----------------------------------------------------------------------------------------

static bool parse_operands(struct parser *p, struct ptx_instruction *out)
{
    if (at_mark(p, ';'))
        return true;
    do {
        if (out->operand_count == PTX_OPERANDS)
            return parse_trouble(p, "more than %d operands", PTX_OPERANDS);
        if (!parse_operand(p, &out->operands[out->operand_count]))
            return false;
        out->operand_count++;
    } while (take_mark(p, ','));
    return true;
}

// Behind the '(' of a call, through the ')'.
static bool parse_list(struct parser *p, struct ptx_operand **items, int *count)
{
    if (take_mark(p, ')'))
        return true;
    do {
        *items = parse_room(p, *items, (size_t)*count, sizeof **items);
        if (!*items || !parse_operand(p, &(*items)[*count]))
            return false;
        ++*count;
    } while (take_mark(p, ','));
    return expect_mark(p, ')');
}

// call (ret), function, (arguments), prototype; every part but the function may be missing.
static bool parse_call(struct parser *p, struct ptx_instruction *out)
{
    if (take_mark(p, '(') &&
        (!parse_list(p, &out->call_returns, &out->call_return_count) || !expect_mark(p, ',')))
        return false;
    if (!parse_operand(p, &out->operands[0]))
        return false;
    out->operand_count = 1;
    if (!take_mark(p, ','))
        return true;
    if (take_mark(p, '(')) {
        if (!parse_list(p, &out->call_arguments, &out->call_argument_count))
            return false;
        if (!take_mark(p, ','))
            return true;
    }
    if (!parse_operand(p, &out->operands[1]))
        return false;
    out->operand_count = 2;
    return true;
}

bool parse_instruction(struct parser *p, struct ptx_instruction *out)
{
    if (!parse_guard(p, out) || !parse_opcode(p, out))
        return false;
    bool call = strcmp(out->base, "call") == 0;
    return (call ? parse_call(p, out) : parse_operands(p, out)) && expect_mark(p, ';');
}
