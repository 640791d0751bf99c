// The statements of a function. Instructions: @guard opcode.modifiers operands; with operands that are registers, numbers,
// symbols, addresses, vectors or pairs. Which combinations an instruction allows is decided by its decoder, not here.
// Declarations: .reg, the variables in .global, .const, .shared, .local and .param with their initial values, and formal
// parameters.
#include "engine/sim/ptx/parser.h"

#include <string.h>

// ---- special registers ----------------------------------------------------------------------------------------

// The names of special registers, without the part after a dot.
static const char specials[] =
    " tid ntid ctaid nctaid laneid warpid nwarpid smid nsmid gridid lanemask_eq lanemask_le"
    " lanemask_lt lanemask_ge lanemask_gt clock clock_hi clock64 globaltimer globaltimer_lo"
    " clusterid nclusterid cluster_ctaid cluster_nctaid cluster_ctarank globaltimer_hi"
    " cluster_nctarank is_explicit_cluster total_smem_size aggr_smem_size dynamic_smem_size"
    " current_graph_exec"
    " ";
static const char *const special_families[] = { "envreg", "pm", "reserved_smem_offset_", NULL };

static bool is_special(const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    size_t stem = dot ? (size_t)(dot - name) : length;
    if (dot && (length != stem + 2 || !strchr("xyzw", dot[1])))
        return false;
    for (const char *at = specials; (at = strchr(at, ' ')) && *++at;)
        if (strncmp(at, name + 1, stem - 1) == 0 && at[stem - 1] == ' ')
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

static bool parse_offset(struct ptx_parser *p, int64_t *offset)
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

// Parses a vector, after its '{'.
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

// Parses an address, after its '['.
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

// Parses the rest of first|second, after the '|'; *out holds the first.
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

static bool parse_operand(struct ptx_parser *p, struct ptx_operand *out)
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

// ---- the whole instruction ------------------------------------------------------------------------------

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

// Parses the operands in a call's parentheses, after the '(', through the ')'.
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

// ---- declarations: names --------------------------------------------------------------------------------

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

// ---- declarations: registers ----------------------------------------------------------------------------

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
    double wide = (double)(int64_t)number->bits;
    float single = (float)wide;
    uint32_t low = (uint32_t)number->bits;
    uint64_t bits = 0;
    if (number->is_single && type == TYPE_F32)
        return number->bits;
    if (number->is_single) {
        memcpy(&single, &low, sizeof single);
        wide = (double)single;
    } else if (number->is_double) {
        memcpy(&wide, &number->bits, sizeof wide);
        single = (float)wide;
    }
    if (type == TYPE_F32)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &wide, sizeof wide);
    return bits;
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
        return parse_reject(p, "an alignment of %llu is not a power of two", (unsigned long long)value);
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
        struct ptx_variable v = { 0 };
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

// Parses formal parameters; the current token should be their '('.
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
