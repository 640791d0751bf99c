// The initial value of a variable: = 5, = {1, 2, {3, 4}}, = generic(other)+4, = {0xFF(other), 0xFF00(other), …}.
// What is left out at the end of a list is zero.
#include "engine/sim/ptx/parse.h"

#include <string.h>

enum { ADDRESS = 8 }; // bytes of an address

struct filling {
    struct ptx_variable *variable;
    const size_t *bytes; // bytes[d]: of one item of dimension d, the last is an element
    int dimensions;
};

// ---- numbers ------------------------------------------------------------------------------------------

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

static void store(struct filling *fill, size_t at, const struct ptx_operand *number)
{
    enum ptx_type type = fill->variable->type;
    uint64_t bits = number->bits;
    if (type == TYPE_F32 || type == TYPE_F64)
        bits = float_bits(number, type);
    for (unsigned i = 0; i < type_bytes(type); i++)
        fill->variable->initial[at + i] = i < 8 ? (unsigned char)(bits >> 8 * i) : 0;
}

// ---- addresses ----------------------------------------------------------------------------------------

static bool add_relocation(struct parser *p, struct filling *fill, size_t at, const struct ptx_operand *to)
{
    struct ptx_variable *variable = fill->variable;
    if (at + ADDRESS > variable->bytes)
        return parse_trouble(p, "there is no room for the address of %.80s", to->name);
    variable->relocations =
        parse_room(p, variable->relocations, variable->relocation_count, sizeof *variable->relocations);
    if (!variable->relocations)
        return false;
    variable->relocations[variable->relocation_count++] =
        (struct ptx_relocation){ .at = at, .symbol = to->name, .offset = to->offset };
    return true;
}

// name, generic(name), each with an offset behind it
static bool parse_address(struct parser *p, struct ptx_operand *out)
{
    bool generic = token_is(p, "generic") && lex_is_before(&p->lexer, '(');
    if (generic) {
        lex_next(&p->lexer);
        lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_NAME || !parse_operand(p, out) || out->kind != OPERAND_SYMBOL)
        return parse_expected(p, "a variable or a function");
    return !generic || (expect_mark(p, ')') && parse_offset(p, &out->offset));
}

// 0xFF(name) is the lowest byte of an address, 0xFF00(name) the next: eight of them in a row are one address.
static bool parse_masked(struct parser *p, struct filling *fill, size_t at, uint64_t mask)
{
    struct ptx_operand to = { .reg = -1 };
    if (!parse_address(p, &to) || !expect_mark(p, ')'))
        return false;
    const struct ptx_variable *variable = fill->variable;
    if (type_bytes(variable->type) != 1)
        return parse_trouble(p, "parts of an address can only initialise bytes");
    if (mask == 0xff)
        return add_relocation(p, fill, at, &to);
    const struct ptx_relocation *last =
        variable->relocation_count ? &variable->relocations[variable->relocation_count - 1] : NULL;
    if (last && at > last->at && at - last->at < ADDRESS && mask == 0xffull << 8 * (at - last->at) &&
        last->symbol == to.name && last->offset == to.offset)
        return true;
    return parse_trouble(p, "the bytes of an address are not in order");
}

static bool parse_element(struct parser *p, struct filling *fill, size_t at)
{
    struct ptx_operand value = { .reg = -1 };
    if (p->lexer.token.kind == TOKEN_NAME) {
        if (type_bytes(fill->variable->type) != ADDRESS)
            return parse_trouble(p, "an address can only initialise 8 bytes");
        return parse_address(p, &value) && add_relocation(p, fill, at, &value);
    }
    if (!parse_operand(p, &value))
        return false;
    if (value.kind != OPERAND_IMMEDIATE)
        return parse_expected(p, "a number");
    if (take_mark(p, '('))
        return parse_masked(p, fill, at, value.bits);
    store(fill, at, &value);
    return true;
}

// ---- lists --------------------------------------------------------------------------------------------

// The items of one dimension, behind '{'. Deeper lists are those of deeper dimensions, so this ends.
static bool parse_items(struct parser *p, struct filling *fill, int dimension, size_t at, size_t bytes)
{
    size_t end = at + bytes;
    while (!at_mark(p, '}')) {
        bool list = dimension + 1 < fill->dimensions && take_mark(p, '{');
        size_t item = list ? fill->bytes[dimension] : fill->bytes[fill->dimensions - 1];
        if (item > end - at)
            return parse_trouble(p, "%.80s has more initial values than room", fill->variable->name);
        if (!(list ? parse_items(p, fill, dimension + 1, at, item) : parse_element(p, fill, at)))
            return false;
        at += item;
        if (!take_mark(p, ','))
            break;
    }
    return expect_mark(p, '}');
}

bool parse_initial(struct parser *p, struct ptx_variable *variable, const size_t *item_bytes, int dimensions)
{
    struct filling fill = { .variable = variable, .bytes = item_bytes, .dimensions = dimensions };
    variable->initial = parse_take(p, variable->bytes);
    if (!variable->initial)
        return false;
    if (take_mark(p, '{'))
        return parse_items(p, &fill, 0, 0, variable->bytes);
    if (variable->bytes < type_bytes(variable->type))
        return parse_trouble(p, "%.80s has no room for a value", variable->name);
    return parse_element(p, &fill, 0);
}
