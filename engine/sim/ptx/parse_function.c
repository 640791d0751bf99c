// Functions: the head, then statements until the last '}'. A statement that cannot be understood becomes an
// instruction that says why; the function goes on behind it.
#include "engine/sim/ptx/parse.h"

#include <limits.h>
#include <string.h>

// ---- the head -----------------------------------------------------------------------------------------

// .maxntid 256, 1, 1: the product.
static bool take_threads(struct parser *p)
{
    uint64_t product = 1;
    do {
        uint64_t value;
        if (!expect_count(p, UINT32_MAX, &value))
            return false;
        product = product > INT_MAX ? product : product * value;
    } while (take_mark(p, ','));
    p->function.max_threads = product > INT_MAX ? INT_MAX : (int)product;
    return true;
}

// Directives between the parameters and the body; the unknown ones are hints for the code generator.
static bool parse_head_directives(struct parser *p)
{
    while (!at_mark(p, '{') && !at_mark(p, ';')) {
        bool threads = token_is(p, ".maxntid") || token_is(p, ".reqntid"), pragma = token_is(p, ".pragma");
        enum token_kind kind = p->lexer.token.kind;
        if (kind == TOKEN_END || kind == TOKEN_BAD || at_mark(p, '}'))
            return parse_expected(p, "the function's body");
        lex_next(&p->lexer);
        if (threads && !take_threads(p))
            return false;
        if (!pragma)
            continue;
        while (p->lexer.token.kind == TOKEN_STRING || at_mark(p, ','))
            lex_next(&p->lexer);
        if (!expect_mark(p, ';'))
            return false;
    }
    return true;
}

static bool parse_head(struct parser *p)
{
    struct ptx_function *function = &p->function;
    if (at_mark(p, '(') && !parse_formals(p, &function->returns, &function->return_count))
        return false;
    struct symbol *symbol = p->lexer.token.kind == TOKEN_NAME ? name_here(p) : NULL;
    if (!symbol)
        return parse_expected(p, "the function's name");
    function->name = symbol->name;
    lex_next(&p->lexer);
    if (at_mark(p, '(') && !parse_formals(p, &function->params, &function->param_count))
        return false;
    return parse_head_directives(p);
}

// ---- statements ---------------------------------------------------------------------------------------

static struct ptx_instruction *instruction_new(struct parser *p, int line)
{
    struct ptx_function *function = &p->function;
    function->instructions =
        parse_room(p, function->instructions, function->instruction_count, sizeof *function->instructions);
    if (!function->instructions)
        return NULL;
    struct ptx_instruction *in = &function->instructions[function->instruction_count];
    in->guard = -1;
    in->ptx_line = line;
    in->line = p->location;
    return in;
}

// The statement as one line: each run of white space is one space, comments are left out.
static const char *text_of(struct parser *p, const char *start, const char *end)
{
    char *text = parse_take(p, (size_t)(end - start) + 1), *to = text;
    if (!text)
        return NULL;
    for (const char *at = start; at < end; at++) {
        if (*at == '/' && end - at > 1 && (at[1] == '/' || at[1] == '*')) {
            struct lexer over = { .at = at, .end = end };
            lex_next(&over);
            at = over.token.start - 1;
        } else if ((unsigned char)*at > ' ') {
            *to++ = *at;
            continue;
        }
        if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *(to > text && to[-1] == ' ' ? to - 1 : to) = '\0';
    return text;
}

static bool parse_instruction_here(struct parser *p)
{
    const char *start = p->lexer.token.start;
    struct ptx_instruction *in = instruction_new(p, p->lexer.token.line);
    if (!in || !parse_instruction(p, in))
        return false;
    in->text = text_of(p, start, p->lexer.behind);
    p->function.instruction_count += in->text != NULL;
    return in->text != NULL;
}

static bool break_statement(struct parser *p, const struct lexer *start)
{
    lex_skip_statement(&p->lexer, start);
    struct ptx_instruction *in = instruction_new(p, start->token.line);
    if (!in)
        return false;
    in->broken = arena_copy(p->arena, p->trouble, strlen(p->trouble));
    in->text = text_of(p, start->token.start, p->lexer.behind);
    in->base = "";
    p->trouble[0] = '\0';
    p->function.instruction_count++;
    return in->text && in->broken;
}

static bool skip_pragma(struct parser *p)
{
    while (p->lexer.token.kind == TOKEN_STRING || at_mark(p, ','))
        lex_next(&p->lexer);
    return expect_mark(p, ';');
}

// A .loc has no end but that of its line; one that is wrong costs nothing but the line number.
static bool parse_loc_here(struct parser *p)
{
    struct lexer start = p->lexer;
    lex_next(&p->lexer);
    if (parse_loc(p) || p->failed)
        return !p->failed;
    lex_skip_statement(&p->lexer, &start);
    p->trouble[0] = '\0';
    return true;
}

static bool parse_directive(struct parser *p)
{
    if (token_is(p, ".loc"))
        return parse_loc_here(p);
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = { { ".param", SPACE_PARAM }, { ".shared", SPACE_SHARED }, { ".shared::cta", SPACE_SHARED },
                   { ".local", SPACE_LOCAL }, { ".global", SPACE_GLOBAL }, { ".const", SPACE_CONST } };
    bool external = token_is(p, ".extern");
    if (external)
        lex_next(&p->lexer);
    bool reg = token_is(p, ".reg"), pragma = token_is(p, ".pragma");
    enum ptx_space space = SPACE_GENERIC;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (token_is(p, spaces[i].name))
            space = spaces[i].space;
    if (!reg && !pragma && space == SPACE_GENERIC)
        return parse_expected(p, "a statement");
    lex_next(&p->lexer);
    if (reg)
        return parse_registers(p);
    return pragma ? skip_pragma(p) : parse_variables(p, space, external);
}

static bool parse_statement(struct parser *p)
{
    struct lexer start = p->lexer;
    bool understood;
    if (p->lexer.token.kind == TOKEN_DOT)
        understood = parse_directive(p);
    else if (p->lexer.token.kind == TOKEN_NAME && lex_is_before(&p->lexer, ':'))
        understood = parse_label(p);
    else
        understood = parse_instruction_here(p);
    return understood || (!p->failed && break_statement(p, &start));
}

static bool leave_block(struct parser *p)
{
    if (!labels_settle(p))
        return false;
    scope_close(p);
    return true;
}

// Behind the first '{', through the last '}'.
static bool parse_body(struct parser *p)
{
    int outside = p->depth;
    if (!scope_open(p))
        return false;
    while (p->depth > outside) {
        bool going = true;
        if (patience_over(&p->patience))
            return parse_fail(p, p->lexer.token.line, "reading it takes longer than %d s; make it shorter",
                              READ_SECONDS);
        if (p->lexer.token.kind == TOKEN_END)
            return parse_fail(
                p, p->lexer.token.line,
                "the text ends inside of function %.80s, which begins in line %d: a '}' is missing",
                p->function.name, p->function_line);
        if (take_mark(p, '{'))
            going = scope_open(p);
        else if (take_mark(p, '}'))
            going = leave_block(p);
        else if (!take_mark(p, ';'))
            going = parse_statement(p);
        if (!going)
            return false;
    }
    return true;
}

// ---- the function in the module -----------------------------------------------------------------------

// A declaration gives way to the definition, wherever that stands.
static bool add_function(struct parser *p)
{
    struct ptx_text *text = p->text;
    const struct ptx_function *function = &p->function;
    struct symbol *symbol = name_symbol(function->name);
    if (symbol->function) {
        struct ptx_function *before = &text->functions[symbol->function - 1];
        if (!before->declared && !function->declared)
            return parse_fail(p, p->function_line, "function %.80s is defined twice", function->name);
        if (before->declared)
            *before = *function;
        return true;
    }
    text->functions = parse_room(p, text->functions, text->function_count, sizeof *text->functions);
    if (!text->functions)
        return false;
    text->functions[text->function_count++] = *function;
    symbol->function = text->function_count;
    return true;
}

bool parse_function(struct parser *p, bool entry)
{
    p->function = (struct ptx_function){ .entry = entry };
    p->function_number++;
    p->function_line = p->lexer.token.line;
    p->location = 0;
    p->first_location = p->location_count;
    if (!scope_open(p) || !parse_head(p))
        return false;
    p->function.declared = take_mark(p, ';');
    if (!p->function.declared && (!expect_mark(p, '{') || !parse_body(p)))
        return false;
    scope_close(p);
    return add_function(p);
}
