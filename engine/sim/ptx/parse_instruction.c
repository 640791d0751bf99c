// Instructions: @guard opcode.modifiers operands; with operands that are registers, numbers, symbols, addresses,
// vectors or pairs. Which combinations an instruction allows is decided by its decoder, not here.
#include "engine/sim/ptx/parser.h"

#include <string.h>

// ---- special registers ----------------------------------------------------------------------------------------

// The part of their names before a dot or a number.
static const char *const specials[] = { "tid",
                                        "ntid",
                                        "ctaid",
                                        "nctaid",
                                        "laneid",
                                        "warpid",
                                        "nwarpid",
                                        "smid",
                                        "nsmid",
                                        "gridid",
                                        "lanemask_eq",
                                        "lanemask_le",
                                        "lanemask_lt",
                                        "lanemask_ge",
                                        "lanemask_gt",
                                        "clock",
                                        "clock_hi",
                                        "clock64",
                                        "globaltimer",
                                        "globaltimer_lo",
                                        "clusterid",
                                        "nclusterid",
                                        "cluster_ctaid",
                                        "cluster_nctaid",
                                        "cluster_ctarank",
                                        "globaltimer_hi",
                                        "cluster_nctarank",
                                        "is_explicit_cluster",
                                        "total_smem_size",
                                        "aggr_smem_size",
                                        "dynamic_smem_size",
                                        "current_graph_exec",
                                        NULL };
static const char *const special_families[] = { "envreg", "pm", "reserved_smem_offset_", NULL };

static bool is_special(const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    size_t stem = dot ? (size_t)(dot - name) : length;
    if (dot && (length != stem + 2 || !strchr("xyzw", dot[1])))
        return false;
    for (int i = 0; specials[i]; i++)
        if (strlen(specials[i]) + 1 == stem && memcmp(specials[i], name + 1, stem - 1) == 0)
            return true;
    for (int i = 0; special_families[i]; i++) {
        size_t prefix = strlen(special_families[i]);
        if (stem > prefix + 1 && memcmp(special_families[i], name + 1, prefix) == 0)
            return true;
    }
    return false;
}

// ---- numbers ------------------------------------------------------------------------------------------

// An integer with any number of signs, as the bits of its two's complement.
static bool take_integer(struct ptx_parser *p, uint64_t *out)
{
    bool minus = false;
    while (parse_at(p, '-') || parse_at(p, '+')) {
        minus ^= parse_at(p, '-');
        lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_INTEGER)
        return parse_expected(p, "a whole number");
    *out = minus ? 0 - p->lexer.token.bits : p->lexer.token.bits;
    lex_next(&p->lexer);
    return true;
}

bool parse_offset(struct ptx_parser *p, int64_t *offset)
{
    while (parse_at(p, '+') || parse_at(p, '-')) {
        uint64_t bits = 0;
        if (!take_integer(p, &bits))
            return false;
        *offset = (int64_t)((uint64_t)*offset + bits);
    }
    return true;
}

static bool parse_number(struct ptx_parser *p, struct ptx_operand *out)
{
    bool minus = false, flip = false;
    for (;; lex_next(&p->lexer)) {
        if (parse_at(p, '-'))
            minus = !minus;
        else if (parse_at(p, '~'))
            flip = true;
        else
            break;
    }
    const struct ptx_token *token = &p->lexer.token;
    bool whole = token->kind == TOKEN_INTEGER;
    if (!whole && (flip || (token->kind != TOKEN_SINGLE && token->kind != TOKEN_DOUBLE)))
        return parse_expected(p, "a number");
    out->kind = OPERAND_IMMEDIATE;
    out->is_single = token->kind == TOKEN_SINGLE;
    out->is_double = token->kind == TOKEN_DOUBLE;
    out->bits = token->bits;
    if (minus && whole)
        out->bits = 0 - out->bits;
    else if (minus)
        out->bits ^= out->is_single ? 1ull << 31 : 1ull << 63;
    if (flip)
        out->bits = ~out->bits;
    lex_next(&p->lexer);
    return true;
}

// ---- names --------------------------------------------------------------------------------------------

static bool parse_special(struct ptx_parser *p, struct ptx_operand *out)
{
    lex_dotted(&p->lexer);
    const struct ptx_token *token = &p->lexer.token;
    if (!is_special(token->start, token->length))
        return parse_reject(p, "register %.*s is not declared",
                            (int)(token->length < 80 ? token->length : 80), token->start);
    struct ptx_symbol *symbol = symbol_here(p);
    if (!symbol)
        return false;
    out->kind = OPERAND_SPECIAL;
    out->name = symbol->name;
    lex_next(&p->lexer);
    return true;
}

static bool parse_symbol(struct ptx_parser *p, struct ptx_symbol *symbol, struct ptx_operand *out)
{
    if (!symbol && !(symbol = symbol_here(p)))
        return false;
    lex_next(&p->lexer);
    if (strcmp(symbol->name, "WARP_SZ") == 0) {
        out->kind = OPERAND_IMMEDIATE;
        out->bits = 32;
        return true;
    }
    out->kind = OPERAND_SYMBOL;
    out->name = symbol->meaning.variable ? symbol->meaning.variable : symbol->name;
    return parse_offset(p, &out->offset);
}

static bool parse_name(struct ptx_parser *p, struct ptx_operand *out)
{
    const struct ptx_token *token = &p->lexer.token;
    struct ptx_symbol *symbol;
    out->reg = symbol_register(p, token->start, token->length, &symbol);
    if (out->reg >= 0) {
        out->kind = OPERAND_REGISTER;
        lex_next(&p->lexer);
        return true;
    }
    if (token->length == 1 && *token->start == '_') {
        out->kind = OPERAND_SINK;
        lex_next(&p->lexer);
        return true;
    }
    return *token->start == '%' ? parse_special(p, out) : parse_symbol(p, symbol, out);
}

// A single value: neither a vector nor a pair nor an address.
static bool parse_single(struct ptx_parser *p, struct ptx_operand *out)
{
    out->reg = -1;
    if (p->lexer.token.kind == TOKEN_NAME)
        return parse_name(p, out);
    if (!parse_accept(p, '!'))
        return parse_number(p, out);
    if (p->lexer.token.kind != TOKEN_NAME || !parse_name(p, out))
        return parse_expected(p, "a predicate after '!'");
    out->negated = true;
    return out->kind == OPERAND_REGISTER || parse_reject(p, "'!' is not followed by a register");
}

// ---- more than one value ------------------------------------------------------------------------------

static struct ptx_operand *part_new(struct ptx_parser *p, struct ptx_operand *whole)
{
    whole->parts = parse_grow(p, whole->parts, (size_t)whole->part_count, sizeof *whole->parts);
    return whole->parts ? &whole->parts[whole->part_count++] : NULL;
}

// After the '{'.
static bool parse_vector(struct ptx_parser *p, struct ptx_operand *out)
{
    out->kind = OPERAND_VECTOR;
    out->reg = -1;
    do {
        struct ptx_operand *part = part_new(p, out);
        if (!part || !parse_single(p, part))
            return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, '}');
}

// The parts of an address that follow its base: a texture's coordinates, for example.
static bool parse_address_parts(struct ptx_parser *p, struct ptx_operand *out)
{
    while (parse_accept(p, ',')) {
        struct ptx_operand *part = part_new(p, out);
        if (!part || !(parse_accept(p, '{') ? parse_vector(p, part) : parse_single(p, part)))
            return false;
    }
    return true;
}

// After the '['.
static bool parse_address(struct ptx_parser *p, struct ptx_operand *out)
{
    if (!parse_single(p, out))
        return false;
    if (out->kind == OPERAND_IMMEDIATE && !out->is_single && !out->is_double)
        out->offset = (int64_t)out->bits;
    else if (out->kind != OPERAND_REGISTER && out->kind != OPERAND_SYMBOL)
        return parse_reject(p, "an address is a register, a variable or a number");
    out->kind = OPERAND_MEMORY;
    return parse_offset(p, &out->offset) && parse_address_parts(p, out) && parse_expect(p, ']');
}

// After the '|' of first|second; *out holds the first.
static bool parse_pair(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_operand first = *out;
    *out = (struct ptx_operand){ .kind = OPERAND_PAIR, .reg = -1 };
    struct ptx_operand *parts = parse_alloc(p, 2 * sizeof *parts);
    if (!parts)
        return false;
    parts[0] = first;
    out->parts = parts;
    out->part_count = 2;
    return parse_single(p, &parts[1]);
}

bool parse_operand(struct ptx_parser *p, struct ptx_operand *out)
{
    if (parse_accept(p, '['))
        return parse_address(p, out);
    if (parse_accept(p, '{'))
        return parse_vector(p, out);
    return parse_single(p, out) && (!parse_accept(p, '|') || parse_pair(p, out));
}

// ---- opcodes --------------------------------------------------------------------------------------------------

static bool add_modifier(struct ptx_parser *p, struct ptx_opcode *opcode, const char *start, size_t length)
{
    struct ptx_symbol *symbol = symbol_intern(p, start, length);
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

// Splits "ld.global.v4.f32" at its dots.
static struct ptx_opcode *opcode_new(struct ptx_parser *p, const char *word, size_t length)
{
    struct ptx_opcode *opcode = parse_alloc(p, sizeof *opcode);
    const char *end = word + length, *dot = memchr(word, '.', length);
    struct ptx_symbol *base = opcode ? symbol_intern(p, word, (size_t)((dot ? dot : end) - word)) : NULL;
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

// A text repeats few opcodes many times, so each is split once and kept with its symbol.
static const struct ptx_opcode *opcode_here(struct ptx_parser *p)
{
    lex_dotted(&p->lexer);
    struct ptx_symbol *symbol = symbol_here(p);
    if (!symbol)
        return NULL;
    if (!symbol->opcode)
        symbol->opcode = opcode_new(p, symbol->name, symbol->length);
    return symbol->opcode;
}

static bool parse_opcode(struct ptx_parser *p, struct ptx_instruction *out)
{
    if (p->lexer.token.kind != TOKEN_NAME)
        return parse_expected(p, "an instruction");
    const struct ptx_opcode *opcode = opcode_here(p);
    if (!opcode)
        return false;
    lex_next(&p->lexer);
    struct ptx_opcode loose = *opcode;
    while (p->lexer.token.kind == TOKEN_DOT) { // "add .s32": a space before the dot
        if (!add_modifier(p, &loose, p->lexer.token.start + 1, p->lexer.token.length - 1))
            return false;
        lex_next(&p->lexer);
    }
    out->base = loose.base;
    memcpy(out->modifiers, loose.modifiers, sizeof out->modifiers);
    memcpy(out->types, loose.types, sizeof out->types);
    out->modifier_count = loose.modifier_count;
    out->type_count = loose.type_count;
    return !loose.too_long || parse_reject(p, "more than %d modifiers", PTX_MODIFIERS);
}

static bool parse_guard(struct ptx_parser *p, struct ptx_instruction *out)
{
    out->guard = -1;
    if (!parse_accept(p, '@'))
        return true;
    out->guard_negated = parse_accept(p, '!');
    const struct ptx_token *token = &p->lexer.token;
    struct ptx_symbol *symbol;
    int reg = token->kind == TOKEN_NAME ? symbol_register(p, token->start, token->length, &symbol) : -1;
    if (reg < 0)
        return parse_expected(p, "a declared predicate after '@'");
    if (p->function.registers[reg].type != TYPE_PRED)
        return parse_reject(p, "%.80s after '@' is not a predicate", p->function.registers[reg].name);
    out->guard = reg;
    lex_next(&p->lexer);
    return true;
}

// ---- the whole instruction -----------------------------------------------------------------------------------------

static bool parse_operands(struct ptx_parser *p, struct ptx_instruction *out)
{
    if (parse_at(p, ';'))
        return true;
    do {
        if (out->operand_count == PTX_OPERANDS)
            return parse_reject(p, "more than %d operands", PTX_OPERANDS);
        if (!parse_operand(p, &out->operands[out->operand_count]))
            return false;
        out->operand_count++;
    } while (parse_accept(p, ','));
    return true;
}

// After the '(' of a call, through its ')'.
static bool parse_list(struct ptx_parser *p, struct ptx_operand **items, int *count)
{
    if (parse_accept(p, ')'))
        return true;
    do {
        *items = parse_grow(p, *items, (size_t)*count, sizeof **items);
        if (!*items || !parse_operand(p, &(*items)[*count]))
            return false;
        ++*count;
    } while (parse_accept(p, ','));
    return parse_expect(p, ')');
}

// call (ret), function, (arguments), prototype; every part but the function may be missing.
static bool parse_call(struct ptx_parser *p, struct ptx_instruction *out)
{
    if (parse_accept(p, '(') &&
        (!parse_list(p, &out->call_returns, &out->call_return_count) || !parse_expect(p, ',')))
        return false;
    if (!parse_operand(p, &out->operands[0]))
        return false;
    out->operand_count = 1;
    if (!parse_accept(p, ','))
        return true;
    if (parse_accept(p, '(')) {
        if (!parse_list(p, &out->call_arguments, &out->call_argument_count))
            return false;
        if (!parse_accept(p, ','))
            return true;
    }
    if (!parse_operand(p, &out->operands[1]))
        return false;
    out->operand_count = 2;
    return true;
}

bool parse_instruction(struct ptx_parser *p, struct ptx_instruction *out)
{
    if (!parse_guard(p, out) || !parse_opcode(p, out))
        return false;
    bool call = strcmp(out->base, "call") == 0;
    return (call ? parse_call(p, out) : parse_operands(p, out)) && parse_expect(p, ';');
}
