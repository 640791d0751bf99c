// Declarations: .reg, the variables in .global, .const, .shared, .local and .param with their initial values, and
// formal parameters.
#include "engine/sim/ptx/parser.h"

#include <string.h>

// ---- names -----------------------------------------------------------------------------------------------------

// Shadows what the name means outside of the current scope and returns its meaning, to be filled; NULL: no memory. A
// meaning outside of functions lasts until the end of the text, so it shadows nothing that has to be restored.
static struct name_meaning *declare_name(struct ptx_parser *p, struct ptx_symbol *symbol)
{
    if (p->depth == 0)
        return &symbol->meaning;
    struct shadowed_meaning *shadowed = p->symbols.spare;
    if (shadowed)
        p->symbols.spare = shadowed->next;
    else if (!(shadowed = parse_alloc(p, sizeof *shadowed)))
        return NULL;
    struct name_scope *scope = &p->scopes[p->depth - 1];
    *shadowed =
        (struct shadowed_meaning){ .symbol = symbol, .before = symbol->meaning, .next = scope->shadowed };
    scope->shadowed = shadowed;
    return &symbol->meaning;
}

// ---- registers --------------------------------------------------------------------------------------------

enum { MOST_REGISTERS = 1 << 20 }; // of a function

// Each register has an index of its own in the function, even where scopes use a name twice.
static bool add_register(struct ptx_parser *p, const char *name, enum ptx_type type)
{
    struct ptx_function *function = &p->function;
    if (function->register_count == MOST_REGISTERS)
        return parse_fail(p, p->lexer.token.line, "function %.80s declares more than %d registers",
                          function->name, MOST_REGISTERS);
    function->registers =
        parse_grow(p, function->registers, function->register_count, sizeof *function->registers);
    if (!function->registers)
        return false;
    function->registers[function->register_count++] = (struct ptx_register){ .name = name, .type = type };
    return true;
}

static bool add_single(struct ptx_parser *p, struct ptx_symbol *symbol, enum ptx_type type)
{
    struct name_meaning *meaning = add_register(p, symbol->name, type) ? declare_name(p, symbol) : NULL;
    if (!meaning)
        return false;
    *meaning = (struct name_meaning){ .reg = (int)p->function.register_count,
                                      .family = meaning->family,
                                      .family_count = meaning->family_count };
    return true;
}

// Writes the number, at most MOST_REGISTERS, and a terminating zero.
static void write_number(char *to, unsigned number)
{
    int digits = 1;
    for (unsigned rest = number / 10; rest; rest /= 10)
        digits++;
    to[digits] = '\0';
    for (; digits > 0; number /= 10)
        to[--digits] = (char)('0' + number % 10);
}

// %r<count> declares %r0 … ; their names are side by side in one allocation.
static bool add_family(struct ptx_parser *p, struct ptx_symbol *symbol, uint64_t count, enum ptx_type type)
{
    enum { DIGITS = 8 };
    if (count > MOST_REGISTERS)
        return parse_fail(p, p->lexer.token.line,
                          "%.40s<%llu>: at most %d registers of a kind can be declared", symbol->name,
                          (unsigned long long)count, MOST_REGISTERS);
    size_t each = symbol->length + DIGITS;
    char *names = parse_alloc(p, each * count);
    struct name_meaning *meaning = names ? declare_name(p, symbol) : NULL;
    if (!meaning)
        return false;
    meaning->family = (int)p->function.register_count + 1;
    meaning->family_count = (int)count;
    for (uint64_t i = 0; i < count; i++) {
        char *name = names + i * each;
        memcpy(name, symbol->name, symbol->length);
        write_number(name + symbol->length, (unsigned)i);
        if (!add_register(p, name, type))
            return false;
    }
    return true;
}

static bool declare_registers(struct ptx_parser *p, enum ptx_type type)
{
    if (p->lexer.token.kind != TOKEN_NAME)
        return parse_expected(p, "a register's name");
    struct ptx_symbol *symbol = symbol_here(p);
    if (!symbol)
        return false;
    lex_next(&p->lexer);
    if (!parse_accept(p, '<'))
        return add_single(p, symbol, type);
    uint64_t count;
    return parse_count(p, UINT64_MAX, &count) && parse_expect(p, '>') && add_family(p, symbol, count, type);
}

bool parse_registers(struct ptx_parser *p)
{
    struct ptx_symbol *name = p->lexer.token.kind == TOKEN_DOT ? symbol_here(p) : NULL;
    if (p->failed)
        return false;
    enum ptx_type type = name ? type_from_name(name->name + 1) : TYPE_NONE;
    if (type == TYPE_NONE)
        return parse_expected(p, "a register's type, like .b32,");
    lex_next(&p->lexer);
    do {
        if (!declare_registers(p, type))
            return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

// ---- initial values ---------------------------------------------------------------------------------------

// = 5, = {1, 2, {3, 4}}, = generic(other)+4, = {0xFF(other), 0xFF00(other), …}. Items that are left out at the end of
// a list are zero.

enum { ADDRESS = 8 }; // bytes of an address

struct initializer {
    struct ptx_variable *variable;
    const size_t *bytes; // bytes[d]: of one item of dimension d; those of the last dimension are the elements
    int dimensions;
};

// ---- initial values: numbers ------------------------------------------------------------------------------------------

static uint64_t float_bits(const struct ptx_operand *number, enum ptx_type type)
{
    float single;
    double wide = (double)(int64_t)number->bits;
    if (number->is_single) {
        uint32_t bits = (uint32_t)number->bits;
        memcpy(&single, &bits, sizeof single);
        wide = (double)single;
    } else if (number->is_double) {
        memcpy(&wide, &number->bits, sizeof wide);
    }
    uint64_t bits = 0;
    single = (float)wide;
    if (type == TYPE_F32)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &wide, sizeof wide);
    return type == TYPE_F32 && number->is_single ? number->bits : bits;
}

static void store_number(struct initializer *init, size_t at, const struct ptx_operand *number)
{
    enum ptx_type type = init->variable->type;
    uint64_t bits = number->bits;
    if (type == TYPE_F32 || type == TYPE_F64)
        bits = float_bits(number, type);
    for (unsigned i = 0; i < type_bytes(type); i++)
        init->variable->initial[at + i] = i < 8 ? (unsigned char)(bits >> 8 * i) : 0;
}

// ---- initial values: addresses ----------------------------------------------------------------------------------------

static bool add_relocation(struct ptx_parser *p, struct initializer *init, size_t at,
                           const struct ptx_operand *to)
{
    struct ptx_variable *variable = init->variable;
    if (at + ADDRESS > variable->bytes)
        return parse_reject(p, "there is no room for the address of %.80s", to->name);
    variable->relocations =
        parse_grow(p, variable->relocations, variable->relocation_count, sizeof *variable->relocations);
    if (!variable->relocations)
        return false;
    variable->relocations[variable->relocation_count++] =
        (struct ptx_relocation){ .at = at, .symbol = to->name, .offset = to->offset };
    return true;
}

// name or generic(name), each perhaps followed by an offset
static bool parse_initial_address(struct ptx_parser *p, struct ptx_operand *out)
{
    bool generic = parse_at_word(p, "generic") && lex_is_before(&p->lexer, '(');
    if (generic) {
        lex_next(&p->lexer);
        lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_NAME || !parse_operand(p, out) || out->kind != OPERAND_SYMBOL)
        return parse_expected(p, "a variable or a function");
    return !generic || (parse_expect(p, ')') && parse_offset(p, &out->offset));
}

// 0xFF(name) is the lowest byte of an address, 0xFF00(name) the next one: eight of them in order are one address.
static bool parse_masked(struct ptx_parser *p, struct initializer *init, size_t at, uint64_t mask)
{
    struct ptx_operand to = { .reg = -1 };
    if (!parse_initial_address(p, &to) || !parse_expect(p, ')'))
        return false;
    const struct ptx_variable *variable = init->variable;
    if (type_bytes(variable->type) != 1)
        return parse_reject(p, "parts of an address can only initialise bytes");
    if (mask == 0xff)
        return add_relocation(p, init, at, &to);
    const struct ptx_relocation *last =
        variable->relocation_count ? &variable->relocations[variable->relocation_count - 1] : NULL;
    if (last && at > last->at && at - last->at < ADDRESS && mask == 0xffull << 8 * (at - last->at) &&
        last->symbol == to.name && last->offset == to.offset)
        return true;
    return parse_reject(p, "the bytes of an address are not in order");
}

static bool parse_element(struct ptx_parser *p, struct initializer *init, size_t at)
{
    struct ptx_operand value = { .reg = -1 };
    if (p->lexer.token.kind == TOKEN_NAME) {
        if (type_bytes(init->variable->type) != ADDRESS)
            return parse_reject(p, "an address can only initialise 8 bytes");
        return parse_initial_address(p, &value) && add_relocation(p, init, at, &value);
    }
    if (!parse_operand(p, &value))
        return false;
    if (value.kind != OPERAND_IMMEDIATE)
        return parse_expected(p, "a number");
    if (parse_accept(p, '('))
        return parse_masked(p, init, at, value.bits);
    store_number(init, at, &value);
    return true;
}

// ---- initial values: lists --------------------------------------------------------------------------------------------

// The items of one dimension, after its '{'. The recursion ends because each nested list is one dimension deeper.
static bool parse_items(struct ptx_parser *p, struct initializer *init, int dimension, size_t at,
                        size_t bytes)
{
    size_t end = at + bytes;
    while (!parse_at(p, '}')) {
        bool list = dimension + 1 < init->dimensions && parse_accept(p, '{');
        size_t item = list ? init->bytes[dimension] : init->bytes[init->dimensions - 1];
        if (item > end - at)
            return parse_reject(p, "%.80s has more initial values than room", init->variable->name);
        if (!(list ? parse_items(p, init, dimension + 1, at, item) : parse_element(p, init, at)))
            return false;
        at += item;
        if (!parse_accept(p, ','))
            break;
    }
    return parse_expect(p, '}');
}

static bool parse_initial(struct ptx_parser *p, struct ptx_variable *variable, const size_t *item_bytes,
                          int dimensions)
{
    struct initializer init = { .variable = variable, .bytes = item_bytes, .dimensions = dimensions };
    variable->initial = parse_alloc(p, variable->bytes);
    if (!variable->initial)
        return false;
    if (parse_accept(p, '{'))
        return parse_items(p, &init, 0, 0, variable->bytes);
    if (variable->bytes < type_bytes(variable->type))
        return parse_reject(p, "%.80s has no room for a value", variable->name);
    return parse_element(p, &init, 0);
}

// ---- variables --------------------------------------------------------------------------------------------

enum { DIMENSIONS = 4 };
#define MOST_BYTES (1ull << 36)

// The part of a declaration before the names: .align 8 .v2 .b32
struct variable_type {
    enum ptx_space space;
    enum ptx_type type;
    size_t align, vector;
    bool external;
};

// ---- variables: alignment and type -----------------------------------------------------------------------------

static bool take_align(struct ptx_parser *p, size_t *align)
{
    uint64_t value;
    if (!parse_count(p, 1 << 20, &value))
        return false;
    if (value == 0 || (value & (value - 1)))
        return parse_reject(p, "an alignment of %llu is no power of two", (unsigned long long)value);
    *align = (size_t)value;
    return true;
}

// Skips what a parameter points to, which is not used: .ptr .global .align 4
static bool skip_pointee(struct ptx_parser *p)
{
    size_t align;
    while (p->lexer.token.kind == TOKEN_DOT) {
        bool aligned = parse_at_word(p, ".align");
        lex_next(&p->lexer);
        if (aligned && !take_align(p, &align))
            return false;
    }
    return true;
}

static bool skip_parentheses(struct ptx_parser *p)
{
    int depth = 0;
    do {
        depth += parse_at(p, '(') - parse_at(p, ')');
        if (p->lexer.token.kind == TOKEN_END || parse_at(p, ';'))
            return parse_expected(p, "')'");
        lex_next(&p->lexer);
    } while (depth > 0);
    return true;
}

static bool take_type(struct ptx_parser *p, struct variable_type *d)
{
    static const char *const opaque[] = { ".texref", ".surfref", ".samplerref" };
    const struct ptx_symbol *symbol = symbol_here(p);
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

static bool parse_declaration(struct ptx_parser *p, struct variable_type *d)
{
    while (p->lexer.token.kind == TOKEN_DOT) {
        bool align = parse_at_word(p, ".align"), pointee = parse_at_word(p, ".ptr"),
             hint = parse_at_word(p, ".attribute");
        if (parse_at_word(p, ".v2") || parse_at_word(p, ".v4"))
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

// ---- variables: name, dimensions, value ---------------------------------------------------------------------

// From here on the name means the variable. In a function, a name that is in use already is replaced by a unique one.
static const char *declare_variable(struct ptx_parser *p, struct ptx_symbol *symbol)
{
    struct ptx_symbol *known = symbol;
    if (p->depth > 0) {
        if (symbol->variable_in == p->function_number || symbol->variable)
            known = symbol_unique(p, symbol);
        symbol->variable_in = p->function_number;
    }
    struct name_meaning *meaning = known ? declare_name(p, symbol) : NULL;
    if (!meaning)
        return NULL;
    *meaning = (struct name_meaning){ .variable = known->name };
    return known->name;
}

// items[d]: the bytes of one item of dimension d; [4][8] has items of 8 elements and of one.
static bool parse_dimensions(struct ptx_parser *p, struct ptx_variable *v, size_t element, size_t *items,
                             int *count)
{
    uint64_t length[DIMENSIONS] = { 0 };
    int dimensions = 0;
    while (parse_accept(p, '[')) {
        if (dimensions == DIMENSIONS)
            return parse_reject(p, "%.80s has more than %d dimensions", v->name, DIMENSIONS);
        if (dimensions == 0 && parse_at(p, ']'))
            v->unsized = true;
        else if (!parse_count(p, MOST_BYTES, &length[dimensions]))
            return false;
        dimensions++;
        if (!parse_expect(p, ']'))
            return false;
    }
    uint64_t bytes = element;
    for (int d = dimensions - 1; d >= 0; d--) {
        items[d] = (size_t)bytes;
        if (length[d] && bytes > MOST_BYTES / length[d])
            return parse_reject(p, "%.80s is larger than 2^36 bytes", v->name);
        bytes *= length[d];
    }
    v->bytes = (size_t)bytes;
    *count = dimensions;
    return true;
}

static bool parse_variable(struct ptx_parser *p, const struct variable_type *d, struct ptx_variable *v)
{
    size_t items[DIMENSIONS + 1];
    int dimensions = 0;
    struct ptx_symbol *symbol = p->lexer.token.kind == TOKEN_NAME ? symbol_here(p) : NULL;
    if (!symbol)
        return parse_expected(p, "the variable's name");
    size_t element = type_bytes(d->type);
    *v = (struct ptx_variable){
        .name = symbol->name, .space = d->space, .type = d->type, .external = d->external
    };
    v->align = d->align ? d->align : element * d->vector;
    lex_next(&p->lexer);
    if (!parse_dimensions(p, v, element * d->vector, items, &dimensions) ||
        !(v->name = declare_variable(p, symbol)))
        return false;
    if (dimensions == 0 || d->vector > 1)
        items[dimensions++] = element;
    if (!parse_accept(p, '='))
        return true;
    if (v->unsized)
        return parse_reject(p, "%.80s has initial values but no size", v->name);
    return parse_initial(p, v, items, dimensions);
}

// ---- variables: in the function or the module ------------------------------------------------------------------------------------

static bool add_to_function(struct ptx_parser *p, const struct ptx_variable *v)
{
    struct ptx_function *function = &p->function;
    function->variables =
        parse_grow(p, function->variables, function->variable_count, sizeof *function->variables);
    if (!function->variables)
        return false;
    function->variables[function->variable_count++] = *v;
    return true;
}

// A definition replaces a declaration (.extern), whichever of them comes first.
static bool add_to_module(struct ptx_parser *p, const struct ptx_variable *v, int line)
{
    struct ptx_text *text = p->text;
    struct ptx_symbol *symbol = symbol_of_name(v->name);
    if (symbol->variable) {
        struct ptx_variable *before = &text->variables[symbol->variable - 1];
        if (!before->external && !v->external)
            return parse_fail(p, line, "variable %.80s is defined twice", v->name);
        if (before->external)
            *before = *v;
        return true;
    }
    text->variables = parse_grow(p, text->variables, text->variable_count, sizeof *text->variables);
    if (!text->variables)
        return false;
    text->variables[text->variable_count++] = *v;
    symbol->variable = text->variable_count;
    return true;
}

bool parse_variables(struct ptx_parser *p, enum ptx_space space, bool external)
{
    struct variable_type d = { .space = space, .vector = 1, .external = external };
    // Variables in global and constant memory belong to the module, wherever they are declared.
    bool inside = p->depth > 0 && space != SPACE_GLOBAL && space != SPACE_CONST;
    if (!parse_declaration(p, &d))
        return false;
    do {
        struct ptx_variable v;
        int line = p->lexer.token.line;
        if (!parse_variable(p, &d, &v) || !(inside ? add_to_function(p, &v) : add_to_module(p, &v, line)))
            return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

// ---- formal parameters --------------------------------------------------------------------------------

static bool parse_formal(struct ptx_parser *p, struct ptx_variable *out)
{
    struct variable_type d = { .space = SPACE_PARAM, .vector = 1 };
    if (!parse_at_word(p, ".param"))
        return parse_expected(p, "a parameter (.param)");
    lex_next(&p->lexer);
    return parse_declaration(p, &d) && parse_variable(p, &d, out);
}

// The current token should be the '('.
bool parse_formals(struct ptx_parser *p, struct ptx_variable **out, size_t *count)
{
    if (!parse_expect(p, '('))
        return false;
    if (parse_accept(p, ')'))
        return true;
    do {
        *out = parse_grow(p, *out, *count, sizeof **out);
        if (!*out || !parse_formal(p, &(*out)[*count]))
            return false;
        ++*count;
    } while (parse_accept(p, ','));
    return parse_expect(p, ')');
}
