// Variables in .global, .const, .shared, .local and .param, and formal parameters.
#include "engine/sim/ptx/parse.h"

#include <string.h>

enum { DIMENSIONS = 4 };
#define MOST_BYTES (1ull << 36)

// What stands in front of the names: .align 8 .v2 .b32
struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    size_t align, vector;
    bool external;
};

// ---- in front of the name -----------------------------------------------------------------------------

static bool take_align(struct parser *p, size_t *align)
{
    uint64_t value;
    if (!expect_count(p, 1 << 20, &value))
        return false;
    if (value == 0 || (value & (value - 1)))
        return parse_trouble(p, "an alignment of %llu is no power of two", (unsigned long long)value);
    *align = (size_t)value;
    return true;
}

// What a parameter points to is of no use here: .ptr .global .align 4
static bool skip_pointee(struct parser *p)
{
    size_t align;
    while (p->lexer.token.kind == TOKEN_DOT) {
        bool aligned = token_is(p, ".align");
        lex_next(&p->lexer);
        if (aligned && !take_align(p, &align))
            return false;
    }
    return true;
}

static bool skip_parentheses(struct parser *p)
{
    int depth = 0;
    do {
        depth += at_mark(p, '(') - at_mark(p, ')');
        if (p->lexer.token.kind == TOKEN_END || at_mark(p, ';'))
            return parse_expected(p, "')'");
        lex_next(&p->lexer);
    } while (depth > 0);
    return true;
}

static bool take_type(struct parser *p, struct declaration *d)
{
    static const char *const opaque[] = { ".texref", ".surfref", ".samplerref" };
    const struct symbol *symbol = name_here(p);
    if (!symbol)
        return false;
    d->type = type_from_name(symbol->name + 1);
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++)
        if (strcmp(symbol->name, opaque[i]) == 0)
            d->type = TYPE_B64;
    if (d->type == TYPE_NONE || d->type == TYPE_PRED)
        return parse_expected(p, "a type, like .b32,");
    return true;
}

static bool parse_declaration(struct parser *p, struct declaration *d)
{
    while (p->lexer.token.kind == TOKEN_DOT) {
        bool align = token_is(p, ".align"), pointee = token_is(p, ".ptr"), hint = token_is(p, ".attribute");
        if (token_is(p, ".v2") || token_is(p, ".v4"))
            d->vector = (size_t)(p->lexer.token.start[2] - '0');
        else if (!align && !pointee && !hint && !take_type(p, d))
            return false;
        lex_next(&p->lexer);
        if ((align && !take_align(p, &d->align)) || (pointee && !skip_pointee(p)) ||
            (hint && !skip_parentheses(p)))
            return false;
    }
    return d->type != TYPE_NONE || parse_expected(p, "the variable's type");
}

// ---- the name and what follows it ---------------------------------------------------------------------

// The name stands for the variable from here on. In a function, one that is taken already gets a unique name.
static const char *declare(struct parser *p, struct symbol *symbol)
{
    struct symbol *known = symbol;
    if (p->depth > 0) {
        if (symbol->taken_in == p->function_number || symbol->variable)
            known = name_unique(p, symbol);
        symbol->taken_in = p->function_number;
    }
    struct meaning *meaning = known ? scope_declare(p, symbol) : NULL;
    if (!meaning)
        return NULL;
    *meaning = (struct meaning){ .variable = known->name };
    return known->name;
}

// [4][8] makes the sizes of its items from the last to the first: 8 elements, one element.
static bool parse_dimensions(struct parser *p, struct ptx_variable *v, size_t element, size_t *items,
                             int *count)
{
    uint64_t length[DIMENSIONS] = { 0 };
    int dimensions = 0;
    while (take_mark(p, '[')) {
        if (dimensions == DIMENSIONS)
            return parse_trouble(p, "%.80s has more than %d dimensions", v->name, DIMENSIONS);
        if (dimensions == 0 && at_mark(p, ']'))
            v->unsized = true;
        else if (!expect_count(p, MOST_BYTES, &length[dimensions]))
            return false;
        dimensions++;
        if (!expect_mark(p, ']'))
            return false;
    }
    uint64_t bytes = element;
    for (int d = dimensions - 1; d >= 0; d--) {
        items[d] = (size_t)bytes;
        if (length[d] && bytes > MOST_BYTES / length[d])
            return parse_trouble(p, "%.80s is larger than 2^36 bytes", v->name);
        bytes *= length[d];
    }
    v->bytes = (size_t)bytes;
    *count = dimensions;
    return true;
}

static bool parse_variable(struct parser *p, const struct declaration *d, struct ptx_variable *v)
{
    size_t items[DIMENSIONS + 1];
    int dimensions = 0;
    struct symbol *symbol = p->lexer.token.kind == TOKEN_NAME ? name_here(p) : NULL;
    if (!symbol)
        return parse_expected(p, "the variable's name");
    size_t element = type_bytes(d->type);
    *v = (struct ptx_variable){
        .name = symbol->name, .space = d->space, .type = d->type, .external = d->external
    };
    v->align = d->align ? d->align : element * d->vector;
    lex_next(&p->lexer);
    if (!parse_dimensions(p, v, element * d->vector, items, &dimensions) || !(v->name = declare(p, symbol)))
        return false;
    if (dimensions == 0 || d->vector > 1)
        items[dimensions++] = element;
    if (!take_mark(p, '='))
        return true;
    if (v->unsized)
        return parse_trouble(p, "%.80s has initial values but no size", v->name);
    return parse_initial(p, v, items, dimensions);
}

// ---- where it goes ------------------------------------------------------------------------------------

static bool add_to_function(struct parser *p, const struct ptx_variable *v)
{
    struct ptx_function *function = &p->function;
    function->variables =
        parse_room(p, function->variables, function->variable_count, sizeof *function->variables);
    if (!function->variables)
        return false;
    function->variables[function->variable_count++] = *v;
    return true;
}

// A declaration elsewhere (.extern) gives way to the definition.
static bool add_to_module(struct parser *p, const struct ptx_variable *v, int line)
{
    struct ptx_text *text = p->text;
    struct symbol *symbol = name_symbol(v->name);
    if (symbol->variable) {
        struct ptx_variable *before = &text->variables[symbol->variable - 1];
        if (!before->external && !v->external)
            return parse_fail(p, line, "variable %.80s is defined twice", v->name);
        if (before->external)
            *before = *v;
        return true;
    }
    text->variables = parse_room(p, text->variables, text->variable_count, sizeof *text->variables);
    if (!text->variables)
        return false;
    text->variables[text->variable_count++] = *v;
    symbol->variable = text->variable_count;
    return true;
}

bool parse_variables(struct parser *p, enum ptx_space space, bool external)
{
    struct declaration d = { .space = space, .vector = 1, .external = external };
    // Those of the grid's memory belong to the module wherever they are declared.
    bool inside = p->depth > 0 && space != SPACE_GLOBAL && space != SPACE_CONST;
    if (!parse_declaration(p, &d))
        return false;
    do {
        struct ptx_variable v;
        int line = p->lexer.token.line;
        if (!parse_variable(p, &d, &v) || !(inside ? add_to_function(p, &v) : add_to_module(p, &v, line)))
            return false;
    } while (take_mark(p, ','));
    return expect_mark(p, ';');
}

// ---- formal parameters --------------------------------------------------------------------------------

static bool parse_formal(struct parser *p, struct ptx_variable *out)
{
    struct declaration d = { .space = SPACE_PARAM, .vector = 1 };
    if (!token_is(p, ".param"))
        return parse_expected(p, "a parameter (.param)");
    lex_next(&p->lexer);
    return parse_declaration(p, &d) && parse_variable(p, &d, out);
}

// At the '('.
bool parse_formals(struct parser *p, struct ptx_variable **out, size_t *count)
{
    if (!expect_mark(p, '('))
        return false;
    if (take_mark(p, ')'))
        return true;
    do {
        *out = parse_room(p, *out, *count, sizeof **out);
        if (!*out || !parse_formal(p, &(*out)[*count]))
            return false;
        ++*count;
    } while (take_mark(p, ','));
    return expect_mark(p, ')');
}
