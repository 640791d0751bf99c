// Findings in the words of the source: an element of a shared array with as many indices as its declaration has, and the
// kernel's own name of a buffer that the launch line calls otherwise.
#include "engine/run/simulation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 4, PARAMETERS = 64 };

struct array_shape {
    long long dims[DIMENSIONS];
    int count; // 0: not known
};

// ---- names of numbers ----------------------------------------------------------------------------------------------

struct constants { // of the whole source; one that is defined twice with different values is 0
    struct expr_binding *bindings;
    char **names; // owns what the bindings borrow
    size_t count;
};

// The value ends before a comment, a comma, a semicolon or the line's end; where it is no whole number, the name has none.
static void constant_add(struct constants *all, struct code_piece name, const char *value)
{
    const struct expr_scope scope = { all->bindings, all->count };
    size_t length = strcspn(value, ",;/\r\n");
    while (value[length] == '/' && value[length + 1] != '/' && value[length + 1] != '*')
        length += 1 + strcspn(value + length + 1, ",;/\r\n");
    while (length && strchr(" \t", value[length - 1]))
        length--;
    char *text = mem_copy_n(value, length);
    struct expr_value is;
    struct error error;
    bool known = expr_eval_text(text, &scope, &is, &error) && !is.real;
    free(text);
    for (size_t i = 0; i < all->count; i++) {
        const char *other = all->bindings[i].name;
        if (strlen(other) != name.length || memcmp(other, name.at, name.length) != 0)
            continue;
        if (!known || all->bindings[i].value.i != is.i)
            all->bindings[i].value = value_int(0);
        return;
    }
    if (!known)
        return;
    all->bindings = array_room(all->bindings, all->count, sizeof *all->bindings);
    all->names = array_room(all->names, all->count, sizeof *all->names);
    all->names[all->count] = mem_copy_n(name.at, name.length);
    all->bindings[all->count] = (struct expr_binding){ all->names[all->count], is };
    all->count++;
}

static bool says_const(struct code_piece piece)
{
    return piece_is(piece, "const") || piece_is(piece, "constexpr");
}

// `#define TILE 16`, `const int PADDED = TILE + 1;` and `constexpr int TILE = 16;`
static struct constants constants_of(const char *source)
{
    struct constants all = { 0 };
    struct code_piece last = { PIECE_BLANK, source, 0 };
    bool constant = false;
    for (const char *at = source;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return all;
        if (piece_is(piece, "define") && piece_is(last, "#")) {
            last = piece_next_code(&at);
            if (*at == ' ' || *at == '\t') // else it has parameters, or no value
                constant_add(&all, last, at);
            continue;
        }
        if (constant && last.kind == PIECE_WORD && piece_is(piece, "="))
            constant_add(&all, last, at);
        constant = says_const(piece) || (constant && !piece_is(piece, ";") && !piece_is(piece, ")"));
        last = piece;
    }
}

static void constants_free(struct constants *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->names[i]);
    free(all->names);
    free(all->bindings);
}

// ---- shapes of arrays ----------------------------------------------------------------------------------------------

// The "[32][TILE + 1]" that comes next; a size that is no number leaves the shape unknown.
static struct array_shape shape_at(const char *source, const char *at, const struct constants *constants)
{
    const struct source where = { "", source };
    const struct expr_scope scope = { constants->bindings, constants->count };
    struct array_shape shape = { 0 };
    while (piece_is(piece_next_code(&at), "[")) {
        struct error error;
        struct expr_value dim = { 0 };
        struct expr *expr = expr_parse(&where, &at, NULL, &error);
        bool known = expr && expr_eval(expr, &scope, &dim, &error) && !dim.real && dim.i > 0;
        expr_free(expr);
        at += strspn(at, " \t");
        if (!known || *at != ']' || shape.count == DIMENSIONS)
            return (struct array_shape){ 0 };
        shape.dims[shape.count++] = dim.i;
        at++;
    }
    return shape;
}

static bool same_shape(const struct array_shape *a, const struct array_shape *b)
{
    return a->count == b->count &&
           memcmp(a->dims, b->dims, (size_t)a->count * sizeof *a->dims) == 0; // those after are not set
}

// Whether an element is a vector or a structure: elements of what an access reads are then not those of the array.
static bool has_parts(const char *source, struct code_piece type)
{
    if (!type.length)
        return false;
    if (strchr("234", type.at[type.length - 1]))
        return true;
    for (const char *at = source;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return false;
        if (!piece_is(piece, "struct"))
            continue;
        struct code_piece name = piece_next_code(&at);
        if (piece_same(name, type))
            return true;
    }
}

// Of the shared arrays of this name; not known where two of them differ.
static struct array_shape shape_of(const char *source, const char *name, const struct constants *constants)
{
    struct array_shape found = { 0 };
    struct code_piece type = { 0 }, last = { 0 }; // a type is a word before another one
    bool shared = false, any = false;
    for (const char *at = source;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return found;
        if (piece.kind == PIECE_WORD && last.kind == PIECE_WORD)
            type = last;
        last = piece;
        shared = piece_is(piece, "__shared__") || (shared && !piece_is(piece, ";"));
        if (!shared || !piece_is(piece, name))
            continue;
        struct array_shape shape = shape_at(source, at, constants);
        if ((any && !same_shape(&shape, &found)) || has_parts(source, type))
            return (struct array_shape){ 0 };
        found = shape;
        any = true;
    }
}

static void add_indices(struct text *out, long long element, const struct array_shape *shape)
{
    long long size = 1;
    for (int i = 1; i < shape->count; i++)
        size *= shape->dims[i];
    for (int i = 0; i < shape->count; i++) {
        text_addf(out, "[%lld]", element / size);
        element %= size;
        size /= i + 1 < shape->count ? shape->dims[i + 1] : 1;
    }
}

// "tile[163]" becomes "tile[4][31]".
static char *name_elements(const char *sentence, const char *array, const struct array_shape *shape)
{
    struct text out = { 0 };
    size_t length = strlen(array);
    for (const char *at = sentence; *at;) {
        bool begins = at == sentence || !byte_in_word(at[-1]);
        const char *digits = at + length + 1;
        char *end = NULL;
        if (!begins || strncmp(at, array, length) != 0 || at[length] != '[' ||
            !isdigit((unsigned char)*digits)) {
            text_add_n(&out, at++, 1);
            continue;
        }
        long long element = strtoll(digits, &end, 10);
        text_add_n(&out, at, length);
        add_indices(&out, element, shape);
        at = end + (*end == ']');
    }
    return text_take(&out);
}

char *sentence_in_source(const char *source, const char *shared, const char *sentence)
{
    struct constants constants = constants_of(source);
    struct array_shape shape = shape_of(source, shared, &constants);
    constants_free(&constants);
    return shape.count > 1 ? name_elements(sentence, shared, &shape) : mem_copy(sentence);
}

// What the launched kernels call the buffer; "": they differ, or it is its name there too.
static void parameter_of(const struct variant *variant, const char *buffer, char out[64])
{
    struct kernel_parameter parameters[PARAMETERS];
    *out = 0;
    for (size_t i = 0; i < variant->launch_count; i++) {
        const struct launch *launch = &variant->launches[i];
        int count = signature_find(variant->source.text, launch->kernel, parameters, PARAMETERS);
        for (size_t j = 0; count <= PARAMETERS && j < launch->argument_count && (int)j < count; j++) {
            const char *name = launch->arguments[j].name;
            if (!name || strcmp(name, buffer) != 0)
                continue;
            if (*out && strcmp(out, parameters[j].name) != 0) {
                *out = 0;
                return;
            }
            format_into(out, 64, "%s", parameters[j].name);
        }
    }
    if (strcmp(out, buffer) == 0)
        *out = 0;
}

void findings_in_source(const struct variant *variant, struct sim_finding *findings, size_t count)
{
    struct constants constants = constants_of(variant->source.text);
    for (size_t i = 0; i < count; i++) {
        struct sim_finding *finding = &findings[i];
        char parameter[64];
        if (strcmp(finding->space, "shared") == 0 && *finding->buffer) {
            struct array_shape shape = shape_of(variant->source.text, finding->buffer, &constants);
            char *named = shape.count > 1 ? name_elements(finding->sentence, finding->buffer, &shape) : NULL;
            if (named && strlen(named) < sizeof finding->sentence)
                format_into(finding->sentence, sizeof finding->sentence, "%s", named);
            free(named);
        } else if (strcmp(finding->space, "global") == 0 && *finding->buffer) {
            parameter_of(variant, finding->buffer, parameter);
            size_t used = strlen(finding->sentence);
            if (*parameter)
                format_into(finding->sentence + used, sizeof finding->sentence - used,
                            " The kernel gets %s as %s.", finding->buffer, parameter);
        }
    }
    constants_free(&constants);
}
