// Operands: registers, numbers, symbols, addresses, vectors, pairs. What an instruction may combine is not
// decided here.
#include "engine/sim/ptx/parse.h"

#include <string.h>

// Special registers by the part of their name in front of a dot or a number.
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

// An integer with signs, as the bits of two's complement.
static bool take_integer(struct parser *p, uint64_t *out)
{
    bool minus = false;
    while (at_mark(p, '-') || at_mark(p, '+')) {
        minus ^= at_mark(p, '-');
        lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_INTEGER)
        return parse_expected(p, "a whole number");
    *out = minus ? 0 - p->lexer.token.bits : p->lexer.token.bits;
    lex_next(&p->lexer);
    return true;
}

// + 4, - 4, +-4, any number of them.
bool parse_offset(struct parser *p, int64_t *offset)
{
    while (at_mark(p, '+') || at_mark(p, '-')) {
        uint64_t bits = 0;
        if (!take_integer(p, &bits))
            return false;
        *offset = (int64_t)((uint64_t)*offset + bits);
    }
    return true;
}

static bool parse_number(struct parser *p, struct ptx_operand *out)
{
    bool minus = false, flip = false;
    for (;; lex_next(&p->lexer)) {
        if (at_mark(p, '-'))
            minus = !minus;
        else if (at_mark(p, '~'))
            flip = true;
        else
            break;
    }
    const struct token *token = &p->lexer.token;
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

static bool parse_special(struct parser *p, struct ptx_operand *out)
{
    lex_dotted(&p->lexer);
    const struct token *token = &p->lexer.token;
    if (!is_special(token->start, token->length))
        return parse_trouble(p, "register %.*s is not declared",
                             (int)(token->length < 80 ? token->length : 80), token->start);
    struct symbol *symbol = name_here(p);
    if (!symbol)
        return false;
    out->kind = OPERAND_SPECIAL;
    out->name = symbol->name;
    lex_next(&p->lexer);
    return true;
}

static bool parse_symbol(struct parser *p, struct symbol *symbol, struct ptx_operand *out)
{
    if (!symbol && !(symbol = name_here(p)))
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

static bool parse_name(struct parser *p, struct ptx_operand *out)
{
    const struct token *token = &p->lexer.token;
    struct symbol *symbol;
    out->reg = name_register(p, token->start, token->length, &symbol);
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

// One value: no vector, no pair, no address.
static bool parse_single(struct parser *p, struct ptx_operand *out)
{
    out->reg = -1;
    if (p->lexer.token.kind == TOKEN_NAME)
        return parse_name(p, out);
    if (!take_mark(p, '!'))
        return parse_number(p, out);
    if (p->lexer.token.kind != TOKEN_NAME || !parse_name(p, out))
        return parse_expected(p, "a predicate behind '!'");
    out->negated = true;
    return out->kind == OPERAND_REGISTER ||
           parse_trouble(p, "'!' stands in front of something else than a register");
}

// ---- more than one value ------------------------------------------------------------------------------

static struct ptx_operand *part_new(struct parser *p, struct ptx_operand *whole)
{
    whole->parts = parse_room(p, whole->parts, (size_t)whole->part_count, sizeof *whole->parts);
    return whole->parts ? &whole->parts[whole->part_count++] : NULL;
}

// Behind the '{'.
static bool parse_vector(struct parser *p, struct ptx_operand *out)
{
    out->kind = OPERAND_VECTOR;
    out->reg = -1;
    do {
        struct ptx_operand *part = part_new(p, out);
        if (!part || !parse_single(p, part))
            return false;
    } while (take_mark(p, ','));
    return expect_mark(p, '}');
}

// What stands behind the base of an address: the coordinates of a texture, for example.
static bool parse_address_parts(struct parser *p, struct ptx_operand *out)
{
    while (take_mark(p, ',')) {
        struct ptx_operand *part = part_new(p, out);
        if (!part || !(take_mark(p, '{') ? parse_vector(p, part) : parse_single(p, part)))
            return false;
    }
    return true;
}

// Behind the '['.
static bool parse_address(struct parser *p, struct ptx_operand *out)
{
    if (!parse_single(p, out))
        return false;
    if (out->kind == OPERAND_IMMEDIATE && !out->is_single && !out->is_double)
        out->offset = (int64_t)out->bits;
    else if (out->kind != OPERAND_REGISTER && out->kind != OPERAND_SYMBOL)
        return parse_trouble(p, "an address is a register, a variable or a number");
    out->kind = OPERAND_MEMORY;
    return parse_offset(p, &out->offset) && parse_address_parts(p, out) && expect_mark(p, ']');
}

// first | second
static bool parse_pair(struct parser *p, struct ptx_operand *out)
{
    struct ptx_operand first = *out;
    *out = (struct ptx_operand){ .kind = OPERAND_PAIR, .reg = -1 };
    struct ptx_operand *parts = parse_take(p, 2 * sizeof *parts);
    if (!parts)
        return false;
    parts[0] = first;
    out->parts = parts;
    out->part_count = 2;
    return parse_single(p, &parts[1]);
}

bool parse_operand(struct parser *p, struct ptx_operand *out)
{
    if (take_mark(p, '['))
        return parse_address(p, out);
    if (take_mark(p, '{'))
        return parse_vector(p, out);
    return parse_single(p, out) && (!take_mark(p, '|') || parse_pair(p, out));
}
